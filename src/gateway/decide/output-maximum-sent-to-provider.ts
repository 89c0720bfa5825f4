import type { Reservation } from '#domain/ledger-interface.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import type { Dispatch, UpstreamMaximum } from '#gateway/call/routed-target-types.ts'

/**
 * Returns the maximum number of output tokens for the request to the provider. If the hold was reduced, returns the
 * reduced maximum. If the client sets no maximum, but the provider's wire or the application requires one, returns the
 * default maximum. If the client sets no maximum for a response in the background, returns the maximum that the hold
 * covers. In all other cases, keeps the client's own maximum.
 */
export function upstreamMaximum(
  { isClamped, outputTokensPerChoice }: Reservation,
  { choices, isBackground, outputTokensMax: asked }: WireRequest,
  { needsMaximum }: Dispatch,
  { isMaximumImposed, outputTokensDefault, outputTokensMax }: Plan,
): UpstreamMaximum {
  const isNeeded = needsMaximum || ((isMaximumImposed || isBackground === true) && asked === null)
  const needed = isNeeded ? (isBackground === true ? outputTokensMax : outputTokensDefault) : null
  const imposed = isClamped ? outputTokensPerChoice : needed
  const perChoice = imposed ?? asked
  return { imposed, told: perChoice === null ? null : perChoice * choices }
}
