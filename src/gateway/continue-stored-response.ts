import { Failure } from '#domain/errors.ts'
import type { StoredState } from '#domain/secrets/ids-of-stored-responses.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { continuing } from '#wire/continued-stored-response.ts'
import { tokensOfStored } from '#wire/responses/non-streaming-response.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import { authenticateAgain, callerFault } from '#gateway/arrive/authenticate.ts'
import type { AuthenticatedCall } from '#gateway/call/call-state-types.ts'
import { timeOf } from '#gateway/call/caller-of-request.ts'
import { openBackground, openedState, ownedResponse, unknown } from '#gateway/call/use-of-stored-responses.ts'
import { sendFreeRequest } from '#gateway/relay/send-free-request.ts'

const param = 'previous_response_id'

/**
 * Adds the tokens of the stored response to the request's maximum input. The ID of a non-streaming response contains
 * their number. The ID of a streamed response is sent before the number is known. For such an ID, the gateway requests
 * the number from the provider, free of charge.
 * @throws Failure
 */
export function continueResponse(
  call: AuthenticatedCall,
  request: WireRequest,
): WireRequest | Promise<WireRequest> {
  const { previous } = request
  if (previous === undefined) return request
  const state = openedState(call, call.caller, previous.id, param)
  const { alias, id, origin, tokens } = state
  if (tokens !== null) return continuing(request, { alias, id, origin, tokens })
  return withLength(call, request, state)
}

async function withLength(
  call: AuthenticatedCall,
  request: WireRequest,
  state: StoredState,
): Promise<WireRequest> {
  const { alias, id, origin } = state
  const told = tokensOfStored(await answerAbout(call, state))
  if (told !== null) return continuing(request, { alias, id, origin, tokens: told })
  const reason =
    'the provider of this model reports no usage of the response, so the size of the conversation is not known. Send the conversation as items of input'
  throw new Failure('unsupported_for_route', { reason }, { param })
}

async function answerAbout(call: AuthenticatedCall, state: StoredState): Promise<ByteText> {
  // This request to the provider is free, so no reserve detects an outdated cache before it.
  const caller = await authenticateAgain(call, call.caller)
  const fault = callerFault(caller.key, timeOf(caller, call.ports.clock.nowMs()))
  if (fault) throw fault
  try {
    const { plan } = ownedResponse(call, caller, state)
    const stored = { method: 'GET', id: state.id, part: '' } as const
    const answer = await sendFreeRequest(call, plan, { stored, query: '' })
    // Settle the call if its response has ended. The client may have several IDs of one response, and not every ID
    // names the call.
    const open = await openBackground(call, caller, state)
    if (open !== null) await call.background.settleIfOver(open, answer)
    return answer
  } catch (cause) {
    // A deleted response and an unknown ID cause the same error.
    if (cause instanceof Failure && cause.code === 'response_not_found') unknown(param)
    throw cause
  }
}
