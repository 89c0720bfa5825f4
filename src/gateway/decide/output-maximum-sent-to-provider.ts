import type { Reservation } from '#domain/ledger-interface.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import type { Dispatch, UpstreamMaximum } from '#gateway/call/routed-target-types.ts'

/**
 * Returns the maximum output to send:
 *
 * - If the hold was reduced, the reduced maximum.
 * - If the client sets none, but the provider's wire or the application requires one, the default.
 * - If the client sets none for a background response, the maximum that the hold covers.
 * - If the provider's wire rejects the client's maximum as too small, the smallest maximum that the wire accepts.
 * - Otherwise, the client's own maximum.
 */
export function upstreamMaximum(
  { isClamped, outputTokensPerChoice }: Reservation,
  { choices, isBackground, outputTokensMax: stated }: WireRequest,
  { needsMaximum, outputTokensRaised }: Dispatch,
  { isMaximumImposed, outputTokensDefault, outputTokensMax }: Plan,
): UpstreamMaximum {
  const asked = outputTokensRaised ?? stated
  const isNeeded = needsMaximum || ((isMaximumImposed || isBackground === true) && asked === null)
  const needed = isNeeded ? (isBackground === true ? outputTokensMax : outputTokensDefault) : null
  const imposed = isClamped ? outputTokensPerChoice : needed
  const perChoice = imposed ?? asked
  return { imposed, told: perChoice === null ? null : perChoice * choices }
}
