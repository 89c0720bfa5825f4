import { byteTextOf, textOf, type ByteText } from '#wire/text/byte-text.ts'
import { parseObject, type JsonObject } from '#wire/text/json-values.ts'
import { parseJson } from '#wire/text/json-parser.ts'
import {
  after,
  endOf,
  inside,
  keyBefore,
  kindOf,
  kinds,
  numberAt,
  startOf,
  stringAt,
  valueOf,
} from '#wire/text/json-tape.ts'
import type { JsonFault, JsonLimits } from '#wire/text/json-limits.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'
import type { OpenaiDialect, WireName } from './wire-names.ts'
import { removals } from '#wire/text/removals.ts'
import { splice, type Edit } from '#wire/text/splice.ts'

/**
 * A request on any wire: the facts that the gateway needs, and the places of the few values that it may change.
 * The rest of the body goes on byte for byte to a provider of the same wire; for a provider of another wire the
 * body is read again, whole (neutral.ts).
 */
export interface WireRequest {
  readonly wire: WireName
  readonly text: ByteText
  readonly model: string
  readonly isStream: boolean
  /** Chat: the client itself asks for the usage chunk. On the other wires an answer always has it. */
  readonly wantsUsage: boolean
  /** Generate: the stream is one array of JSON instead of events. */
  readonly isJsonArray: boolean
  /** The maximum that the client asks for, per choice; null: none. */
  readonly outputTokensMax: number | null
  readonly choices: number
  readonly serviceTier: string | null
  /** Whether speech or pictures may come out; null: the request does not say, and the model decides. */
  readonly asksForAudio: boolean | null
  readonly asksForImages: boolean | null
  readonly outcome: RunAsked | null
  /** What `sticky` routers keep together; null: the client names none. */
  readonly session: string | null
  /**
   * The most that the provider can count for the input (docs/reference/tokens.md "The bound of an input"), without
   * what it puts before every request.
   */
  readonly textTokensMax: number
  readonly audioTokensMax: number
  readonly imageTokensMax: number
  /** Some providers add text of their own for tools. */
  readonly hasTools: boolean
  readonly hasSchema: boolean
  /**
   * The gateway's estimate of the input from its bytes: of what a model reads, leaning high. Charged if the provider
   * reports no usage and no tokenizer counts (gateway/end/count-input.ts).
   */
  readonly inputEstimate: number
  /** The part of it that stands for images, audio, documents and what providers add. */
  readonly mediaEstimate: number
  /**
   * The body without its media, and the part of `textTokensMax` that is a token per byte of it: a tokenizer may
   * find fewer (gateway/decide/tokenizer-bound.ts).
   */
  readonly prose: { readonly tokensMax: number; readonly text: ByteText }
  /** Long media as base64, each with its quotes; no conversion looks into them. */
  readonly media: readonly Span[]
  /** The values of a large body that is to be converted. */
  readonly values?: BodyValues
  readonly places: Places
  /** Removed for every provider, by the names of the client's wire; most requests lose nothing. */
  readonly lost?: readonly string[]
}

/**
 * A large body as values, for a conversion. Its media stay in the text: short marks replace them, come out of the
 * conversion again and are then replaced by the media.
 */
export interface BodyValues {
  readonly body: JsonObject
  /** A medium's replacement is this and six digits. */
  readonly mark: string
}

export interface RunAsked {
  readonly slug: string
  readonly runId: string
}

/** The facts of a request that are in its path instead of its body. */
export interface RequestPath {
  readonly model: string | null
  readonly isStream: boolean
  readonly isJsonArray: boolean
}

/** Places of the values that may be changed. The tape is gone by then. */
export interface Places {
  /** Null where the model's name is in the path. */
  readonly model: Span | null
  /** The prefix of the name in that text; generate: `models/`. */
  readonly modelPrefix?: string
  /** All maxima in the body. */
  readonly maxima: readonly Span[]
  /** Where a maximum is inserted when there is none, and the text around it. */
  readonly newMaximum: { readonly at: number; readonly before: ByteText; readonly after: ByteText }
  /** Edits of every request: `svc` taken out, the usage of a stream asked for. */
  readonly always: readonly Edit[]
  /** Chat: replaces `always` for OpenAI's own service, and does more. */
  readonly alwaysAtOpenai?: readonly Edit[]
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
  /** The refused tool is one that the client merely offers: the call can do without it (provider-tools.ts). */
  readonly isOffer?: true
  /** A large body without such tools, to be read in steps as the first one was, and the names of those tools. */
  readonly instead?: { readonly text: ByteText; readonly lost: readonly string[] }
}

