import type { Reservation } from '#domain/ledger.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import type { Plan } from './served-name.ts'
import type { Dispatch } from './pass-or-convert.ts'

/** The maximum number of output tokens in the provider's request. */
export interface UpstreamMaximum {
  /** Maximum per choice, set by the gateway. Null if the client's value is kept, or if no maximum applies. */
  readonly imposed: number | null
  /**
   * Maximum over all choices, set by the client or the gateway. The hold is never extended beyond it. Null if the
   * request has no maximum. A stream is then extended as long as there is room.
   */
  readonly told: number | null
}

/** Imposes a clamped hold. Also imposes the default if the provider's wire or the application requires a maximum. */
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
