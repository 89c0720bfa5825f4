import { byteTextOf } from '#wire/text/byte-text.ts'
import { placesWith } from '#wire/request-places.ts'
import type { StoredConversation } from '#wire/conversation-use.ts'
import { isFault, type WireRequest } from '#wire/wire-request.ts'

/** Returns the request with the provider's ID of its conversation. */
export function withConversation(request: WireRequest, stored: StoredConversation): WireRequest {
  const { conversation, places, run } = request
  if (conversation === undefined) return request
  const edit = { ...conversation.place, text: byteTextOf(JSON.stringify(stored.id)) }
  const dropped = run && !isFault(run.dropped) ? withConversation(run.dropped, stored) : run?.dropped
  return {
    ...request,
    conversation: { ...conversation, stored },
    places: placesWith(places, [edit]),
    ...(run !== undefined && dropped !== undefined && { run: { ...run, dropped } }),
  }
}
