import { byteTextOf, textOf, type ByteText } from '#wire/text/byte-text.ts'
import { parseObject, type JsonObject } from '#wire/text/json-values.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import {
  after,
  endOf,
  inside,
  kindOf,
  kinds,
  numberAt,
  startOf,
  stringAt,
  valueOf,
} from '#wire/text/json-tape.ts'
import type { JsonFault, JsonLimits } from '#wire/text/json-limits.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'
import type { Uses } from '#money/price.ts'
import { limitEdits, type RunTools, type ToolKind } from './kinds-of-provider-tools.ts'
import type {
  DocumentTokens,
  FetchedMedium,
  ImageTokens,
  SoundTokens,
  VideoTokens,
} from './media-token-types.ts'
import { rejectsThoughts, type FormatName, type OpenaiDialect } from './names-of-wires-and-tasks.ts'
import type { PathFacts } from './facts-in-request-path.ts'
import type { InvokeFacts } from './invoke/body-families.ts'
import type { CohereV1Facts } from './cohere-v1/turn-types.ts'
import type { PreviousResponse } from './types-of-replaced-ids.ts'
import type { CodeFile, FileUse } from './file-use-types.ts'
import type { CacheUse, Caching } from './cached-content-use-types.ts'
import type { ContainerUse } from './container-use-types.ts'
import type { ConversationUse } from './stored-conversation-in-request.ts'
import { splice, type Edit, type Insertion } from '#wire/text/apply-edits.ts'
import type { Steps } from '#wire/text/computation-with-pauses.ts'
import type { BodyValues } from './large-body-values-type.ts'

/** `withChoice` is for clients that read the first choice of each chunk, even of the usage chunk. */
export type UsageWish = boolean | 'withChoice'

/**
 * A request on any wire: the facts that the gateway needs, and the positions of the few values that the gateway may
 * change. If the provider uses another wire, the whole body is converted (neutral-format.ts); otherwise, all other
 * bytes are kept.
 */
export interface WireRequest
  extends SoundTokens, VideoTokens, InvokeFacts, CohereV1Facts, Pick<PathFacts, 'version'> {
  readonly wire: FormatName
  readonly text: ByteText
  readonly model: string
  readonly isStream: boolean
  /** Set if the provider generates the response even if no client waits for it (`background` of responses). */
  readonly isBackground?: true
  /** Chat: whether the client gets the usage chunk. Responses of other wires always contain the usage. */
  readonly wantsUsage: UsageWish
  /** Generate: whether the stream is one JSON array instead of events. */
  readonly isJsonArray: boolean
  /** The client's maximum output per choice. Null if the client sets no maximum. */
  readonly outputTokensMax: number | null
  readonly choices: number
  readonly serviceTier: string | null
  /** Whether generated speech is permitted. Null if the request leaves the choice to the model. */
  readonly asksForAudio: boolean | null
  /** Whether generated images are permitted. Null if the request leaves the choice to the model. */
  readonly asksForImages: boolean | null
  readonly outcome: { readonly slug: string; readonly runId: string } | null
  /** A `sticky` router sends all requests of a session to one target. */
  readonly session: string | null
  /** Distinct tags of the body (`svc.tags`), which the application may not know. */
  readonly tags: readonly string[]
  /** Set by `svc.report`. The header `x-svc-report` can also request a report of the charge. */
  readonly wantsReport: boolean
  /** Maximum input tokens, without the provider's text (docs/reference/tokens.md "Upper bound of the input tokens"). */
  readonly textTokensMax: number
  readonly audioTokensMax: number
  /** Null if the request has no images. */
  readonly images: ImageTokens | null
  /** Maximum billable units other than tokens, such as search units. Absent if the provider bills only tokens. */
  readonly uses?: Uses
  /** The usual units, which are charged if the provider reports none. Absent if equal to `uses`. */
  readonly usualUses?: Uses
  /** The part of `textTokensMax` for documents whose data is in the request. */
  readonly documents: DocumentTokens | null
  /** Some providers add text to the prompt of a request with tools. */
  readonly hasTools: boolean
  readonly hasSchema: boolean
  /** Turns or items, whose framing `textTokensMax` includes. */
  readonly turns?: number
  /** The part of `textTokensMax` for keywords that some models do not read (bound/schema-keywords.ts). */
  readonly keywordTokens?: number
  /** The part of `textTokensMax` for thought signatures, which some models do not read. */
  readonly signatureTokens?: number
  /**
   * The estimate is based on bytes, and is usually too high. The estimate is charged if no usage is reported and the
   * tokenizer cannot count the input (gateway/relay/estimate-input-tokens.ts).
   */
  readonly inputEstimate: number
  /** The part of `inputEstimate` for images, audio, documents, and text that the provider adds. */
  readonly mediaEstimate: number
  /**
   * `text` is the body without its media. `tokensMax` is the part of `textTokensMax` for `text`. A tokenizer may count
   * fewer tokens (gateway/decide/input-bound-by-tokenizer.ts).
   */
  readonly prose: { readonly tokensMax: number; readonly text: ByteText }
  /** Positions of long base64 media with their quotes, which no conversion reads. */
  readonly media: readonly Span[]
  readonly values?: BodyValues
  readonly places: Places
  /** The content type of a body that is not JSON. */
  readonly contentType?: string
  /** The media type of a response that is neither JSON nor an event stream. */
  readonly responseType?: string
  /** Removed parts, under their names on the client's wire. */
  readonly lost?: readonly string[]
  /** In the order of `lost`. Null for a tool without a kind. */
  readonly lostKinds?: readonly (ToolKind | null)[]
  readonly previous?: PreviousResponse
  readonly files?: readonly FileUse[]
  /** Files in the history that code has created (messages wire). */
  readonly codeFiles?: readonly CodeFile[]
  /** Chat: where a maximum price is inserted into OpenRouter's choice of a host. */
  readonly providerChoice?: { readonly at: number; readonly isFirstOfSeveral: boolean }
  /** Chat: settings of a model that always searches. */
  readonly searchOptions?: { readonly isSmallest: boolean }
  /** Content of unknown size, which the provider fetches or has stored. */
  readonly fetched?: FetchedMedium
  readonly hasImageAddress?: true
  /** Addresses in Cloud Storage, which Google reads with the rights of the provider account. */
  readonly storageAddresses?: readonly string[]
  readonly conversation?: ConversationUse
  readonly containers?: readonly ContainerUse[]
  readonly cache?: CacheUse
  readonly caching?: Caching
  /** Input tokens above which the provider summarizes the conversation. */
  readonly compactsAbove?: number
  /** The account that runs the request's batch. Absent for a request that is sent alone. */
  readonly batchAccountId?: string
  /** Absent if the request has no tools that the provider runs, or if all of them were removed. */
  readonly run?: RunTools<WireRequest | RequestFault>
}

