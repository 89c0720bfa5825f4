import { expect, it } from 'vitest'
import { comparePages } from '../../support/compare-page-amounts.ts'
import { seedOfRun } from '../../support/seeded-random.ts'

/** 40 states suit continuous integration. STATES=1000 takes half an hour on two cores. */
const states = Number(process.env['STATES'] ?? 40)

it(
  `every amount on the pages equals the API’s amount to the micro, in ${states} random states`,
  async () => {
    const seed = seedOfRun()
    console.log(`SEED=${seed}`)
    await expect(comparePages(states, seed)).resolves.toBeUndefined()
  },
  60 * 60_000,
)
