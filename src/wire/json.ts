import { textOf } from './byte-text.ts'
import type { ByteText } from './byte-text.ts'

/**
 * JSON as a tape over its own bytes.
 *
 * The gateway must change three or four values of a body and leave every other byte as the client
 * wrote it: numbers past 2^53, key order, escapes and unknown fields all survive (wire.md 7). So a
 * body is not parsed into objects and printed again. One pass checks the grammar and notes for every
 * value where it starts and ends; edits are then spliced into the bytes (splice.ts).
 *
 * A value is four numbers on the tape: kind, first byte, byte after the last, and the tape index after
 * the whole value, so that a reader steps over what it does not care about. In an object a key (a
 * string) is followed by its value.
 */
export interface Json {
  readonly text: ByteText
  /** Shared by all parses: good until the next one, so read what is needed before anything is awaited. */
  readonly tape: Int32Array
}

export interface JsonFault {
  readonly reason: string
}

/** Index of a value on the tape; the root is 0. */
export type Node = number

export const kinds = { object: 1, array: 2, string: 3, number: 4, true: 5, false: 6, null: 7 } as const

export interface JsonLimits {
  /** JSON.stringify and structuredClone of deeper values throw in V8 (threats.md 0.9). */
  readonly depthMax: number
  readonly valuesMax: number
}
const defaults: JsonLimits = { depthMax: 64, valuesMax: 150_000 }

const width = 4
// One for all: most bodies are small, and an array of numbers for each costs more than its parse.
let scratch = new Int32Array(4096)

/** Checks that `text` is one JSON value and says where its parts are. */
export function parseJson(text: ByteText, limits: JsonLimits = defaults): Json | JsonFault {
  const parser = new Parser(text, limits)
  const fault = parser.parse()
  return fault === null ? { text, tape: scratch } : { reason: fault }
}

/** A string is walked so far before it is searched: most are shorter, and a search costs as much as that. */
const loopedMax = 256
// oxlint-disable-next-line no-control-regex -- they are what a string must not have
const control = /[\x00-\x1f]/

class Parser {
  length = 0
  readonly #text: ByteText
  readonly #end: number
  readonly #limits: JsonLimits
  #at = 0
  #depth = 0
  /** The first backslash that was looked for last. */
  #escapeAt = -1

  constructor(text: ByteText, limits: JsonLimits) {
    this.#text = text
    this.#end = text.length
    this.#limits = limits
  }

  /** The fault, or null. */
  parse(): string | null {
    this.#skipSpace()
    const fault = this.#value()
    if (fault !== null) return fault
    this.#skipSpace()
    return this.#at < this.#end ? this.#unexpected('after the value') : null
  }

