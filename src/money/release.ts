import { assertHold, type Hold } from './decision-types.ts'
import { legPostings, type Posting } from './posting.ts'

/** The gateway releases requests that no provider received, or for which the provider did no work. */
export function release(hold: Hold): Posting[] {
  assertHold(hold)
  return legPostings(hold.legs, 'give_back')
}
