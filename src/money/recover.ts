/** Decides the charge of a hold whose process died. */
import { assertMoney } from './amount.ts'
import type { Hold } from './hold.ts'
import { isPlausible, zeroUsage, type Usage } from './usage.ts'

export type Recovery = { readonly kind: 'release' } | { readonly kind: 'settle'; readonly usage: Usage }

export interface Remains {
  /** Null if the request was never sent to the provider. Committed before the first byte is sent to the provider. */
  readonly dispatchedAtMs: number | null
  /** Usage metered up to the last checkpoint. */
  readonly checkpoint: Usage | null
  /** The gateway's own count of the input tokens. */
  readonly inputEstimate: number
}

/**
 * Returns the usage to charge. A request that was never dispatched is free. A dispatched request is charged its
 * checkpoint, or its input if there is no checkpoint, because the provider charges for the input. Unknown usage is
 * never free.
 */
export function recover(hold: Hold, { dispatchedAtMs, checkpoint, inputEstimate }: Remains): Recovery {
  assertMoney(Number.isSafeInteger(inputEstimate) && inputEstimate >= 0, 'recover: the input is a count')
  // A checkpoint proves a dispatch even if the dispatch was not recorded.
  if (dispatchedAtMs === null && checkpoint === null) return { kind: 'release' }
  if (checkpoint !== null && isPlausible(checkpoint)) return { kind: 'settle', usage: checkpoint }
  const { audioTokens, imageTokens, serviceTier, textTokens } = hold.bound
  // The bound is certain, so an estimate above it is wrong.
  const input = Math.min(inputEstimate, textTokens + audioTokens + imageTokens)
  return { kind: 'settle', usage: { ...zeroUsage, input, serviceTier } }
}