  #value(): string | null {
    const byte = this.#text.charCodeAt(this.#at)
    switch (byte) {
      case 0x7b:
        return this.#object()
      case 0x5b:
        return this.#array()
      case 0x22:
        return this.#string()
      case 0x74:
        return this.#literal('true', kinds.true)
      case 0x66:
        return this.#literal('false', kinds.false)
      case 0x6e:
        return this.#literal('null', kinds.null)
      default:
        return this.#number()
    }
  }

  #object(): string | null {
    const node = this.#open(kinds.object)
    if (node < 0) return this.#tooLarge()
    this.#at++
    this.#skipSpace()
    if (this.#text.charCodeAt(this.#at) === 0x7d) return this.#close(node)
    for (;;) {
      if (this.#text.charCodeAt(this.#at) !== 0x22) return this.#unexpected('where a key should start')
      const keyFault = this.#string()
      if (keyFault !== null) return keyFault
      this.#skipSpace()
      if (this.#text.charCodeAt(this.#at) !== 0x3a) return this.#unexpected('where : should be')
      this.#at++
      this.#skipSpace()
      const fault = this.#value()
      if (fault !== null) return fault
      this.#skipSpace()
      const next = this.#text.charCodeAt(this.#at)
      if (next === 0x7d) return this.#close(node)
      if (next !== 0x2c) return this.#unexpected('where , or } should be')
      this.#at++
      this.#skipSpace()
    }
  }

  #array(): string | null {
    const node = this.#open(kinds.array)
    if (node < 0) return this.#tooLarge()
    this.#at++
    this.#skipSpace()
    if (this.#text.charCodeAt(this.#at) === 0x5d) return this.#close(node)
    for (;;) {
      const fault = this.#value()
      if (fault !== null) return fault
      this.#skipSpace()
      const next = this.#text.charCodeAt(this.#at)
      if (next === 0x5d) return this.#close(node)
      if (next !== 0x2c) return this.#unexpected('where , or ] should be')
      this.#at++
      this.#skipSpace()
    }
  }

  #string(): string | null {
    const text = this.#text
    const start = this.#at
    let at = start + 1
    for (;;) {
      const byte = text.charCodeAt(at)
      if (byte === 0x22) break
      if (at - start === loopedMax) {
        const end = this.#plainEnd(at)
        if (end >= 0) {
          at = end
          break
        }
      }
      if (at >= this.#end) return `a string that starts at byte ${start} does not end`
      if (byte < 0x20) return `a control character stands unescaped at byte ${at}`
      at++
      if (byte !== 0x5c) continue
      const escaped = text.charCodeAt(at)
      if (escaped === 0x75) {
        for (let i = 1; i <= 4; i++)
          if (!isHex(text.charCodeAt(at + i))) return `a \\u escape is broken at byte ${at}`
        at += 5
      } else if (isEscape(escaped)) at++
      else return `an escape is broken at byte ${at}`
    }
    this.#at = at + 1
    return this.#leaf(kinds.string, start)
  }

  /**
   * The closing quote of a long string that has neither escapes nor faults in it, by searches in native code:
   * a picture is megabytes of base64. -1: it has to be walked.
   */
  #plainEnd(from: number): number {
    const text = this.#text
    if (this.#escapeAt < from) {
      const found = text.indexOf('\\', from)
      this.#escapeAt = found < 0 ? this.#end : found
    }
    const quote = text.indexOf('"', from)
    if (quote < 0 || this.#escapeAt < quote) return -1
    return control.test(text.slice(from, quote)) ? -1 : quote
  }

  #number(): string | null {
    const text = this.#text
    const start = this.#at
    let at = start
    if (text.charCodeAt(at) === 0x2d) at++
    if (text.charCodeAt(at) === 0x30) at++
    else if (isDigit(text.charCodeAt(at))) while (isDigit(text.charCodeAt(at))) at++
    else return this.#unexpected('where a value should start')
    if (text.charCodeAt(at) === 0x2e) {
      at++
      if (!isDigit(text.charCodeAt(at))) return `a number is broken at byte ${at}`
      while (isDigit(text.charCodeAt(at))) at++
    }
    const exponent = text.charCodeAt(at)
    if (exponent === 0x65 || exponent === 0x45) {
      at++
      if (text.charCodeAt(at) === 0x2b || text.charCodeAt(at) === 0x2d) at++
      if (!isDigit(text.charCodeAt(at))) return `a number is broken at byte ${at}`
      while (isDigit(text.charCodeAt(at))) at++
    }
    this.#at = at
    return this.#leaf(kinds.number, start)
  }

  #literal(word: string, kind: number): string | null {
    const start = this.#at
    for (let i = 0; i < word.length; i++) {
      if (this.#text.charCodeAt(start + i) !== word.charCodeAt(i))
        return this.#unexpected('where a value should start')
    }
    this.#at = start + word.length
    return this.#leaf(kind, start)
  }

  #leaf(kind: number, start: number): string | null {
    const node = this.#push(kind, start)
    if (node < 0) return this.#tooLarge()
    scratch[node + 2] = this.#at
    scratch[node + 3] = this.length
    return null
  }

  #open(kind: number): number {
    return ++this.#depth > this.#limits.depthMax ? -1 : this.#push(kind, this.#at)
  }

  #close(node: number): null {
    this.#at++
    this.#depth--
    scratch[node + 2] = this.#at
    scratch[node + 3] = this.length
    return null
  }

  #push(kind: number, start: number): number {
    const node = this.length
    if (node >= this.#limits.valuesMax * width) return -1
    if (node + width > scratch.length) {
      const larger = new Int32Array(scratch.length * 2)
      larger.set(scratch)
      scratch = larger
    }
    scratch[node] = kind
    scratch[node + 1] = start
    this.length = node + width
    return node
  }

  #skipSpace(): void {
    const text = this.#text
    let byte = text.charCodeAt(this.#at)
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09)
      byte = text.charCodeAt(++this.#at)
  }

  #unexpected(where: string): string {
    return this.#at >= this.#end ? 'it ends too early' : `unexpected character ${where} at byte ${this.#at}`
  }

  #tooLarge(): string {
    return this.#depth > this.#limits.depthMax
      ? `it is nested deeper than ${this.#limits.depthMax}`
      : `it has more than ${this.#limits.valuesMax} values`
  }
}

