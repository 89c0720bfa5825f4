import { byteTextOf } from '#wire/text/byte-text.ts'
import { placesWith } from '#wire/positions-to-edit.ts'
import type { StoredConversation, StoredLength } from '#wire/stored-conversation-in-request.ts'
import { isFault, type WireRequest } from '#wire/wire-request.ts'
import { contextTokensMax } from './assumed-token-maxima.ts'
import { fetchedTokensUsual } from './input-bound.ts'

/**
 * Returns the request with the provider's ID of the stored conversation. The bounds include the length of the
 * conversation. In the bound for a target, the length counts only if it was counted for the target's model
 * (gateway/decide/maximum-usage-of-call.ts).
 */
export function withConversation(
  request: WireRequest,
  stored: StoredConversation,
  length: StoredLength,
): WireRequest {
  const { conversation, inputEstimate, mediaEstimate, places, run } = request
  if (conversation === undefined) return request
  const edit = { ...conversation.place, text: byteTextOf(JSON.stringify(stored.id)) }
  const estimate = length.tokens < contextTokensMax ? length.tokens : fetchedTokensUsual
  const dropped = run && !isFault(run.dropped) ? withConversation(run.dropped, stored, length) : run?.dropped
  return {
    ...request,
    conversation: { ...conversation, stored, length },
    inputEstimate: inputEstimate + estimate,
    // Only the provider has the conversation, so no count of a tokenizer can replace this part of the estimate.
    mediaEstimate: mediaEstimate + estimate,
    places: placesWith(places, [edit]),
    ...(run !== undefined && dropped !== undefined && { run: { ...run, dropped } }),
  }
}
