import type { BackgroundCall } from '#domain/background/background-holds-interface.ts'
import { Failure } from '#domain/errors.ts'
import type { StoredRequest } from '#domain/provider-upstream-interface.ts'
import { readStored } from '#wire/responses/non-streaming-response.ts'
import { openStoredStream } from '#wire/responses/stored-stream.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { Arrival } from '#gateway/call/arrived-request-types.ts'
import type { Caller } from '#gateway/call/caller-of-request.ts'
import { conversationIdsOf } from '#gateway/call/use-of-stored-conversations.ts'
import { containerIdsOf } from '#gateway/call/use-of-stored-files.ts'
import {
  openBackground,
  openedState,
  OwnedIds,
  ownedResponse,
} from '#gateway/call/use-of-stored-responses.ts'
import { sendFreeRequest } from '#gateway/relay/send-free-request.ts'
import { upstreamError } from '#gateway/relay/failure-with-provider-error.ts'
import type { FreeAnswer } from '#gateway/relay/write-response-to-client.ts'
import { serveFreeRequest } from './serve-free-request.ts'
import { streamStoredResponse } from './stream-stored-response.ts'

/**
 * Requests about stored responses are free. If a background response has ended, the call is settled before the client
 * sees the provider's report.
 */
export function serveStoredResponse(arrival: Arrival): Promise<void> {
  return serveFreeRequest(arrival, (caller) => stored(arrival, caller))
}

async function stored(arrival: Arrival, caller: Caller): Promise<FreeAnswer | null> {
  const { ports, route } = arrival
  if (route.stored === undefined) throw new Error('the route has no stored response')
  const shown = route.stored.id
  const { plan, state } = ownedResponse(arrival, caller, openedState(arrival, caller, shown))
  const { alias, id } = state
  const send = (request: Omit<StoredRequest, 'id'>, query = ''): Promise<ByteText> =>
    sendFreeRequest(arrival, plan, { stored: { ...request, id }, query })
  const { isStream, method, part } = route.stored
  const open = await openBackground(arrival, caller, state)
  const containers = containerIdsOf(ports.containerTags, caller.key, 'openai', plan)
  const conversations = conversationIdsOf(ports.conversationTags, caller.key, plan)
  const ids = {
    responses: new OwnedIds(ports.stateTags, caller.key, state, { id, shown }),
    ...(containers && { containers }),
    ...(conversations && { conversations }),
  }
  if (isStream === true) {
    const request = { ...route.stored, id }
    await streamStoredResponse(
      arrival,
      { plan, stored: request, query: route.query, open },
      openStoredStream(alias, ids),
    )
    return null
  }
  if (open !== null && method === 'DELETE') await end(arrival, open, send)
  const answer = await send({ method, part }, route.query)
  if (open !== null && method !== 'DELETE' && part !== '/input_items')
    await arrival.background.settleIfOver(open, answer)
  const body = readStored(answer, alias, ids)
  if (body === null) throw upstreamError('its response cannot be read', plan)
  return { body }
}

/**
 * The provider reports no usage of a deleted response, so a background response is canceled and settled first.
 * @throws Failure if the provider does not cancel the response
 */
async function end(
  { background }: Arrival,
  open: BackgroundCall,
  send: (request: Omit<StoredRequest, 'id'>) => Promise<ByteText>,
): Promise<void> {
  if (await background.settleIfOver(open, await send({ method: 'GET', part: '' }))) return
  if (await background.settleIfOver(open, await send({ method: 'POST', part: '/cancel' }))) return
  const reason =
    'The response is still being generated. Cancel the response, and delete it after generation has ended'
  throw new Failure('invalid_request', { reason })
}