export interface RequestPath extends PathFacts {
  readonly model: string | null
  readonly isStream: boolean
  readonly isJsonArray: boolean
  /** For cached content: the ID of the content whose expiry changes. Empty to create content. */
  readonly cached?: string
  readonly boundary?: string
}

/** Positions of the values that may be changed, because the tape is not kept until the body is written. */
export interface Places {
  /** Null if the path contains the model's name. */
  readonly model: Span | null
  /** Position at which the model name is inserted if only the path contains the name. */
  readonly newModel?: Insertion
  /** `models/` on the generate wire. */
  readonly modelPrefix?: string
  /** In a form, the model name is written without quotes. */
  readonly isForm?: true
  /** Positions of the model name in the other requests of a batch, which all have the same model. */
  readonly moreModels?: readonly Span[]
  readonly maxima: readonly Span[]
  /** Position at which a maximum is inserted if the body has no maximum. */
  readonly newMaximum: Insertion
  /** Edits of every request, which remove `svc` and request the usage of a stream. */
  readonly always: readonly Edit[]
  /** Chat: replaces `always` at servers that do not know `reasoning_content`. */
  readonly alwaysWithoutThoughts?: readonly Edit[]
}

export interface Span {
  readonly start: number
  readonly end: number
}

export interface RequestFault {
  readonly kind: 'fault'
  readonly code:
    | 'invalid_json'
    | 'invalid_request'
    | 'unsupported_for_route'
    | 'thread_unsupported_request'
    | 'request_text_too_large'
  readonly param: string | null
  readonly reason: string
  /** Set if the model is not forced to call the rejected tool. The gateway can then remove the tool. */
  readonly isOffer?: true
  /**
   * Another text that must be parsed in steps, with its parser. The text is the body without the rejected tools
   * (`lost`), or the request whose tokens are counted. For a deployment of Azure, the text is the body with the model
   * name of the path.
   */
  readonly instead?: Pick<WireRequest, 'lost' | 'lostKinds'> & {
    readonly text: ByteText | Steps<ByteText | RequestFault>
    readonly parse?: (body: RequestBody, path: RequestPath) => WireRequest | RequestFault
  }
}

