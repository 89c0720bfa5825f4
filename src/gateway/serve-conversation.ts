import { firstState, unknownTokens, type AddedItems } from '#domain/accounts/stored-conversation-lengths.ts'
import { conversationKind, conversationsMax } from '#domain/accounts/files-stored-at-providers.ts'
import { Failure } from '#domain/errors.ts'
import {
  conversationIdIn,
  conversationItems,
  readConversation,
} from '#wire/responses/conversation-requests-and-responses.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { admitBody } from '#gateway/arrive/admit-body-by-request-head.ts'
import { callerFault } from '#gateway/arrive/authenticate.ts'
import { receive } from '#gateway/arrive/receive-body.ts'
import type { Arrival } from '#gateway/call/arrived-request-types.ts'
import { ownerOf, timeOf, type Caller } from '#gateway/call/caller-of-request.ts'
import { failureOfFault } from '#gateway/call/failure-of-request-fault.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import { isRejection, openedConversation } from '#gateway/call/use-of-stored-conversations.ts'
import { unknownObject } from '#gateway/call/unknown-object-failure.ts'
import { containerIdsOf, targetWithFile, uploadTarget } from '#gateway/call/use-of-stored-files.ts'
import { createAtProvider } from '#gateway/relay/create-recorded-object-at-provider.ts'
import { sendFreeRequest } from '#gateway/relay/send-free-request.ts'
import { upstreamError } from '#gateway/relay/failure-with-provider-error.ts'
import type { FreeAnswer } from '#gateway/relay/write-response-to-client.ts'
import { serveFreeRequest } from './serve-free-request.ts'

/**
 * Requests about conversations are free. The gateway stores who owns a conversation, so that it is deleted with its end
 * user.
 */
export function serveConversation(arrival: Arrival): Promise<void> {
  return serveFreeRequest(arrival, (caller) =>
    arrival.route.conversation?.id === undefined ? created(arrival, caller) : about(arrival, caller),
  )
}

async function created(arrival: Arrival, caller: Caller): Promise<FreeAnswer> {
  const { ports, response } = arrival
  const { clock, conversationTags, files } = ports
  const fault = callerFault(caller.key, timeOf(caller, clock.nowMs()))
  if (fault) throw fault
  const { body, items } = await bodyOf(arrival, caller)
  const model = response.req.headers['x-svc-model']
  const named = typeof model === 'string' ? model : null
  const plan = uploadTarget(arrival, caller, 'openai', named, 'conversations')
  const owner = ownerOf(caller)
  const begun = {
    ...owner,
    accountId: plan.source.account.id,
    format: 'openai',
    filename: '',
    kind: conversationKind,
    bytes: 0,
  } as const
  const begunId = await files.begin(begun, limits)
  if (begunId === null) throw full()
  const { answer, providerId } = await createAtProvider(files, begunId, () =>
    createdConversation(arrival, plan, body),
  )
  const id = conversationTags.tagOf(caller.key, { origin: plan.fileOrigin ?? '', id: providerId })
  const times = { createdAtMs: clock.nowMs(), expiresAtMs: null, removedAtMs: null }
  const conversation = { ...begun, id, providerId, ...times, lengthState: firstState(items) }
  if (!(await files.add(conversation, limits, begunId))) throw full()
  const read = readConversation(answer, { id: providerId, shown: id })
  if (read === null) throw upstreamError('its response cannot be read', plan)
  return { body: read }
}

/** @throws Failure if the provider creates no conversation, or if its ID cannot be read */
async function createdConversation(
  arrival: Arrival,
  plan: Plan,
  body: ByteText,
): Promise<{ readonly answer: ByteText; readonly providerId: string }> {
  const conversation = { method: 'POST', part: '' } as const
  const answer = await sendFreeRequest(arrival, plan, { conversation, query: '', body })
  const providerId = conversationIdIn(answer)
  if (providerId === null) throw upstreamError('its response cannot be read', plan)
  return { answer, providerId }
}

async function about(arrival: Arrival, caller: Caller): Promise<FreeAnswer> {
  const { ports, route } = arrival
  const { conversation: asked, query } = route
  if (asked?.id === undefined) throw new Error('the route has no conversation')
  const { id: shown, method, part } = asked
  const { id, origin } = openedConversation(arrival, caller, shown)
  const owner = ownerOf(caller)
  const record = (await ports.files.byId(owner, shown)) ?? unknownObject('conversation', shown)
  if (method === 'DELETE' && part === '') {
    await ports.files.remove(owner, record)
    const deleted = { id: shown, object: 'conversation.deleted', deleted: true }
    return { body: Buffer.from(JSON.stringify(deleted)) }
  }
  const plan = targetWithFile(arrival, caller, { origin }) ?? unknownObject('conversation', shown)
  const { body, items } = method === 'POST' ? await bodyOf(arrival, caller) : { body: '', items: noItems }
  const send = (): Promise<ByteText> =>
    sendFreeRequest(arrival, plan, { conversation: { method, id, part }, query, body })
  const answer = await (items.tokens === 0 ? send() : withItems(arrival, caller, items, send))
  const containers = containerIdsOf(ports.containerTags, caller.key, 'openai', plan)
  const read = readConversation(answer, { id, shown }, containers)
  if (read === null) throw upstreamError('its response cannot be read', plan)
  return { body: read }
}

/**
 * The stored length grows before the items are sent, because the provider may add them without a response.
 * @throws Failure `conversation_locked` if a call is continuing the conversation, and each failure of `send`
 */
async function withItems(
  { ports: { conversations, log }, route }: Arrival,
  caller: Caller,
  items: AddedItems,
  send: () => Promise<ByteText>,
): Promise<ByteText> {
  const owner = ownerOf(caller)
  const id = route.conversation?.id ?? ''
  const begun = await conversations.beginItems(owner, id, items)
  if (begun === 'missing') unknownObject('conversation', id)
  if (begun === 'locked') throw new Failure('conversation_locked')
  // If `endItems` fails, the stored length keeps the tokens of the items, and every later hold covers them.
  const end = (isAdded: boolean): Promise<void> =>
    conversations
      .endItems(owner, id, items, isAdded)
      .catch((err: unknown) => log.warn({ err }, 'the length of a conversation could not be stored'))
  try {
    const answer = await send()
    await end(true)
    return answer
  } catch (cause) {
    if (cause instanceof Failure && isRejection(cause.operatorDetails['upstreamStatus'])) await end(false)
    throw cause
  }
}

/**
 * The number of tokens is the maximum for the items.
 * @throws Failure if the body cannot be sent
 */
async function bodyOf(
  arrival: Arrival,
  caller: Caller,
): Promise<{ readonly body: ByteText; readonly items: AddedItems }> {
  const held = await admitBody(arrival, caller)
  try {
    const body = await receive(arrival, held)
    const read = conversationItems(body)
    if (read.kind === 'fault') throw failureOfFault(read)
    const { atAddressesMax, tokensMax } = read
    return {
      body: typeof body === 'string' ? body : body.text,
      items: { tokens: tokensMax ?? unknownTokens, atAddresses: atAddressesMax ?? unknownTokens },
    }
  } finally {
    held.giveBack()
  }
}

const noItems: AddedItems = { tokens: 0, atAddresses: 0 }

const limits = { filesMax: conversationsMax, fileBytesMax: Number.MAX_SAFE_INTEGER }

function full(): Failure {
  return new Failure('conversation_limit_reached', { conversations: conversationsMax })
}
