import { textOf, type ByteText } from './byte-text.ts'
import { hasEscapedKey } from './detect-escaped-keys.ts'

export interface Counts {
  /**
   * Maximum size of the text when a tokenizer reads it. Some tokenizers normalize to NFKC first, which can turn one
   * character into eighteen (docs/reference/tokens.md "At most one token per byte", measured). ASCII text cannot grow,
   * except for the characters that its escapes encode.
   */
  readonly boundBytes: number
  readonly thirds: number
}

/**
 * Parsed JSON, as a tape that refers to the bytes of the text.
 *
 * The gateway must change three or four values of a body, and leave every other byte as the client wrote it. Numbers
 * beyond 2^53, key order, escapes and unknown fields are all kept (docs/reference/wires.md "Unchanged bytes"). The
 * gateway therefore does not parse a body into objects and print it again. A single pass checks the grammar, and
 * records where every value starts and ends. Edits are then spliced into the bytes (apply-edits.ts).
 *
 * A value is four numbers: kind, first byte, byte after the last, and tape index after the whole value. With the last
 * number, a reader can skip the value. In an object, a key (a string) is followed by its value.
 */
export interface Json {
  readonly text: ByteText
  /** All parses share one tape, so read it before any `await` and before the next parse. */
  readonly tape: Int32Array
  /**
   * A key that a reader looked up and found twice in an object. Two parsers may pick different values, so the gateway
   * could charge for another value than the provider uses.
   */
  repeated: string | null
  /** Start and end positions of data strings, alternately. */
  readonly data: readonly number[]
  /** Counts of the text outside of data. Null if the counts have not been computed. */
  counts: Counts | null
}

/** Index of a value on the tape; the root is 0. */
export type Node = number

export const kinds = { object: 1, array: 2, string: 3, number: 4, true: 5, false: 6, null: 7 } as const
/** Added to the kind of a data string, which is long base64 under a media key. */
export const dataFlag = 8

const width = 4
/** The initial tape is small, because most bodies are small. */
const smallTape = 4096

export class TapeWriter {
  tape = new Int32Array(smallTape)
  length = 0
  /**
   * The container around the current position, or -1. The tape entry of an open container stores the container around
   * it.
   */
  around = -1

  clear(): void {
    this.length = 0
    this.around = -1
  }

  hasRoom(valuesMax: number): boolean {
    return this.length < valuesMax * width
  }

  get isInObject(): boolean {
    return this.around >= 0 && this.tape[this.around] === kinds.object
  }

  /** @param end the position after the value; 0 for a container, whose end is not known yet */
  add(kind: number, start: number, end: number): Node {
    const node = this.length
    if (node + width > this.tape.length) this.grow()
    const { tape } = this
    tape[node] = kind
    tape[node + 1] = start
    tape[node + 2] = end
    this.length = tape[node + 3] = node + width
    return node
  }

  open(kind: number, start: number): void {
    const node = this.add(kind, start, 0)
    this.tape[node + 3] = this.around
    this.around = node
  }

  close(end: number): void {
    const { tape, around } = this
    this.around = tape[around + 3] ?? -1
    tape[around + 2] = end
    tape[around + 3] = this.length
  }

  grow(): void {
    const larger = new Int32Array(this.tape.length * 2)
    larger.set(this.tape)
    this.tape = larger
  }
}

export function kindOf(json: Json, node: Node): number {
  return (json.tape[node] ?? 0) & ~dataFlag
}

/** Whether the value is a long base64 string under a media key. A data string does not count toward the text limit. */
export function isData(json: Json, node: Node): boolean {
  return ((json.tape[node] ?? 0) & dataFlag) !== 0
}

export function startOf(json: Json, node: Node): number {
  return json.tape[node + 1] ?? 0
}

export function endOf(json: Json, node: Node): number {
  return json.tape[node + 2] ?? 0
}

export function after(json: Json, node: Node): Node {
  return json.tape[node + 3] ?? 0
}

/** The first key of an object, or the first item of an array. The contents end before the node that `after` returns. */
export function inside(node: Node): Node {
  return node + width
}

export function valueOf(key: Node): Node {
  return key + width
}

export function keyBefore(value: Node): Node {
  return value - width
}

