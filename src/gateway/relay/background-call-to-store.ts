import type { BackgroundCall } from '#domain/background/background-holds-interface.ts'
import type { ReservedCall } from '#gateway/call/call-state-types.ts'
import { timeOf } from '#gateway/call/caller-of-request.ts'

/**
 * Returns what is needed to settle the call after its client has disconnected.
 * @param responseId the provider's ID of the response
 */
export function backgroundCall(call: ReservedCall, responseId: string, trace: string): BackgroundCall {
  const { applicationId, caller, firstByteMs, id, ports, request, reserved, startedAtMs } = call
  const { endUserId, keyId, mode } = caller.key
  return {
    callId: id,
    applicationId,
    endUserId,
    mode,
    keyId,
    quote: reserved.plan.quote,
    bound: reserved.hold.bound,
    target: reserved.plan.target,
    reservedAtMs: timeOf(caller, startedAtMs),
    inputEstimate: request.inputEstimate,
    checkpoint: null,
    response: {
      id: responseId,
      isStreamed: request.isStream,
      deadlineMs: startedAtMs + ports.limits.background.deadlineMs,
      firstByteMs,
      trace,
    },
  }
}
