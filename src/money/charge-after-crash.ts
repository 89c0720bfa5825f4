import { assertMoney } from './amount.ts'
import type { Hold } from './decision-types.ts'
import { isPlausible, zeroUsage, type Usage } from './usage-counts.ts'

export type Recovery = { readonly kind: 'release' } | { readonly kind: 'settle'; readonly usage: Usage }

export interface Remains {
  /**
   * Time at which the request was sent to the provider. Null if the request was not sent. The time is committed before
   * the first byte is sent.
   */
  readonly dispatchedAtMs: number | null
  readonly checkpoint: Usage | null
  readonly inputEstimate: number
}

/**
 * A request that was never sent to a provider is free. Otherwise, the usage at the checkpoint is charged. Without a
 * checkpoint, the input and the held storage of cached content are charged, as the provider charges them.
 */
export function recover(hold: Hold, { dispatchedAtMs, checkpoint, inputEstimate }: Remains): Recovery {
  assertMoney(Number.isSafeInteger(inputEstimate) && inputEstimate >= 0, 'recover: the input is a count')
  // A checkpoint proves that the request was sent, even if the time of sending was not recorded.
  if (dispatchedAtMs === null && checkpoint === null) return { kind: 'release' }
  if (checkpoint !== null && isPlausible(checkpoint)) return { kind: 'settle', usage: checkpoint }
  const { audioTokens, imageTokens, serviceTier, textTokens, uses } = hold.bound
  // The input cannot exceed its maximum, so a higher estimate is wrong.
  const input = Math.min(inputEstimate, textTokens + audioTokens + imageTokens)
  // The provider may store the cached content until the content expires, so the whole storage is charged. Other uses,
  // such as searches, are not charged. Only their maximum number is known, and the provider stops these uses when the
  // connection ends.
  const cacheTokenHours = uses?.cacheTokenHours ?? 0
  return { kind: 'settle', usage: { ...zeroUsage, input, cacheTokenHours, serviceTier } }
}
