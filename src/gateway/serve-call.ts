import { admitBody } from '#gateway/arrive/admit-body-by-request-head.ts'
import { authenticate, keyFault } from '#gateway/arrive/authenticate.ts'
import { letIn } from '#gateway/arrive/check-gateway-restrictions.ts'
import { receive } from '#gateway/arrive/receive-body.ts'
import type { Arrival } from '#gateway/call/arrived-request-types.ts'
import type { HeldBody } from '#gateway/overload/limit-memory-of-bodies.ts'
import { authenticated, openCall, parsed } from '#gateway/call/call-state-types.ts'
import { timeOf } from '#gateway/call/caller-of-request.ts'
import { reserve } from '#gateway/decide/reserve-or-wait-for-held-money.ts'
import { conclude } from '#gateway/end/settle-before-last-byte.ts'
import { refuse } from '#gateway/end/reject-call.ts'
import { tryTargets } from '#gateway/relay/try-targets.ts'
import { keepCachedContent } from './serve-cached-contents.ts'
import { relayInConversation } from './continue-conversation.ts'
import { keepCreatedFiles } from './serve-container.ts'
import { readingAgain, readRequest } from './parse-request-with-tool-rules.ts'

/**
 * A call is authenticated, received, parsed, reserved, sent to the provider, metered and settled. The reserve also
 * checks the model name and the bundle, with the same configuration. `reserve` takes the hold. `conclude` settles or
 * releases it, unless the response continues in the background. The promise never rejects, because a response is sent
 * for every outcome.
 *
 * Most steps need no I/O and then return synchronously, because each `await` costs memory and a turn of the microtask
 * queue.
 */
export async function serveCall(arrival: Arrival): Promise<void> {
  const call = openCall(arrival)
  let held: HeldBody | null = null
  try {
    const caller = authenticate(call)
    const known = authenticated(call, caller instanceof Promise ? await caller : caller)
    // A revoked or expired key never becomes valid again, so the cached key is enough for a rejection. The reserve
    // rejects keys that were revoked after they were cached.
    const fault = keyFault(known.caller.key, timeOf(known.caller, call.ports.clock.nowMs()))
    if (fault) throw fault
    const allowed = letIn(known, known.caller)
    known.caller = allowed instanceof Promise ? await allowed : allowed
    const admitted = admitBody(known, known.caller)
    held = admitted instanceof Promise ? await admitted : admitted
    const received = receive(known, held)
    const body = received instanceof Promise ? await received : received
    const read = readRequest(known, body)
    const request = read instanceof Promise ? await read : read
    const asked = parsed(known, request, readingAgain(known, body, request))
    const reserved = await reserve(asked)
    const { conversation } = reserved.request
    const end = await (conversation === undefined
      ? tryTargets(reserved)
      : relayInConversation(reserved, conversation))
    if (reserved.createdFiles !== null) await keepCreatedFiles(reserved, reserved.createdFiles)
    await conclude(reserved, request.caching === undefined ? end : await keepCachedContent(reserved, end))
  } catch (cause) {
    // A call is the same object in all its states, so `call` has every field that the steps have set.
    await refuse(call, cause)
  } finally {
    held?.giveBack()
  }
}
