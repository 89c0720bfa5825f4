import { isLong } from './reduced-suite.ts'

interface Runs {
  readonly numRuns: number
  readonly seed?: number
}

/** `npm test` runs a property a tenth as often as `npm run test:long`, but usually at least this number of times. */
const sampledRunsMin = 300

/** `FC_SEED=<seed>` repeats a run that failed. */
export function propertyRuns(numRuns: number): Runs {
  const { FC_RUNS, FC_SEED } = process.env
  return { numRuns: Number(FC_RUNS ?? numRuns), ...(FC_SEED && { seed: Number(FC_SEED) }) }
}

/**
 * Returns the number of runs of a property for which a few hundred runs are enough to find a fault. The test of the
 * property must not require that special cases occur a minimum number of times.
 * @param numRuns the number of runs in `npm run test:long`
 * @param runsMin the minimum number of runs in `npm test`; smaller if several tests check the property
 */
export function sampledRuns(numRuns: number, runsMin = sampledRunsMin): Runs {
  return propertyRuns(isLong ? numRuns : Math.min(numRuns, Math.max(runsMin, numRuns / 10)))
}
