/** A hold ends without a charge. */
import { assertHold, type Hold } from './hold.ts'
import { legPostings, type LimitPosting, type Posting } from './posting.ts'

export interface Released {
  readonly postings: readonly Posting[]
  readonly limitPostings: readonly LimitPosting[]
}

/** Gives everything back. For calls that no provider saw, or for which the provider did no work. */
export function release(hold: Hold): Released {
  assertHold(hold)
  return {
    postings: legPostings(hold.legs, 'give_back'),
    limitPostings: hold.limits.map(({ kind, id }) => ({
      kind,
      id,
      heldDelta: -hold.worstMicros,
      spentDelta: 0n,
    })),
  }
}
