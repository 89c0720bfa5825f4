import type { Arrival } from '#gateway/call/arrival.ts'
import { authenticate, authenticateAgain, keyFault } from '#gateway/arrive/authenticate.ts'
import { gatewayRulesFault } from '#gateway/arrive/gateway-rules.ts'
import { ClientGone } from '#gateway/call/client-gone.ts'
import { failureOf } from '#gateway/end/refuse.ts'
import { writeRefusal } from '#gateway/end/write-failure.ts'
import { writeWhole } from '#gateway/relay/write-response.ts'
import { timeOf, type Caller } from '#gateway/call/caller.ts'

/** A complete response: JSON as byte text or bytes, and its own headers as names and values in turn. */
export interface FreeAnswer {
  readonly body: string | Buffer
  readonly headers?: readonly string[]
}

/**
 * Sends a response that costs nothing, without a hold or a record. No reserve follows that would detect stale data, so
 * the configuration and key are read again and checked here. A frozen end user may use it. Never rejects: a failure
 * gets the same response as the failure of a call with this key.
 */
export async function serveFree(
  arrival: Arrival,
  answerOf: (caller: Caller) => FreeAnswer | Promise<FreeAnswer>,
): Promise<void> {
  let caller: Caller | null = null
  try {
    caller = await authenticateAgain(arrival, await authenticate(arrival))
    const fault =
      keyFault(caller.key, timeOf(caller, arrival.ports.clock.nowMs())) ?? gatewayRulesFault(arrival, caller)
    if (fault) throw fault
    const { body, headers } = await answerOf(caller)
    writeWhole(arrival, body, headers)
  } catch (cause) {
    if (cause instanceof ClientGone) arrival.response.destroy()
    else writeRefusal(arrival, failureOf(arrival, cause), caller)
  }
}
