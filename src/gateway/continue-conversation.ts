import { unknownTokens } from '#domain/accounts/stored-conversation-lengths.ts'
import { Failure } from '#domain/errors.ts'
import type { ConversationUse } from '#wire/stored-conversation-in-request.ts'
import { withConversation } from '#wire/bound/add-stored-conversation-to-bounds.ts'
import { tokensAtAddresses } from '#wire/responses/conversation-requests-and-responses.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import type { AuthenticatedCall, ReservedCall } from '#gateway/call/call-state-types.ts'
import { ownerOf } from '#gateway/call/caller-of-request.ts'
import { isRejection, openedConversation } from '#gateway/call/use-of-stored-conversations.ts'
import { unknownObject } from '#gateway/call/unknown-object-failure.ts'
import type { CallEnd } from '#gateway/relay/end-of-call-at-provider.ts'
import { tryTargets } from '#gateway/relay/try-targets.ts'

const param = 'conversation'

/**
 * Decrypts the ID of the conversation that a request continues, and reads its length.
 * @throws Failure the same failure for an unknown ID and for an ID of another end user or application;
 *   `conversation_locked` if another call is continuing the conversation
 */
export async function continueConversation(
  call: Pick<AuthenticatedCall, 'caller' | 'ports'>,
  request: WireRequest,
  { id }: ConversationUse,
): Promise<WireRequest> {
  const stored = openedConversation(call, call.caller, id, param)
  const length = await call.ports.conversations.read(ownerOf(call.caller), id)
  if (length === 'locked') throw new Failure('conversation_locked', {}, { param })
  return withConversation(request, stored, length ?? unknownObject('conversation', id, param))
}

/**
 * The hold is based on the conversation's length before the lock. If the conversation has changed since then, the call
 * ends with `conversation_locked`.
 */
export async function relayInConversation(
  call: ReservedCall,
  { id, isWhole, length }: ConversationUse,
): Promise<CallEnd> {
  const { caller, ports, request } = call
  const { conversations, log } = ports
  const owner = ownerOf(caller)
  if (length === undefined) throw new Error('the length of a conversation is read before the hold')
  try {
    const atAddresses = tokensAtAddresses(request) ?? unknownTokens
    if (!(await conversations.lock(owner, id, length, { id: call.id, isWhole, atAddresses })))
      return failed(new Failure('conversation_locked', {}, { param }))
  } catch (cause) {
    // The store may have locked the conversation despite the error. The length of a locked conversation is unknown
    // after this call.
    return failed(new Failure('store_unavailable', { retryAfterSeconds: 1 }, { cause }))
  }
  const end = await tryTargets(call)
  // If the provider ran the call, the length is unknown, and the next hold covers the context window. Otherwise,
  // restore the length.
  if (isNotRun(call, end))
    await conversations
      .unlock(owner, id, length, call.id)
      .catch((err: unknown) => log.warn({ requestId: call.id, err }, 'a conversation could not be unlocked'))
  return end
}

function failed(failure: Failure): CallEnd {
  return { kind: 'failed', failure, used: null, spent: null }
}

function isNotRun({ attempts }: ReservedCall, end: CallEnd): boolean {
  return end.kind === 'failed' && end.used === null && attempts.every(({ status }) => isRejection(status))
}