export function stringAt(json: Json, node: Node): string {
  const start = startOf(json, node)
  const end = endOf(json, node)
  const inner = textOf(json.text.slice(start + 1, end - 1))
  if (!inner.includes('\\')) return inner
  const parsed: unknown = JSON.parse(`"${inner}"`)
  return String(parsed)
}

/**
 * Responses use the same few names repeatedly, so the texts of keys are cached. A new text must be copied, and every
 * set in which it is looked up must hash it. Both together take a tenth of a microsecond.
 */
export function nameAt(json: Json, key: Node): string {
  const { text } = json
  const start = startOf(json, key) + 1
  const length = endOf(json, key) - 1 - start
  const place =
    (length * 37 + text.charCodeAt(start) * 7 + text.charCodeAt(start + length - 1)) & (namesMax - 1)
  const met = metNames[place] ?? ''
  if (met.length === length && text.startsWith(met, start)) return met
  const name = stringAt(json, key)
  // Do not cache a key with escapes or non-ASCII characters, because its text differs from its bytes.
  if (name.length !== length || length > metBytesMax) return name
  // The engine interns property names. An interned text retains no other text, and its hash is already computed.
  const own = Object.keys({ [name]: 0 })[0] ?? name
  metNames[place] = own
  return own
}

const namesMax = 256
const metBytesMax = 64
const metNames: string[] = Array.from({ length: namesMax }, () => '')

/** The result may be Infinity, as from JSON.parse, so check its range. */
export function numberAt(json: Json, node: Node): number {
  return Number(json.text.slice(startOf(json, node), endOf(json, node)))
}

/** Use this function only for small parts of a body. */
export function valueAt(json: Json, node: Node): unknown {
  const text = textOf(json.text.slice(startOf(json, node), endOf(json, node)))
  return hasEscapedKey(text) ? valueRead(json, node, Number) : JSON.parse(text)
}

/** The depth limit of the tape limits the recursion. */
export function valueRead(json: Json, node: Node, numberOf: (source: string) => unknown): unknown {
  const kind = kindOf(json, node)
  const end = after(json, node)
  if (kind === kinds.array) {
    const list: unknown[] = []
    for (let at = inside(node); at < end; at = after(json, at)) list.push(valueRead(json, at, numberOf))
    return list
  }
  if (kind === kinds.object) {
    const object: Record<string, unknown> = {}
    for (let key = inside(node); key < end; key = after(json, valueOf(key)))
      setMember(object, stringAt(json, key), valueRead(json, valueOf(key), numberOf))
    return object
  }
  if (kind === kinds.string) return stringAt(json, node)
  if (kind === kinds.number) return numberOf(json.text.slice(startOf(json, node), endOf(json, node)))
  return kind === kinds.null ? null : kind === kinds.true
}

/** An assignment to `__proto__` would set the prototype, so set an own property, as JSON.parse does. */
export function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true })
}

/**
 * Returns -1 if the value is absent or `object` is not an object. For a repeated key, returns the last value, like
 * JSON.parse, and notes the repetition.
 */
export function member(json: Json, object: Node, name: string): Node {
  let found = -1
  if (kindOf(json, object) !== kinds.object) return found
  const end = after(json, object)
  for (let key = inside(object); key < end; key = after(json, valueOf(key))) {
    if (!isKey(json, key, name)) continue
    if (found >= 0) json.repeated = name
    found = valueOf(key)
  }
  return found
}

/** Accepts any spelling of the key. `name` must be ASCII. */
function isKey(json: Json, key: Node, name: string): boolean {
  const { text } = json
  const start = startOf(json, key) + 1
  const length = endOf(json, key) - 1 - start
  if (length === name.length) return text.startsWith(name, start)
  // Escapes make a key at most six times as long as its name.
  if (length < name.length || length > name.length * 6) return false
  let at = start
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i)
    if (text.charCodeAt(at) !== 0x5c) {
      if (text.charCodeAt(at++) !== code) return false
      continue
    }
    // Escapes other than `\u` encode characters that no name contains.
    if (text.charCodeAt(at + 1) !== 0x75 || parseInt(text.slice(at + 2, at + 6), 16) !== code) return false
    at += 6
  }
  return at === start + length
}

export function sourceOf(json: Json, node: Node): ByteText {
  return json.text.slice(startOf(json, node), endOf(json, node))
}