export function kindOf(json: Json, node: Node): number {
  return json.tape[node] ?? 0
}

export function startOf(json: Json, node: Node): number {
  return json.tape[node + 1] ?? 0
}

export function endOf(json: Json, node: Node): number {
  return json.tape[node + 2] ?? 0
}

/** The value after this one and all that is in it. */
export function after(json: Json, node: Node): Node {
  return json.tape[node + 3] ?? 0
}

/** The first thing inside an object (a key) or an array, which ends where `after` is. */
export function inside(node: Node): Node {
  return node + width
}

/** The value that belongs to a key. */
export function valueOf(key: Node): Node {
  return key + width
}

/** The text of a string, its escapes resolved. */
export function stringAt(json: Json, node: Node): string {
  const start = startOf(json, node)
  const end = endOf(json, node)
  const inner = textOf(json.text.slice(start + 1, end - 1))
  if (!inner.includes('\\')) return inner
  const parsed: unknown = JSON.parse(`"${inner}"`)
  return String(parsed)
}

/** The number as JSON.parse would give it; check its range, it may be Infinity. */
export function numberAt(json: Json, node: Node): number {
  return Number(json.text.slice(startOf(json, node), endOf(json, node)))
}

/** The value itself, for the small parts that are worth it. */
export function valueAt(json: Json, node: Node): unknown {
  return JSON.parse(textOf(json.text.slice(startOf(json, node), endOf(json, node))))
}

/** The value under `name` in an object, or -1. Of a repeated key the last, as JSON.parse has it. */
export function member(json: Json, object: Node, name: string): Node {
  let found = -1
  if (kindOf(json, object) !== kinds.object) return found
  const end = after(json, object)
  for (let key = inside(object); key < end; key = after(json, valueOf(key))) {
    if (isKey(json, key, name)) found = valueOf(key)
  }
  return found
}

/** Whether a key means `name`, which must be ASCII, however it is spelt. */
function isKey(json: Json, key: Node, name: string): boolean {
  const start = startOf(json, key) + 1
  const length = endOf(json, key) - 1 - start
  if (length === name.length) return json.text.startsWith(name, start)
  // An escape makes a key longer than what it means.
  return (
    length > name.length &&
    json.text.slice(start, start + length).includes('\\') &&
    stringAt(json, key) === name
  )
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

function isHex(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66)
}

/** The characters that may follow a backslash, `u` apart: " \ / b f n r t */
function isEscape(byte: number): boolean {
  return (
    byte === 0x22 ||
    byte === 0x5c ||
    byte === 0x2f ||
    byte === 0x62 ||
    byte === 0x66 ||
    byte === 0x6e ||
    byte === 0x72 ||
    byte === 0x74
  )
}
