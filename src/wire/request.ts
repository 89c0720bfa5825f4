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
import type { OpenaiDialect, WireName } from './names.ts'
import { removals } from '#wire/text/removals.ts'
import { splice, type Edit } from '#wire/text/splice.ts'

/**
 * A request on any wire: what the gateway needs to know of it, and where the few values stand that it may
 * change. The rest of the body is never looked at and goes on byte for byte to a provider of the same
 * wire; for one of another wire it is read again, whole (neutral.ts).
 */
export interface WireRequest {
  readonly wire: WireName
  readonly text: ByteText
  readonly model: string
  readonly isStream: boolean
  /** Chat: the client asked for the usage chunk itself. On the other wires an answer always has it. */
  readonly wantsUsage: boolean
  /** Generate: the stream is to be one array of JSON instead of events. */
  readonly isJsonArray: boolean
  /** The maximum asked for, per choice; null: none. */
  readonly outputTokensMax: number | null
  readonly choices: number
  readonly serviceTier: string | null
  /** Whether speech or pictures may come out; null: the request does not say, and the model decides. */
  readonly asksForAudio: boolean | null
  readonly asksForImages: boolean | null
  readonly outcome: RunAsked | null
  /**
   * At most what the provider can count for the input (docs/reference/tokens.md "The bound of an input"), but
   * for what it puts before all requests.
   */
  readonly textTokensMax: number
  readonly audioTokensMax: number
  readonly imageTokensMax: number
  /** What some providers add text of their own for. */
  readonly hasTools: boolean
  readonly hasSchema: boolean
  /** Our own count of it, should the provider never say. */
  readonly inputEstimate: number
  /**
   * The body without the media in it, and the part of `textTokensMax` that is a token per byte of it: a
   * tokenizer may find it to be less (gateway/decide/exact-count.ts).
   */
  readonly prose: { readonly tokensMax: number; readonly text: ByteText }
  /** Long media as base64, each with its quotes: what no conversion looks into. */
  readonly media: readonly Span[]
  /** A large body that is to be converted, as values already. */
  readonly values?: BodyValues
  readonly places: Places
  /** What was taken out of it whoever answers, by the names of its wire; most have nothing. */
  readonly lost?: readonly string[]
}

/**
 * A large body as values, for a conversion that has to look into it. Its media are left where they are: in
 * their places stand short texts, which come out of the conversion again and are then put back.
 */
export interface BodyValues {
  readonly body: JsonObject
  /** What stands for a medium is this and six digits. */
  readonly mark: string
}

export interface RunAsked {
  readonly slug: string
  readonly runId: string
}

/** What a path says of a request, where it is not in the body. */
export interface RequestPath {
  readonly model: string | null
  readonly isStream: boolean
  readonly isJsonArray: boolean
}

/** Where the values stand that may be changed. The tape is gone by the time they are. */
export interface Places {
  /** Null where the model's name is in the path. */
  readonly model: Span | null
  /** What stands before the name in that text; generate: `models/`. */
  readonly modelPrefix?: string
  /** Of whichever maxima are there. */
  readonly maxima: readonly Span[]
  /** Where a maximum is put, and what around it, when there is none. */
  readonly newMaximum: { readonly at: number; readonly before: ByteText; readonly after: ByteText }
  /** What is changed in every request: `svc` taken out, the usage of a stream asked for. */
  readonly always: readonly Edit[]
  /** Chat: the same and more, in place of it, for OpenAI's own service. */
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
  /** A tool stands in the way that the client merely offers: the call can do without it (offered-tools.ts). */
  readonly isOffer?: true
  /** A large body without such tools, which is to be read in steps as the first one was, and what is gone. */
  readonly instead?: { readonly text: ByteText; readonly lost: readonly string[] }
}

/**
 * The largest contexts there are hold two million tokens, and a token is four bytes of English, three of
 * Chinese and two of code: no model could take more text than that, and all that is worked on byte by byte
 * is bounded by it. Pictures, sound and documents as base64 come on top.
 */
export const textBytesMax = 8 * 1024 * 1024

/** Of a request's body. */
export const requestLimits: JsonLimits = { depthMax: 64, valuesMax: 150_000, textBytesMax }

/** A body, or one that was parsed already because it is large. */
export type RequestBody = ByteText | Json

/**
 * What every wire asks of a body before and after it reads it: an object of JSON, of no more text than a model
 * could take, in which nothing that was looked for is there twice.
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

/** The body of a request as values, for a conversion. Refuses one that is no object, or too deep. */
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
 * A request that cannot be served stops its reader. Every line of a reader may find one, so it is thrown and not
 * handed up from function to function; outside of the reading it is a value again (unlessRefused).
 */
class RequestRefusal extends Error {
  readonly fault: RequestFault

  constructor(found: RequestFault) {
    super(found.reason)
    this.fault = found
  }
}

