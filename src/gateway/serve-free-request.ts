import type { Arrival } from '#gateway/call/arrived-request-types.ts'
import { authenticate, authenticateAgain, keyFault } from '#gateway/arrive/authenticate.ts'
import { gatewayRulesFault } from '#gateway/arrive/check-gateway-restrictions.ts'
import { ClientDisconnected } from '#gateway/call/client-disconnected-error.ts'
import { failureOf } from '#gateway/end/reject-call.ts'
import { writeRefusal } from '#gateway/end/write-error-response.ts'
import { writeWhole, type FreeAnswer } from '#gateway/relay/write-response-to-client.ts'
import { timeOf, type Caller } from '#gateway/call/caller-of-request.ts'

/**
 * Serves a request that costs nothing, without a hold or a record. The configuration and the key are read from the
 * store, because no reserve would detect an outdated cache. Frozen end users may send free requests. A failure has the
 * same format as for a model call. Never rejects.
 * @param answerOf returns null if it has already written the response
 */
export async function serveFreeRequest(
  arrival: Arrival,
  answerOf: (caller: Caller) => FreeAnswer | Promise<FreeAnswer | null>,
): Promise<void> {
  let caller: Caller | null = null
  try {
    caller = await authenticateAgain(arrival, await authenticate(arrival))
    const fault =
      keyFault(caller.key, timeOf(caller, arrival.ports.clock.nowMs())) ?? gatewayRulesFault(arrival, caller)
    if (fault) throw fault
    const answer = await answerOf(caller)
    if (answer !== null) writeWhole(arrival, answer)
  } catch (cause) {
    if (cause instanceof ClientDisconnected || arrival.response.headersSent) arrival.response.destroy()
    else writeRefusal(arrival, failureOf(arrival, cause), caller)
  }
}
