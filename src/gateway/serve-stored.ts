import { readStored } from '#wire/responses/non-streaming-response.ts'
import type { Arrival } from '#gateway/call/arrival.ts'
import type { Caller } from '#gateway/call/caller.ts'
import { openedState, OwnedIds, ownedResponse } from '#gateway/call/stored-responses.ts'
import { sendFreeRequest } from '#gateway/relay/send-free-request.ts'
import { upstreamError } from '#gateway/relay/upstream-failure.ts'
import { serveFreeRequest, type FreeAnswer } from './serve-free-request.ts'

/**
 * Reads, deletes or cancels a response that the provider stores for the caller, or lists its input items. The request
 * is free, and the gateway stores nothing about it.
 */
export function serveStored(arrival: Arrival): Promise<void> {
  return serveFreeRequest(arrival, (caller) => stored(arrival, caller))
}

async function stored(arrival: Arrival, caller: Caller): Promise<FreeAnswer> {
  const { ports, route } = arrival
  if (route.stored === undefined) throw new Error('the route has no stored response')
  const shown = route.stored.id
  const { plan, state } = ownedResponse(arrival, caller, openedState(arrival, caller, shown))
  const { alias, id } = state
  const answer = await sendFreeRequest(arrival, plan, { stored: { ...route.stored, id }, query: route.query })
  const body = readStored(answer, alias, new OwnedIds(ports.stateTags, caller.key, state, { id, shown }))
  if (body === null) throw upstreamError('its response cannot be read', plan)
  return { body }
}