/**
 * The largest contexts hold two million tokens, and a token is four bytes of English, three of Chinese and two of
 * code: no model takes more text, so this bounds all work byte by byte. Pictures, sound and documents as base64
 * come on top.
 */
export const textBytesMax = 8 * 1024 * 1024

/** Limits of a request's body. */
export const requestLimits: JsonLimits = { depthMax: 64, valuesMax: 150_000, textBytesMax }

/** A body, or the tape of a large one that is parsed already. */
export type RequestBody = ByteText | Json

/**
 * The checks that every wire shares: the body is a JSON object, its text fits a model, and no member that a wire
 * reads is there twice.
 * @param read may refuse
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

/** The body of a request as values, for a conversion. Refuses a body that is no object, or too deep. */
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

/**
 * Ends the reading of a request that cannot be served. Every line of a reader may find a fault, so it is thrown
 * instead of handed up; outside of the reading it is a value again (unlessRefused).
 */
class RequestRefusal extends Error {
  readonly fault: RequestFault

  constructor(found: RequestFault) {
    super(found.reason)
    this.fault = found
  }
}

/** The result of `read`, or why it refused. */
export function unlessRefused<Read>(read: () => Read): Read | RequestFault {
  try {
    return read()
  } catch (error) {
    if (error instanceof RequestRefusal) return error.fault
    throw error
  }
}

/** Ends the reading of the request (unlessRefused). */
export function refuse(
  code: RequestFault['code'],
  param: string | null,
  reason: string,
  more: Pick<RequestFault, 'isOffer'> = {},
): never {
  throw new RequestRefusal({ ...fault(code, param, reason), ...more })
}

/** Refuses a field of a wrong type or value. @param what as in `a text` */
export function mustBe(param: string, what: string): never {
  refuse('invalid_request', param, `The field ${param} must be ${what}.`)
}

/** Refuses a field that is there twice: of two parsers one may charge by the first and the other run the second. */
export function refuseTwice(param: string, where = ''): never {
  refuse('invalid_request', param, `The field ${param} is there twice${where}.`)
}

/** Refuses a field that has no bound on this route, or that the model's provider cannot serve. */
export function refuseForRoute(param: string, reason: string): never {
  refuse('unsupported_for_route', param, reason)
}

/** No name is longer. The name asked for is logged, stored and quoted, so its length is bounded. */
export const modelLengthMax = 128
export const outputTokensLimit = 10_000_000
export const choicesLimit = 128

/**
 * The body for a provider of the request's own wire: its model name, the maximum when clamped, and the edits of
 * every request. Every other byte is the client's.
 * @param outputTokensMax the clamped maximum per choice; null leaves the client's alone
 * @param dialect whether it goes to OpenAI's own service
 */
export function upstreamBody(
  { text, model: alias, places, wire }: WireRequest,
  model: string,
  outputTokensMax: number | null,
  dialect: OpenaiDialect = 'compatible',
): ByteText {
  const { maxima, newMaximum, always, alwaysAtOpenai = always } = places
  const edits: Edit[] = [...(dialect === 'openai' ? alwaysAtOpenai : always)]
  if (places.model && model !== alias)
    edits.push({ ...places.model, text: byteTextOf(JSON.stringify((places.modelPrefix ?? '') + model)) })
  if (outputTokensMax !== null) {
    for (const span of maxima) edits.push({ ...span, text: String(outputTokensMax) })
    if (maxima.length === 0) {
      const { at, before, after: behind } = newMaximum
      // OpenAI's reasoning models refuse the older name, and servers that follow OpenAI know no other.
      const name = wire === 'chat' && dialect === 'openai' ? '"max_completion_tokens":' : before
      edits.push({ start: at, end: at, text: `${name}${outputTokensMax}${behind}` })
    }
  }
  return splice(text, edits)
}

export function spanOf(json: Json, node: Node): Span {
  return { start: startOf(json, node), end: endOf(json, node) }
}

/** The top-level fields that a wire reads, and those it refuses unless null, each with the reason. */
export interface KnownFields<Name extends string> {
  readonly known: ReadonlyMap<string, Name>
  readonly refused: ReadonlyMap<string, string>
  readonly absent: Fields<Name>
}

/** Nodes of field values; -1 for an absent field. */
export type Fields<Name extends string> = Readonly<Record<Name, Node>>

export function knownFields<Name extends string>(
  names: readonly Name[],
  refused: Readonly<Record<string, string>>,
): KnownFields<Name> {
  return {
    known: new Map(names.map((name) => [name, name])),
    refused: new Map(Object.entries(refused)),
    // These are all names of the type.
    absent: Object.fromEntries(names.map((name) => [name, -1])) as Record<Name, Node>,
  }
}

