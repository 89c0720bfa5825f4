/** What becomes of a hold whose process died. */
import { assertMoney } from './amount.ts'
import type { Hold } from './hold.ts'
import { isPlausible, zeroUsage, type Usage } from './usage.ts'

export type Recovery = { readonly kind: 'release' } | { readonly kind: 'settle'; readonly usage: Usage }

export interface Remains {
  /** Null: the provider never saw the call. Committed before the first byte to it. */
  readonly dispatchedAtMs: number | null
  /** Metered so far, at the last checkpoint. */
  readonly checkpoint: Usage | null
  /** Our own count of the input tokens. */
  readonly inputEstimate: number
}

/**
 * A call that was never dispatched is free. A dispatched one is charged its checkpoint, or else its input,
 * since the provider charges for that: unknown usage is never free.
 */
export function recover(hold: Hold, { dispatchedAtMs, checkpoint, inputEstimate }: Remains): Recovery {
  assertMoney(Number.isSafeInteger(inputEstimate) && inputEstimate >= 0, 'recover: the input is a count')
  // A checkpoint proves a dispatch even without the mark of one.
  if (dispatchedAtMs === null && checkpoint === null) return { kind: 'release' }
  if (checkpoint !== null && isPlausible(checkpoint)) return { kind: 'settle', usage: checkpoint }
  const { audioTokens, imageTokens, serviceTier, textTokens } = hold.bound
  // The bound is certain: an estimate above it is wrong.
  const input = Math.min(inputEstimate, textTokens + audioTokens + imageTokens)
  return { kind: 'settle', usage: { ...zeroUsage, input, serviceTier } }
}
