import { byteTextOf } from '#wire/text/byte-text.ts'
import { placesWith } from './added-edits.ts'
import { isFault, type WireRequest } from './wire-request.ts'

/** A conversation that a provider stores, and to which the request adds its input and its response. */
export interface ConversationUse {
  /** The ID that the client sent, and its position. */
  readonly id: string
  readonly place: { readonly start: number; readonly end: number }
  /** Absent until the gateway has opened the ID. */
  readonly stored?: StoredConversation
}

export interface StoredConversation {
  /** The provider's ID. */
  readonly id: string
  /** Identifies the account that stores the conversation. */
  readonly origin: string
}

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
