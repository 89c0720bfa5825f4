/**
 * Reads requests that create cached content or change its expiry, and the responses to these requests
 * (docs/reference/wires.md "Cached content").
 */
import { unitsMax, zeroUsage, type Usage } from '#money/usage-counts.ts'
import { tokenHours, type Caching } from '#wire/cached-content-use-types.ts'
import { modelAt } from '#wire/model-name.ts'
import type { KeptKinds } from '#wire/remove-provider-tools.ts'
import type { ProviderIds } from '#wire/types-of-replaced-ids.ts'
import type { WholeAnswer } from '#wire/stream/answer-stream-interface.ts'
import { svcAt } from '#wire/svc-settings-in-requests.ts'
import { noMaximum, noOutput } from '#wire/shared-parsing-of-tasks-without-output.ts'
import { byteTextOf, type ByteText } from '#wire/text/byte-text.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import { kindOf, kinds, member, valueAt, type Json } from '#wire/text/json-tape.ts'
import { objectOf } from '#wire/text/json-values.ts'
import { nameSet } from '#wire/text/set-of-field-names.ts'
import { removals } from '#wire/text/removal-edits.ts'
import { splice, type Edit } from '#wire/text/apply-edits.ts'
import {
  isGiven,
  mustBe,
  refuse,
  refuseForRoute,
  requestIn,
  spanOf,
  textAt,
  type RequestBody,
  type RequestFault,
  type WireRequest,
} from '#wire/wire-request.ts'
import { Fields } from './fields-in-either-spelling.ts'
import { boundInput } from './parse-request.ts'
import { refuseProviderTools } from './remove-provider-tools.ts'

/** @param id content whose expiry changes; empty to create content */
export function parseCachedContent(body: RequestBody, id: string): WireRequest | RequestFault {
  return requestIn(body, (json) => (id === '' ? creation(json) : change(json, id)))
}

