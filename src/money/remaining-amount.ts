import { eligibility } from './caller-eligibility.ts'
import { headroomOf } from './headroom.ts'
import type { PersonState, Quote } from './decision-types.ts'
import { roomOf } from './rate-limit.ts'
import { payersOfSources, payingSources } from './payment-sources.ts'

/**
 * Returns the maximum hold of another request for the model name, in micros, by the rules of `admit`. The result is the
 * sum of the sources that pay for the name, up to the tightest limit on charges. The result is never negative, and 0 if
 * the end user, the key or the run accepts no requests. Null means that no limit applies. Amounts in credits are not
 * included, and limits on requests, tokens and requests in flight are ignored.
 * @param quote the prices of the model name, which determine whether credit pools pay for it
 */
export function remainingMicros(
  alias: string,
  quote: Pick<Quote, 'credits'>,
  state: PersonState,
): bigint | null {
  if (eligibility(state) !== null) return 0n
  let most = headroomOf(state.limits)
  for (const rate of state.rates ?? []) {
    if (rate.measure !== 'micros') continue
    const room = roomOf(rate)
    if (most === null || room < most) most = room
  }
  let sum = 0n
  let isEndless = false
  for (const { capacity } of payersOfSources(payingSources(alias, quote, state), 0n)) {
    if (capacity === null) isEndless = true
    else if (capacity > 0n) sum += capacity
  }
  if (!isEndless && (most === null || sum < most)) most = sum
  return most !== null && most < 0n ? 0n : most
}
