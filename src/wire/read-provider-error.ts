import {
  isAbsent,
  isObject,
  listOf,
  numberOrNull,
  objectOf,
  parseValue,
  textOrNull,
} from '#wire/text/json-values.ts'
import { textOf, type ByteText } from '#wire/text/byte-text.ts'
import type { JsonObject, JsonValue } from '#wire/text/json-values.ts'

/**
 * A provider's own description of its failure, on any wire. Clients branch on the code and the type: Codex compacts at
 * `context_length_exceeded`, and pydantic-ai and the AI SDK retry by type. The gateway therefore forwards the code and
 * the type. On the provider's own wire, all other members are also forwarded.
 */
export interface ProviderError {
  /** The HTTP status in the error (`"code": 400`), or null. */
  readonly status: number | null
  readonly code: string | null
  /** `type` in errors of OpenAI and Anthropic, and `status` in errors of Google. */
  readonly type: string | null
  readonly param: string | null
  /** Empty if the error has no message. */
  readonly message: string
  /** The error object as sent. Null if the provider sent plain text or no error. */
  readonly own: JsonObject | null
}

export const unnamedError: ProviderError = {
  status: null,
  code: null,
  type: null,
  param: null,
  message: '',
  own: null,
}

/** For a stream in which a model wrote an unreadable tool call. */
export const unreadableCall: ProviderError = { ...unnamedError, code: 'unreadable_tool_call' }

/** Agents compact their conversation at this code of OpenAI. */
export const contextFull = 'context_length_exceeded'

/** @returns null if `value` contains no error, or `error: null` (docs/reference/wires.md "Errors on the chat wire") */
export function providerErrorOf(value: JsonValue): ProviderError | null {
  // Google responds to a rejected stream with a list of one error.
  const body = objectOf(Array.isArray(value) ? value[0] : value)
  const choice = objectOf(listOf(body.choices)[0])
  const error = isAbsent(body.error) ? choice.error : body.error
  if (isObject(error)) return errorOf(error, error)
  if (typeof error === 'string' && error !== '')
    return { ...unnamedError, code: wordOf(error), message: error }
  // Some errors have no object `error`: OpenAI's error event (as OpenAI's client declares it), and errors of vLLM,
  // FastAPI and Mistral.
  const isFlat = body.type === 'error' || body.object === 'error'
  if (isFlat || typeof body.message === 'string' || !isAbsent(body.detail)) return errorOf(body, null)
  return choice.finish_reason === 'error' || !isAbsent(error) ? unnamedError : null
}

function errorOf(error: JsonObject, own: JsonObject | null): ProviderError {
  const isFlat = own === null
  const details = listOf(error.details).map(objectOf)
  const info = details.find(({ reason }) => typeof reason === 'string')
  const violation = details.flatMap(({ fieldViolations }) => listOf(fieldViolations)).map(objectOf)[0]
  const { error_code: detailCode, param: detailParam } = objectOf(error.details)
  const status = statusIn(error.code) ?? statusIn(error.status_code) ?? statusIn(error.status)
  const code = statusIn(error.code) === null ? textOrNull(error.code) : null
  const type = textOrNull(error.type)
  const named = {
    status,
    code: code ?? textOrNull(detailCode) ?? textOrNull(info?.reason),
    type: (isFlat && type === 'error' ? null : type) ?? textOrNull(error.status),
    param: textOrNull(error.param) ?? textOrNull(detailParam) ?? textOrNull(violation?.field),
    message: textOrNull(error.message) ?? textOrNull(error.detail) ?? invalidFieldsOf(error),
  }
  if (named.code === contextFull || !saysContextFull(named.message)) return { ...named, own }
  return { ...named, code: contextFull, own: own && { ...own, code: contextFull } }
}

/**
 * Servers that check requests with Pydantic (Mistral, vLLM) report a list of invalid fields instead of a message. The
 * list also quotes the values of the fields, which are omitted.
 */
function invalidFieldsOf({ detail, message }: JsonObject): string {
  const fields = listOf(objectOf(message).detail ?? detail).map(objectOf)
  return fields
    .slice(0, fieldsMax)
    .flatMap(({ loc, msg }) => {
      const said = textOrNull(msg)
      const place = listOf(loc).filter((name) => typeof name === 'string' || typeof name === 'number')
      return said === null ? [] : [place.length > 0 ? `${place.join('.')}: ${said}` : said]
    })
    .join('; ')
}

const fieldsMax = 8

function statusIn(value: JsonValue): number | null {
  const number = typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : numberOrNull(value)
  return number !== null && number >= 400 && number < 600 ? number : null
}

