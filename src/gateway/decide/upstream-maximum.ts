import type { Reservation } from '#domain/ledger.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import type { Plan } from './served-name.ts'
import type { Dispatch } from './pass-or-convert.ts'

/** The maximum of output tokens in the provider's request. */
export interface UpstreamMaximum {
  /** Per choice, set by the gateway; null: the client's stands, or there is none. */
  readonly imposed: number | null
  /**
   * Over all choices, the client's or the gateway's: the hold is never extended beyond it. Null: the request has none,
   * and a stream is extended as long as there is room.
   */
  readonly told: number | null
}

/** A clamped hold is imposed, and so is the default where the provider's wire or the application demands a maximum. */
export function upstreamMaximum(
  { isClamped, outputTokensPerChoice }: Reservation,
  { choices, outputTokensMax }: WireRequest,
  { needsMaximum }: Dispatch,
  { isMaximumImposed, outputTokensDefault }: Plan,
): UpstreamMaximum {
  const isNeeded = needsMaximum || (isMaximumImposed && outputTokensMax === null)
  const needed = isNeeded ? outputTokensDefault : null
  const imposed = isClamped ? outputTokensPerChoice : needed
  const perChoice = imposed ?? outputTokensMax
  return { imposed, told: perChoice === null ? null : perChoice * choices }
}
