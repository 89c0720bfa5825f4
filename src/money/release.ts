/** A hold ends without a charge. */
import { assertHold, type Hold } from './hold.ts'
import { legPostings, type Posting } from './posting.ts'

/** Gives everything back. For calls that no provider saw, or for which the provider did no work. */
export function release(hold: Hold): Posting[] {
  assertHold(hold)
  return legPostings(hold.legs, 'give_back')
}
