import type { Reservation } from '#domain/ledger.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import type { Plan } from '#gateway/call/model-name-targets.ts'
import type { Dispatch, UpstreamMaximum } from '#gateway/call/routed-targets.ts'

/**
 * Returns the maximum number of output tokens to send to the provider. If the hold was reduced, sends the reduced
 * maximum. Sends the default if the provider's wire or the application requires a maximum.
 */
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
