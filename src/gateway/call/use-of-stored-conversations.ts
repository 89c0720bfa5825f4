/**
 * A request that continues a stored conversation goes to the account that stores it
 * (docs/decisions/2026-11-29-stored-conversations.md).
 */
import type { Account } from '#domain/billing/money-account-key.ts'
import { Failure } from '#domain/errors.ts'
import type { AccountObject } from '#domain/secrets/ids-of-objects-at-accounts.ts'
import type { ConversationTags } from '#domain/secrets/ids-of-conversations.ts'
import type { ConversationUse } from '#wire/stored-conversation-in-request.ts'
import type { ObjectIds } from '#wire/types-of-replaced-ids.ts'
import type { Arrival } from './arrived-request-types.ts'
import type { Caller } from './caller-of-request.ts'
import type { Plan } from './targets-of-model-name.ts'
import { unknownObject } from './unknown-object-failure.ts'

/** @throws Failure with the same error for an unknown ID as for an ID of another end user or application */
export function openedConversation(
  { ports }: Pick<Arrival, 'ports'>,
  { key }: Caller,
  text: string,
  param?: string,
): AccountObject {
  return ports.conversationTags.open(key, text) ?? unknownObject('conversation', text, param)
}

/**
 * Whether the status means that the provider certainly changed nothing. After any other failure, the provider may still
 * add items to the conversation.
 */
export function isRejection(status: unknown): boolean {
  return typeof status === 'number' && status >= 400 && status < 500 && status !== 408
}

export function otherConversationFault({ stored }: ConversationUse, { fileOrigin }: Plan): Failure | null {
  if (stored !== undefined && stored.origin === fileOrigin) return null
  const reason =
    'the conversation is stored at another account. Use a model name of that account, or send the conversation as items of input'
  return new Failure('unsupported_for_route', { reason }, { param: 'conversation' })
}

/** Undefined if the target's account stores no conversations. */
export function conversationIdsOf(
  tags: ConversationTags,
  owner: Account,
  { fileOrigin: origin }: Plan,
): ObjectIds | undefined {
  return origin === null ? undefined : { idOf: (id) => tags.tagOf(owner, { origin, id }) }
}
