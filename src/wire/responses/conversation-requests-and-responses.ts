/**
 * Reads requests about conversations, and the provider's responses to these requests (docs/reference/wires.md
 * "Conversations").
 */
import { answerLimits } from '#wire/stream/frame-reader-interface.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import { kindOf, kinds, member, type Json } from '#wire/text/json-tape.ts'
import { splice } from '#wire/text/apply-edits.ts'
import type { ObjectIds } from '#wire/types-of-replaced-ids.ts'
import {
  faultOfJson,
  isGiven,
  mustBe,
  refuse,
  refuseForRoute,
  refuseTwice,
  requestLimits,
  spanOf,
  textAt,
  unlessRefused,
  type RequestBody,
  type RequestFault,
  type WireRequest,
} from '#wire/wire-request.ts'
import { boundInput } from './content-bound.ts'
import { containerEdits } from './code-containers.ts'

export interface ConversationItems {
  readonly kind: 'items'
  /** Upper bound for any model. Null if the bound is not known. */
  readonly tokensMax: number | null
  /** The part of `tokensMax` for content at URLs. Null if the part is not known. */
  readonly atAddressesMax: number | null
}

/**
 * Returns the items, or why the body cannot be sent. The items may not refer to state at the provider. The gateway
 * replaces the client's IDs of such state only in a request for a response.
 */
export function conversationItems(body: RequestBody): ConversationItems | RequestFault {
  const json = typeof body === 'string' ? parseJson(body, requestLimits) : body
  if ('reason' in json) return faultOfJson(json)
  return unlessRefused(() => {
    if (kindOf(json, 0) !== kinds.object) refuse('invalid_request', null, 'The body must be a JSON object.')
    const read = itemsIn(json)
    if (json.repeated !== null) refuseTwice(json.repeated, ' in one object')
    return read
  })
}

function itemsIn(json: Json): ConversationItems {
  const items = member(json, 0, 'items')
  if (!isGiven(json, items)) return { kind: 'items', tokensMax: 0, atAddressesMax: 0 }
  if (kindOf(json, items) !== kinds.array) mustBe('items', 'a list of items')
  const { containers, isCompacted, total } = boundInput(json, items, {
    tools: -1,
    hasSchema: false,
    kept: new Set(),
  })
  // The hold of a later request would not cover the compaction.
  if (isCompacted) refuseForRoute('items', compactedLater)
  if (total.files !== undefined || containers.uses.length > 0) refuseForRoute('items', unopened)
  const { audioTokensMax, images, textTokensMax } = total
  const atAddressesMax = tokensAtAddresses(total)
  if (atAddressesMax === null) return { kind: 'items', tokensMax: null, atAddressesMax }
  const tokensMax = textTokensMax + audioTokensMax + (images?.any ?? 0)
  return { kind: 'items', tokensMax, atAddressesMax }
}

export function tokensAtAddresses({
  fetched,
  hasImageAddress,
  images,
}: Pick<WireRequest, 'fetched' | 'hasImageAddress' | 'images'>): number | null {
  if (fetched !== undefined) return null
  return hasImageAddress === true ? (images?.any ?? 0) : 0
}

const compactedLater =
  'only requests for a response can ask for a compaction. Send compaction_trigger in the input of such a request'
const unopened =
  'only requests for a response can use files and containers by their IDs. Send the content itself'

/** Null if the text does not describe a conversation. */
export function conversationIdIn(text: ByteText): string | null {
  const json = parseJson(text, answerLimits)
  const id = 'reason' in json ? null : textAt(json, member(json, 0, 'id'))
  return id === null || id === '' || id.length > idLengthMax ? null : id
}

/** IDs of current vendors have at most 64 characters. */
const idLengthMax = 512

/**
 * Returns a description of a conversation or of its items, with the end user's IDs. Null if the text describes neither.
 */
export function readConversation(
  text: ByteText,
  { id, shown }: { readonly id: string; readonly shown: string },
  containers?: ObjectIds,
): ByteText | null {
  const json = parseJson(text, answerLimits)
  if ('reason' in json || kindOf(json, 0) !== kinds.object) return null
  const own = member(json, 0, 'id')
  return splice(text, [
    ...(textAt(json, own) === id ? [{ ...spanOf(json, own), text: byteTextOf(JSON.stringify(shown)) }] : []),
    ...(containers === undefined ? [] : containerEdits(json, 0, containers)),
  ])
}