/**
 * Maximum size of a request without images, sound and documents as base64. No model accepts more text. The largest
 * contexts have two million tokens, and a token has about two (code) to four bytes (English). The maximum also limits
 * the CPU time of code that examines every byte of the text.
 */
export const textBytesMax = 8 * 1024 * 1024

export const requestLimits: JsonLimits = { depthMax: 64, valuesMax: 150_000, textBytesMax }

/** A body, or the tape of a large body that is already parsed. */
export type RequestBody = ByteText | Json

/**
 * Runs the checks that every wire shares: the type of the body, the size of its text, and repeated members.
 * @param read may reject the request
 */
export function requestIn(body: RequestBody, read: (json: Json) => WireRequest): WireRequest | RequestFault {
  const json = typeof body === 'string' ? parseJson(body, requestLimits) : body
  if ('reason' in json) return faultOfJson(json)
  return unlessRefused(() => {
    if (kindOf(json, 0) !== kinds.object) refuse('invalid_request', null, 'The body must be a JSON object.')
    const request = read(json)
    if (json.repeated !== null) refuseTwice(json.repeated, ' in one object')
    return request
  })
}

/** Rejects a body that is not an object or is too deep to convert. */
export function bodyOf(request: WireRequest): JsonObject {
  const body = request.values?.body ?? parseObject(textOf(request.text))
  return body ?? refuse('invalid_json', null, 'The body must be a JSON object.')
}

export function faultOfJson({ reason, isTooLarge }: JsonFault): RequestFault {
  return isTooLarge
    ? fault('request_text_too_large', null, textTooLarge)
    : fault('invalid_json', null, reason)
}

export const textTooLarge = `its text is larger than ${textBytesMax} bytes`

/** `unlessRefused` catches this error. */
class RequestRefusal extends Error {
  readonly fault: RequestFault

  constructor(found: RequestFault) {
    super(found.reason)
    this.fault = found
  }
}

/** Returns why `read` rejected the request, or otherwise the result of `read`. */
export function unlessRefused<Read>(read: () => Read): Read | RequestFault {
  try {
    return read()
  } catch (error) {
    if (error instanceof RequestRefusal) return error.fault
    throw error
  }
}

/** Throws a fault, which `unlessRefused` returns. */
export function refuse(
  code: RequestFault['code'],
  param: string | null,
  reason: string,
  more: Pick<RequestFault, 'isOffer'> = {},
): never {
  throw new RequestRefusal({ ...fault(code, param, reason), ...more })
}

/** @param what a noun phrase such as `a string` */
export function mustBe(param: string, what: string): never {
  refuse('invalid_request', param, `The field ${param} must be ${what}.`)
}

/** The gateway could charge for one value while the provider uses the other. */
export function refuseTwice(param: string, where = ''): never {
  refuse('invalid_request', param, `The field ${param} is repeated${where}.`)
}

/** Rejects a field whose cost has no limit on this route, or that the model's provider cannot serve. */
export function refuseForRoute(param: string, reason: string): never {
  refuse('unsupported_for_route', param, reason)
}

export const outputTokensLimit = 10_000_000
export const choicesLimit = 128

/**
 * Returns the body for a provider of the request's own wire, with the provider's model name and a clamped maximum. All
 * other bytes are unchanged.
 * @param outputTokensMax per choice; null keeps the client's maximum
 * @param dialect OpenAI's own service gets other edits
 * @param toolUsesMax for tools that the provider runs; null keeps the limits in the request
 */
export function upstreamBody(
  { text, model: alias, places, run, wire }: WireRequest,
  model: string,
  outputTokensMax: number | null,
  dialect: OpenaiDialect = 'compatible',
  toolUsesMax: number | null = null,
): ByteText {
  const { maxima, newMaximum, newModel, always, alwaysWithoutThoughts = always } = places
  const edits: Edit[] = [
    ...(dialect === 'openai' || rejectsThoughts(dialect) ? alwaysWithoutThoughts : always),
  ]
  if (places.model && model !== alias) {
    const written = (places.modelPrefix ?? '') + model
    const name = byteTextOf(places.isForm === true ? written : JSON.stringify(written))
    edits.push({ ...places.model, text: name })
    for (const span of places.moreModels ?? none) edits.push({ ...span, text: name })
  }
  if (newModel !== undefined) {
    const name = byteTextOf(JSON.stringify(model))
    edits.push({ start: newModel.at, end: newModel.at, text: newModel.before + name + newModel.after })
  }
  if (outputTokensMax !== null) {
    for (const span of maxima) edits.push({ ...span, text: String(outputTokensMax) })
    if (maxima.length === 0) {
      const { at, before, after: behind } = newMaximum
      // OpenAI's reasoning models reject `max_tokens`, and compatible servers know only `max_tokens`.
      const name = wire === 'chat' && dialect === 'openai' ? '"max_completion_tokens":' : before
      edits.push({ start: at, end: at, text: `${name}${outputTokensMax}${behind}` })
    }
  }
  if (run !== undefined && toolUsesMax !== null) edits.push(...limitEdits(run, toolUsesMax))
  return splice(text, edits)
}

