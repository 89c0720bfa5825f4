/** tests/long/fuzz-control.test.ts sends more generated requests. */
import { expect, it } from 'vitest'
import { operations } from '#operations/index.ts'
import { fuzzControl } from '../support/send-generated-control-requests.ts'
import { seedOfRun } from '../support/seeded-random.ts'

const seed = seedOfRun()

it(`3,000 generated requests get documented responses, and write only if they succeed (SEED=${seed})`, async () => {
  const { answers, succeeded } = await fuzzControl(3_000, seed)
  // Many requests must be valid or reach the operations' own checks, because random noise would prove little.
  expect(answers.get('200')).toBeGreaterThan(500)
  expect(answers.get('404 not_found')).toBeGreaterThan(100)
  expect(succeeded.size).toBeGreaterThan(operations.length * 0.8)
})
