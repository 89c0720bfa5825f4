import { expect, it } from 'vitest'
import { comparePages } from '../../support/page-numbers.ts'
import { seedOfRun } from '../../support/random.ts'

/** STATES=1000 takes half an hour on two cores: as many as the continuous run has minutes for. */
const states = Number(process.env['STATES'] ?? 100)

it(
  `every amount on the pages is that of the API, to the micro, in ${states} random states`,
  async () => {
    const seed = seedOfRun()
    console.log(`SEED=${seed}`)
    await expect(comparePages(states, seed)).resolves.toBeUndefined()
  },
  // Two pages a state, each loaded anew.
  60 * 60_000,
)