/** What is read, or why the reader has refused. */
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

/** Refuses a field that is not what it must be. @param what as in `a text` */
export function mustBe(param: string, what: string): never {
  refuse('invalid_request', param, `The field ${param} must be ${what}.`)
}

/** Two parsers may take two different ones of them: the one that is charged and the one that is run. */
export function refuseTwice(param: string, where = ''): never {
  refuse('invalid_request', param, `The field ${param} is there twice${where}.`)
}

/** Refuses what the route cannot bound, or the provider of the model cannot do. */
export function refuseForRoute(param: string, reason: string): never {
  refuse('unsupported_for_route', param, reason)
}

/** No name is longer; and what was asked for is told, logged and kept, so it must not be a book. */
export const modelLengthMax = 128
export const outputTokensLimit = 10_000_000
export const choicesLimit = 128

/**
 * The body for a provider of the request's own wire: its model name, the maximum when clamped, and what is
 * always changed. Every other byte is the client's.
 * @param outputTokensMax the clamped maximum per choice; null leaves the client's alone
 * @param dialect whether it goes to OpenAI's own service
 */
export function upstreamBody(
  { text, model: alias, places }: WireRequest,
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
      edits.push({ start: at, end: at, text: `${before}${outputTokensMax}${behind}` })
    }
  }
  return splice(text, edits)
}

export function spanOf(json: Json, node: Node): Span {
  return { start: startOf(json, node), end: endOf(json, node) }
}

/** The top-level fields that a wire looks at: what it knows, and what it refuses unless it is null, with why. */
export interface KnownFields<Name extends string> {
  readonly known: ReadonlyMap<string, Name>
  readonly refused: ReadonlyMap<string, string>
  readonly absent: Fields<Name>
}

/** Where the values of fields stand; -1 for one that is not there. */
export type Fields<Name extends string> = Readonly<Record<Name, Node>>

export function knownFields<Name extends string>(
  names: readonly Name[],
  refused: Readonly<Record<string, string>>,
): KnownFields<Name> {
  return {
    known: new Map(names.map((name) => [name, name])),
    refused: new Map(Object.entries(refused)),
    // The names are all there are of the type.
    absent: Object.fromEntries(names.map((name) => [name, -1])) as Record<Name, Node>,
  }
}

/** @param other looks at a field that is neither known nor refused */
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

/** What a request says that cannot ask for more than one text. */
export const oneAnswer = {
  wantsUsage: true,
  isJsonArray: false,
  choices: 1,
  asksForAudio: null,
  asksForImages: null,
} as const

/** The places of a body in which the model, `svc` and the maximum are fields of its own. */
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
  // A character is six bytes at most, as an escape.
  if (node >= 0 && kindOf(json, node) === kinds.string && endOf(json, node) - startOf(json, node) < 1024) {
    const model = stringAt(json, node)
    if (model.length <= modelLengthMax) return model
  }
  mustBe('model', `a text of at most ${modelLengthMax} characters: the name of a model of this application`)
}

/** `svc` names the run of an outcome that the call belongs to. */
export function outcomeAt(json: Json, svc: Node): RunAsked | null {
  if (svc < 0 || isNull(json, svc)) return null
  if (kindOf(json, svc) !== kinds.object) refuse('invalid_request', 'svc', wrongOutcome)
  let slug: string | null = null
  let runId: string | null = null
  for (let key = inside(svc), end = after(json, svc); key < end; key = after(json, valueOf(key))) {
    const name = stringAt(json, key)
    if (name !== 'outcome' && name !== 'outcome_id')
      refuse('invalid_request', `svc.${name}`, `Unknown field svc.${name}; svc takes outcome and outcome_id.`)
    const text = textAt(json, valueOf(key)) ?? ''
    // They are stored and shown; PostgreSQL has no text with U+0000 in it.
    if (text.length < 1 || text.length > 200 || /\p{Cc}/u.test(text))
      refuse('invalid_request', `svc.${name}`, wrongOutcome)
    if (name === 'outcome') slug = text
    else runId = text
  }
  if (slug === null && runId === null) return null
  return slug === null || runId === null ? refuse('invalid_request', 'svc', wrongOutcome) : { slug, runId }
}

const wrongOutcome =
  'The field svc must be {"outcome": "<slug>", "outcome_id": "<run>"}, both texts of 1 to 200 characters, none of them a control character.'

/** Where the list stands; refuses an empty one. */
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

/** Whether there is a value, and not null. */
export function isGiven(json: Json, node: Node): boolean {
  return node >= 0 && !isNull(json, node)
}

/** The text of a string; null for anything else, and for what is not there. */
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
 * Fields by which a caller could choose where the call goes (CVE-2024-6587): refused on every wire,
 * unless null.
 */
export const detours = Object.fromEntries(
  ['api_base', 'base_url', 'extra_headers'].map((name) => [name, `${unboundable}; leave it out`]),
)