/**
 * Some vendors have no code for a full context. Anthropic writes "prompt is too long: 210000 tokens > 200000 maximum".
 * Google writes "The input token count (1200000) exceeds the maximum number of tokens allowed". vLLM and OpenRouter
 * write "maximum context length is 8192 tokens". Cohere writes "too many tokens: size limit exceeded by 25836 tokens".
 */
function saysContextFull(message: string): boolean {
  return /prompt is too long|^too many tokens: size limit|maximum context length|input token count.{0,40}exceeds|exceeds? (?:the |this )?(?:model.s )?(?:maximum )?context (?:window|length|limit)/i.test(
    message,
  )
}

/**
 * Returns the HTTP status of an error that was sent with status 200, by the status, the code or the type in the error.
 * Null if the error has no known status, code or type.
 */
export function statusOfError({ status, code, type }: ProviderError): number | null {
  if (status !== null) return status
  for (const word of [code, type]) {
    if (word === null) continue
    const found = statusOfWord.find(([pattern]) => pattern.test(word))
    if (found) return found[1]
  }
  return null
}

/** The first row that matches applies. The table contains all codes of `ResponseError` in OpenAI's client. */
const statusOfWord: readonly (readonly [RegExp, number])[] = [
  [/overloaded|unavailable|slow_down/i, 503],
  [/insufficient_(?:quota|balance|credit)|billing|payment|usage_not_included/i, 402],
  [/rate_?limit|resource_exhausted|too_many_requests/i, 429],
  [/timeout|deadline/i, 504],
  [/unauthenticated|authentication|permission|invalid_api_key|api_key_invalid/i, 401],
  [/not_?found/i, 404],
  [/request_too_large|payload_too_large/i, 413],
  [/server_error|internal|api_error/i, 500],
  [/^(?:invalid|unsupported|unknown_param|missing|image|empty|bad_?request)|invalid_request/i, 400],
  [/context_length|context_window|max_length|too_(?:long|large|small)|policy|content_filter/i, 400],
  [/tool_use_failed|failed_precondition|out_of_range|failed_to_download|unprocessable/i, 400],
]

/**
 * Applies `clean` to every text, including member names. Removes members that identify the provider. Removes everything
 * beyond `sizeMax`, because cleaning a very large error would delay other requests.
 */
export function cleanedError(error: ProviderError, clean: (text: string) => string): ProviderError {
  let left = sizeMax
  const cleaned = (text: string): string => {
    const kept = text.slice(0, left)
    left -= kept.length
    return clean(kept)
  }
  const cleanTextOf = (text: string | null): string | null => (text === null ? null : cleaned(text))
  const valueOf = (value: JsonValue, depth: number): JsonValue => {
    if (--left <= 0 || depth > depthMax) return null
    if (typeof value === 'string') return cleaned(value)
    if (Array.isArray(value)) return value.slice(0, left).map((item) => valueOf(item, depth + 1))
    if (isObject(value)) {
      return Object.fromEntries(
        Object.entries(value)
          .filter(([name]) => !tellsProvider.has(name) && !namesAccount.has(name))
          .slice(0, left)
          .map(([name, item]) => [cleaned(name), valueOf(item, depth + 1)]),
      )
    }
    const number = numberOrNull(value)
    if (number === null) return value
    // A secret of digits may also be written as a number.
    const digits = String(number)
    const shown = cleaned(digits)
    return shown === digits ? value : shown
  }
  return {
    status: error.status,
    code: cleanTextOf(error.code),
    type: cleanTextOf(error.type),
    param: cleanTextOf(error.param),
    message: cleaned(error.message),
    own: error.own && objectOf(valueOf(error.own, 0)),
  }
}

/** Maximum sum of an error's characters and values. A provider's frame may have millions of them. */
const sizeMax = 64 * 1024
const depthMax = 64

/** Members that reveal the name or the price of providers and resellers. */
export const tellsProvider: ReadonlySet<string> = new Set([
  'system_fingerprint',
  'provider',
  'provider_name',
  'base_url',
  'x_groq',
  'cost',
])

/** The operator's account and the provider's request ID. The gateway's own request ID replaces the provider's. */
const namesAccount: ReadonlySet<string> = new Set(['user_id', 'request_id'])

/** A code or a type is one word, whereas a sentence may quote user content. */
const word = /^[\w.-]{1,64}$/

/** Returns only a single word, which is safe to log. */
export function wordOf(value: unknown): string | null {
  const text = typeof value === 'number' ? String(value) : value
  return typeof text === 'string' && word.test(text) ? text : null
}

export function errorInBody(body: ByteText): ProviderError | null {
  try {
    return providerErrorOf(parseValue(textOf(body)))
  } catch {
    return null
  }
}
