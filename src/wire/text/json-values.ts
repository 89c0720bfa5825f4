import { byteTextOf } from './byte-text.ts'
import { endOfString, hasEscapedKey } from './detect-escaped-keys.ts'
import { parseJson } from './json-parser.ts'
import { valueRead } from './json-tape.ts'

/** A value as JSON.parse returns it, except that a number that a double cannot represent is kept as written. */
export type JsonValue = unknown
export type JsonObject = Readonly<Record<string, JsonValue>>

/**
 * Parses JSON for a conversion, without changing a number. A double turns 9007199254740993 into ...992, 1e400 into null
 * and 1.0 into 1 (docs/reference/wires.md "Unchanged bytes"). Tools must get their arguments as written, so a number
 * that would print differently is kept as written.
 */
export function parseValue(text: string): JsonValue {
  if (isDeep(text)) throw new SyntaxError(`it is nested deeper than ${depthMax} levels`)
  if (hasEscapedKey(text)) return keyByKey(text)
  if (!mayHoldExact(text)) return JSON.parse(text)
  return exact.parse(text, keepExact)
}

function keyByKey(text: string): JsonValue {
  const json = parseJson(byteTextOf(text), { depthMax, valuesMax: Infinity })
  if ('reason' in json) throw new SyntaxError(json.reason)
  return valueRead(json, 0, numberOf)
}

/** Null for invalid JSON, for a value that is not an object, and for an object that is too deep to print. */
export function parseObject(text: string): JsonObject | null {
  let value: JsonValue
  try {
    value = parseValue(text)
  } catch {
    return null
  }
  return isObject(value) ? value : null
}

/** Numbers are printed as they were read. */
export function printValue(value: JsonValue): string {
  return JSON.stringify(value)
}

export function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !exact.isRawJSON(value)
}

export function objectOf(value: JsonValue): JsonObject {
  return isObject(value) ? value : none
}

export function listOf(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : []
}

export function textOrNull(value: JsonValue): string | null {
  return typeof value === 'string' ? value : null
}

export function flagOrNull(value: JsonValue): boolean | null {
  return typeof value === 'boolean' ? value : null
}

/** Returns a number that a double can represent, even if it is kept as written (`1.0`). */
export function numberOrNull(value: JsonValue): number | null {
  const number = isRaw(value) ? Number(value.rawJSON) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

export function isAbsent(value: JsonValue): value is null | undefined {
  return value === undefined || value === null
}

/** Whether a field states something. Null and an empty list state nothing. */
export function isStated(value: JsonValue): boolean {
  return !isAbsent(value) && !(Array.isArray(value) && value.length === 0)
}

/** Null if the value is not an object, or has no members. */
export function filledObjectOrNull(value: JsonValue): JsonObject | null {
  return isObject(value) && Object.keys(value).length > 0 ? value : null
}

const none: JsonObject = {}

/** Printing is recursive in V8, and overflows the stack at a depth of about 4,000. Requests are far less deep. */
const depthMax = 500

/**
 * Whether the text may contain a number with a fraction, an exponent, more digits than a double keeps, or a minus
 * before a zero. A match inside a string also counts. Every frame is checked, and a regular expression took as long as
 * the parse.
 */
function mayHoldExact(text: string): boolean {
  let digits = 0
  let isNumber = false
  let before = comma
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= 0x30 && code <= 0x39) {
      if (digits === 0) {
        const isNegative = before === minus && canPrecede(at > 1 ? text.charCodeAt(at - 2) : comma)
        if (isNegative && code === 0x30) return true
        isNumber = isNegative || canPrecede(before)
      }
      if (++digits === digitsMax && isNumber) return true
    } else if (digits > 0) {
      if (isNumber && (code === 0x2e || (code | 0x20) === 0x65)) return true
      digits = 0
    }
    before = code
  }
  return false
}

const comma = 0x2c
const minus = 0x2d
const digitsMax = 16

function canPrecede(code: number): boolean {
  return code === comma || code === 0x3a || code === 0x5b || code <= 0x20
}

function keepExact(_key: string, value: JsonValue, { source }: { source?: string }): JsonValue {
  return typeof value === 'number' && source !== undefined && source !== String(value)
    ? exact.rawJSON(source)
    : value
}

/** Returns the number, or its original text if the number would print differently. */
export function numberOf(source: string): JsonValue {
  const value = Number(source)
  return source === String(value) ? value : exact.rawJSON(source)
}

interface RawNumber {
  readonly rawJSON: string
}

function isRaw(value: JsonValue): value is RawNumber {
  return typeof value === 'object' && value !== null && exact.isRawJSON(value)
}

// TypeScript's library does not declare these functions of ES2026 yet. V8 has supported these functions since version
// 11.4, and `engines` in package.json requires a newer version.
const exact = JSON as unknown as {
  parse(
    text: string,
    reviver: (key: string, value: JsonValue, context: { source?: string }) => JsonValue,
  ): JsonValue
  rawJSON(text: string): RawNumber
  isRawJSON(value: JsonValue): boolean
}

function isDeep(text: string): boolean {
  if (text.length < 2 * depthMax) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) at = endOfString(text, at)
    else if (code === 0x5b || code === 0x7b) {
      if (++depth > depthMax) return true
    } else if (code === 0x5d || code === 0x7d) depth--
  }
  return false
}
