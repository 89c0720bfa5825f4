import { admitBody } from '#gateway/arrive/admit-body.ts'
import type { Arrival } from '#gateway/arrive/arrival.ts'
import { authenticate, keyFault, timeOf } from '#gateway/arrive/authenticate.ts'
import { letIn } from '#gateway/arrive/gateway-rules.ts'
import type { HeldBody } from '#gateway/arrive/body-intake.ts'
import { parseBody } from '#gateway/arrive/parse-body.ts'
import { receive } from '#gateway/arrive/receive-body.ts'
import { reserve } from '#gateway/decide/reserve.ts'
import { conclude } from '#gateway/end/conclude.ts'
import { refuse } from '#gateway/end/refuse.ts'
import { tryTargets } from '#gateway/relay/try-targets.ts'
import { openCall } from './open-call.ts'

/**
 * Serves a call in these steps: authenticate, receive, parse, reserve, call the provider, meter, settle. The reserve
 * also checks the name and the bundle, on one configuration. Money moves only in `reserve` and `conclude`. Never
 * rejects: every outcome sends a response.
 */
export async function serveCall(arrival: Arrival): Promise<void> {
  const call = openCall(arrival)
  let held: HeldBody | null = null
  try {
    call.caller = await authenticate(call)
    // Revoked and expired are final states, so a cached fault is correct. The reserve finds the faults that the cache
    // lacks.
    const fault = keyFault(call.caller.key, timeOf(call.caller, call.ports.clock.nowMs()))
    if (fault) throw fault
    if (call.caller.config.gateway !== null) call.caller = await letIn(call, call.caller)
    held = await admitBody(call, call.caller)
    const body = await receive(call, held)
    call.request = await parseBody(call, call.caller, body)
    call.readMonotonicMs = call.ports.clock.monotonicMs()
    call.reserved = await reserve(call, call.request)
    const end = await tryTargets(call, call.request, call.reserved)
    await conclude(call, call.caller, call.reserved, end)
  } catch (cause) {
    await refuse(call, cause)
  } finally {
    held?.giveBack()
  }
}
