/** If the edge reads a head, Node's parser must read the same request. HEADS sets the number of heads. */
import { expect, test } from 'vitest'
import { compareHeads } from '../support/compare-request-heads.ts'
import { randomFrom, seedOfRun, withSeed } from '../support/seeded-random.ts'

const heads = Number(process.env['HEADS'] ?? 1_000_000)

test('if the edge reads a head, Node’s parser reads the same request', { timeout: 3_600_000 }, async () => {
  const seed = seedOfRun()
  const accepted = await withSeed(seed, () => compareHeads(randomFrom(seed), heads))
  console.log(`the edge read ${accepted} of ${heads} heads (seed ${seed})`)
  expect(accepted).toBeGreaterThan(heads / 5)
})
