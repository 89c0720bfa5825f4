import type { JsonObject, JsonValue } from './neutral.ts'

/**
 * JSON as values, where a conversion has to look into it, without changing a number on its way. A double
 * turns 9007199254740993 into ...992, 1e400 into null and 1.0 into 1 (wire.md T22); tools take
 * arguments as they were meant, so a number that would be printed otherwise is kept as it was written.
 */
export function parseValue(text: string): JsonValue {
  if (isDeep(text)) throw new SyntaxError(`it is nested deeper than ${depthMax} levels`)
  if (!mayHoldExact.test(text)) return JSON.parse(text)
  return exact.parse(text, keepExact)
}

/** The object in `text`; null when there is no JSON there, or another value, or one too deep to be printed. */
export function parseObject(text: string): JsonObject | null {
  let value: JsonValue
  try {
    value = parseValue(text)
  } catch {
    return null
  }
  return isObject(value) ? value : null
}

/** The JSON of a value of `parseValue`, or of one made of such: numbers come out as they went in. */
export function printValue(value: JsonValue): string {
  return JSON.stringify(value)
}

export function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !exact.isRawJSON(value)
}

/** The members of `value`; none when it is no object. */
export function objectOf(value: JsonValue): JsonObject {
  return isObject(value) ? value : none
}

/** The entries of `value`; none when it is no list. */
export function listOf(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value : []
}

export function textOrNull(value: JsonValue): string | null {
  return typeof value === 'string' ? value : null
}

export function flagOrNull(value: JsonValue): boolean | null {
  return typeof value === 'boolean' ? value : null
}

/** A number that a double can hold; also one that was kept as it was written (`1.0`). */
export function numberOrNull(value: JsonValue): number | null {
  const number = isRaw(value) ? Number(value.rawJSON) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}

export function isAbsent(value: JsonValue): value is null | undefined {
  return value === undefined || value === null
}

const none: JsonObject = {}

/** Printing is recursive in V8, and overflows its stack at about 4,000; no call has a use for so many. */
const depthMax = 500

/** A number, after what can stand before one, that has a fraction, an exponent or more digits than a double. */
const mayHoldExact = /(?:^|[[:,\s])-?(?:\d+[.eE]|\d{16}|0(?<=-0))/

function keepExact(_key: string, value: JsonValue, { source }: { source?: string }): JsonValue {
  return typeof value === 'number' && source !== undefined && source !== String(value)
    ? exact.rawJSON(source)
    : value
}

interface RawNumber {
  readonly rawJSON: string
}

function isRaw(value: JsonValue): value is RawNumber {
  return typeof value === 'object' && value !== null && exact.isRawJSON(value)
}

// The declarations of ES2026 are not in TypeScript's library yet; the engine has them since V8 11.4,
// and engines of package.json asks for a newer one.
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

/** The closing quote; the end of the text where there is none. */
function endOfString(text: string, start: number): number {
  let at = text.indexOf('"', start + 1)
  while (at >= 0) {
    let escapes = 0
    while (text.charCodeAt(at - 1 - escapes) === 0x5c) escapes++
    if (escapes % 2 === 0) return at
    at = text.indexOf('"', at + 1)
  }
  return text.length
}