function creation(json: Json): WireRequest {
  const fields = new Fields(json, 0)
  const named = modelAt(json, fields.at('model'))
  for (const [name, reason] of refusedFields) if (isGiven(json, fields.at(name))) refuseForRoute(name, reason)
  refuseProviderTools(json, fields.at('tools'), noKinds)
  return {
    ...noOutput,
    wire: 'generate',
    text: json.text,
    model: named.replace(/^models\//, ''),
    ...svcAt(json, fields.at('svc')),
    ...boundInput(json, fields, null, settings),
    places: {
      model: spanOf(json, fields.at('model')),
      modelPrefix: 'models/',
      maxima: [],
      newMaximum: noMaximum(json),
      always: removals(json, 0, fields.keys.has('svc') ? [fields.keys.get('svc') ?? -1] : []),
    },
    caching: { id: null, lifetime: lifetimeAt(json, fields) ?? { ttlMs: ttlMsUsual } },
  }
}

function change(json: Json, id: string): WireRequest {
  const fields = new Fields(json, 0)
  for (const name of fields.keys.keys())
    if (name !== 'ttl' && name !== 'expireTime')
      refuse('invalid_request', name, 'Only ttl and expireTime of cached content can be changed.')
  const lifetime = lifetimeAt(json, fields)
  if (lifetime === null) mustBe('ttl', 'a time such as 300s')
  return {
    ...noOutput,
    wire: 'generate',
    text: json.text,
    // The model name is in the ID of the cached content, which the gateway decrypts later.
    model: '',
    ...svcAt(json, -1),
    textTokensMax: 0,
    audioTokensMax: 0,
    images: null,
    documents: null,
    hasTools: false,
    hasSchema: false,
    inputEstimate: 0,
    mediaEstimate: 0,
    prose: { tokensMax: 0, text: '' },
    media: [],
    places: { model: null, maxima: [], newMaximum: noMaximum(json), always: [] },
    caching: { id, lifetime },
  }
}

const noKinds: KeptKinds = new Set()

const refusedFields: ReadonlyMap<string, string> = new Map([
  ['name', 'the gateway chooses the name of cached content. Omit the field'],
  ['encryptionSpec', 'the key would belong to the provider account. Omit the field'],
])

const settings = nameSet('model svc ttl expireTime displayName')

const ttlMsUsual = 3_600_000

function lifetimeAt(json: Json, fields: Fields): Caching['lifetime'] | null {
  const [ttl, expireTime] = [fields.at('ttl'), fields.at('expireTime')]
  if (isGiven(json, ttl) && isGiven(json, expireTime))
    refuse('invalid_request', 'ttl', 'The fields ttl and expireTime cannot both be set.')
  if (isGiven(json, ttl)) {
    const text = textAt(json, ttl) ?? ''
    return duration.test(text)
      ? { ttlMs: Math.ceil(Number(text.slice(0, -1)) * 1000) }
      : mustBe('ttl', 'a time in seconds such as 300s')
  }
  if (!isGiven(json, expireTime)) return null
  const expiresAtMs = Date.parse(textAt(json, expireTime) ?? '')
  return Number.isNaN(expiresAtMs) ? mustBe('expireTime', 'a time in RFC 3339 format') : { expiresAtMs }
}

const duration = /^\d{1,9}(?:\.\d{1,9})?s$/

/**
 * Writes the client's name and model name into the description of cached content.
 * @returns null if the text is no such description, or lacks the number of tokens
 */
export function readCachedContent(
  text: ByteText,
  { audioTokensMax, caching, fetched, images, model }: WireRequest,
  ids: ProviderIds | undefined,
): WholeAnswer | null {
  const json = parseJson(text)
  const opened = caching?.opened
  if ('reason' in json || kindOf(json, 0) !== kinds.object || opened === undefined) return null
  const at = (name: string): number => member(json, 0, name)
  const name = textAt(json, at('name')) ?? ''
  const { totalTokenCount: told } = objectOf(
    at('usageMetadata') < 0 ? null : valueAt(json, at('usageMetadata')),
  )
  const { paidMs, stored } = opened
  const tokens = stored?.tokens ?? told
  if (!contentName.test(name) || !isCount(tokens) || (stored !== null && stored.name !== name)) return null
  const caches = ids?.caches
  const isFetchedSound = fetched === 'any' && caches?.isSoundDearer === true
  // If the provider fetched content, all tokens count as the most expensive medium that the content may contain.
  const imagesMax = fetched === undefined || isFetchedSound ? (images?.google ?? 0) : tokens
  const audioTokens = Math.min(tokens, isFetchedSound ? tokens : audioTokensMax)
  const imageTokens = Math.min(tokens - audioTokens, imagesMax)
  const id = caching?.id ?? caches?.idOf({ name, tokens, audioTokens, imageTokens }) ?? null
  if (id === null) return null
  // The response states one token count for all media. Charge as many of these tokens as possible as sound, then as
  // images, and all others as text.
  const read =
    stored !== null
      ? {}
      : { input: tokens - audioTokens - imageTokens, audioInput: audioTokens, imageInput: imageTokens }
  const usage: Usage = { ...zeroUsage, ...read, cacheTokenHours: tokenHours(tokens, paidMs) }
  const written = (field: string, value: string): Edit[] =>
    at(field) < 0 ? [] : [{ ...spanOf(json, at(field)), text: byteTextOf(JSON.stringify(value)) }]
  return {
    usage,
    hasReportedUsage: true,
    outputTokens: 0,
    hasNoOutput: true,
    body: splice(text, [...written('name', cachedContents + id), ...written('model', `models/${model}`)]),
    cached: { id, name, displayName: textAt(json, at('displayName')) ?? '' },
  }
}

const cachedContents = 'cachedContents/'
const contentName = /^cachedContents\/[\w-]{1,256}$/

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= unitsMax
}