const none: readonly Span[] = []

export function spanOf(json: Json, node: Node): Span {
  return { start: startOf(json, node), end: endOf(json, node) }
}

/** The top-level fields that a wire reads, and fields that it rejects unless null, with the reason. */
export interface KnownFields<Name extends string> {
  readonly known: ReadonlyMap<string, Name>
  readonly refused: ReadonlyMap<string, string>
  readonly absent: Fields<Name>
}

/** -1 for an absent field. */
export type Fields<Name extends string> = Readonly<Record<Name, Node>>

export function knownFields<Name extends string>(
  names: readonly Name[],
  refused: Readonly<Record<string, string>>,
): KnownFields<Name> {
  return {
    known: new Map(names.map((name) => [name, name])),
    refused: new Map(Object.entries(refused)),
    // The cast is safe, because the object has a member for every name that the type requires.
    absent: Object.fromEntries(names.map((name) => [name, -1])) as Record<Name, Node>,
  }
}

/** @param other gets each field that is neither known nor rejected */
export function fieldsIn<Name extends string>(
  json: Json,
  { known, refused, absent }: KnownFields<Name>,
  other?: (json: Json, name: string, value: Node) => void,
): Fields<Name> {
  const fields = { ...absent } as Record<Name, Node>
  for (let key = inside(0), end = after(json, 0); key < end; key = after(json, valueOf(key))) {
    const spelt = stringAt(json, key)
    const value = valueOf(key)
    const name = known.get(spelt)
    if (name !== undefined) {
      if (fields[name] >= 0) refuseTwice(name)
      fields[name] = value
      continue
    }
    const reason = refused.get(spelt)
    if (reason === undefined) other?.(json, spelt, value)
    else if (!isNull(json, value)) refuseForRoute(spelt, reason)
  }
  return fields
}

/** For requests that can produce only one text. */
export const oneAnswer = {
  wantsUsage: true,
  isJsonArray: false,
  choices: 1,
  asksForAudio: null,
  asksForImages: null,
} as const

export function turnsAt(json: Json, param: string, list: Node, what: string): Node {
  const isFilled = list >= 0 && kindOf(json, list) === kinds.array && inside(list) < after(json, list)
  return isFilled ? list : mustBe(param, `a list with at least one ${what}`)
}

/** Returns false if the field is absent or null. */
export function flagAt(json: Json, param: string, node: Node): boolean {
  const kind = node < 0 ? kinds.null : kindOf(json, node)
  if (kind === kinds.true) return true
  return kind === kinds.false || kind === kinds.null ? false : mustBe(param, 'true or false')
}

/** Accepts only whole numbers from `min` to `max`. Returns null if the field is absent or null. */
export function countAt(json: Json, param: string, node: Node, max: number, min = 1): number | null {
  if (node < 0 || isNull(json, node)) return null
  const value = kindOf(json, node) === kinds.number ? numberAt(json, node) : NaN
  return Number.isInteger(value) && value >= min && value <= max
    ? value
    : mustBe(param, `a whole number from ${min} to ${max}`)
}

export function isGiven(json: Json, node: Node): boolean {
  return node >= 0 && !isNull(json, node)
}

/** Null if the node is absent or not a string. */
export function textAt(json: Json, node: Node): string | null {
  return node >= 0 && kindOf(json, node) === kinds.string ? stringAt(json, node) : null
}

export function isNull(json: Json, node: Node): boolean {
  return kindOf(json, node) === kinds.null
}

export function fault(code: RequestFault['code'], param: string | null, reason: string): RequestFault {
  return { kind: 'fault', code, param, reason }
}

export function isFault(value: object): value is RequestFault {
  return 'kind' in value && value.kind === 'fault'
}

export const unboundable = 'the cost of the field is not known before the request'

/**
 * These fields choose the server of a request (CVE-2024-6587). Every wire rejects these fields unless they are null.
 */
export const detours = Object.fromEntries(
  ['api_base', 'base_url', 'extra_headers'].map((name) => [name, `${unboundable}. Omit the field`]),
)
