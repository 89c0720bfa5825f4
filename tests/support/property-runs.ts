/** The number of runs of a property. A failure prints its seed, and `FC_SEED=<seed>` replays it. */
export function propertyRuns(numRuns: number): { readonly numRuns: number; readonly seed?: number } {
  const { FC_RUNS, FC_SEED } = process.env
  return { numRuns: Number(FC_RUNS ?? numRuns), ...(FC_SEED && { seed: Number(FC_SEED) }) }
}