/** @param other receives each field that is neither known nor refused */
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

/** Facts of a wire whose requests ask for one text only. */
export const oneAnswer = {
  wantsUsage: true,
  isJsonArray: false,
  choices: 1,
  asksForAudio: null,
  asksForImages: null,
} as const

/** Places in a body whose model, `svc` and maximum are fields of its own. */
export function placesIn(
  json: Json,
  { model, svc }: Fields<'model' | 'svc'>,
  maxima: readonly Node[],
  newMaximum: string,
  edits: readonly Edit[],
): Places {
  return {
    model: spanOf(json, model),
    maxima: maxima.filter((node) => node >= 0).map((node) => spanOf(json, node)),
    newMaximum: { at: startOf(json, 0) + 1, before: `"${newMaximum}":`, after: ',' },
    always: svc < 0 ? edits : [...edits, ...removals(json, 0, [keyBefore(svc)])],
  }
}

/** The name of a model in a body. */
export function modelAt(json: Json, node: Node): string {
  // An escaped character is at most six bytes.
  if (node >= 0 && kindOf(json, node) === kinds.string && endOf(json, node) - startOf(json, node) < 1024) {
    const model = stringAt(json, node)
    if (model.length <= modelLengthMax) return model
  }
  mustBe('model', `a text of at most ${modelLengthMax} characters: the name of a model of this application`)
}

/** What a request says to the gateway itself, in `svc`: the run of an outcome that it belongs to, and its session. */
export function svcAt(json: Json, svc: Node): Pick<WireRequest, 'outcome' | 'session'> {
  if (svc < 0 || isNull(json, svc)) return nothingSaid
  if (kindOf(json, svc) !== kinds.object) refuse('invalid_request', 'svc', wrongSvc)
  const said: Record<string, string | undefined> = {}
  for (let key = inside(svc), end = after(json, svc); key < end; key = after(json, valueOf(key))) {
    const name = stringAt(json, key)
    if (name !== 'outcome' && name !== 'outcome_id' && name !== 'session')
      refuse(
        'invalid_request',
        `svc.${name}`,
        `Unknown field svc.${name}; svc takes outcome, outcome_id and session.`,
      )
    const text = textAt(json, valueOf(key)) ?? ''
    // The texts are stored and shown; PostgreSQL has no text with U+0000.
    if (text.length < 1 || text.length > 200 || /\p{Cc}/u.test(text))
      refuse('invalid_request', `svc.${name}`, wrongSvc)
    said[name] = text
  }
  const { outcome: slug, outcome_id: runId, session = null } = said
  if (slug === undefined && runId === undefined) return { outcome: null, session }
  if (slug === undefined || runId === undefined) return refuse('invalid_request', 'svc', wrongSvc)
  return { outcome: { slug, runId }, session }
}

const nothingSaid = { outcome: null, session: null } as const

const wrongSvc =
  'The field svc must be {"outcome": "<slug>", "outcome_id": "<run>", "session": "<id>"}, the first two together or not at all: texts of 1 to 200 characters, none of them a control character.'

/** The node of the list; refuses an empty one. */
export function turnsAt(json: Json, param: string, list: Node, what: string): Node {
  const isFilled = list >= 0 && kindOf(json, list) === kinds.array && inside(list) < after(json, list)
  return isFilled ? list : mustBe(param, `a list with at least one ${what}`)
}

/** True or false; false where absent or null. */
export function flagAt(json: Json, param: string, node: Node): boolean {
  const kind = node < 0 ? kinds.null : kindOf(json, node)
  if (kind === kinds.true) return true
  return kind === kinds.false || kind === kinds.null ? false : mustBe(param, 'true or false')
}

/** A whole number from `min` to `max`; null where absent or null. */
export function countAt(json: Json, param: string, node: Node, max: number, min = 1): number | null {
  if (node < 0 || isNull(json, node)) return null
  const value = kindOf(json, node) === kinds.number ? numberAt(json, node) : NaN
  return Number.isInteger(value) && value >= min && value <= max
    ? value
    : mustBe(param, `a whole number from ${min} to ${max}`)
}

/** Whether the value is present and not null. */
export function isGiven(json: Json, node: Node): boolean {
  return node >= 0 && !isNull(json, node)
}

/** The text of a string; null for anything else, and for an absent node. */
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

export const unboundable = 'what it costs cannot be bounded before the call'

/**
 * Fields by which a caller could choose where the call goes (CVE-2024-6587): refused on every wire, unless null.
 */
export const detours = Object.fromEntries(
  ['api_base', 'base_url', 'extra_headers'].map((name) => [name, `${unboundable}; leave it out`]),
)
