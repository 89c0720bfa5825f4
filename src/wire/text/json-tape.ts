import { textOf, type ByteText } from './byte-text.ts'
import { hasEscapedKey } from './escaped-keys.ts'

/** Both counts of a text, in one walk over it. */
export interface Counts {
  /**
   * Bytes of the text as a tokenizer may see it: some normalise to NFKC first, which can make one character
   * eighteen (docs/reference/tokens.md "One token a byte", measured). ASCII text cannot grow, but for what
   * its escapes hide.
   */
  readonly boundBytes: number
  readonly thirds: number
}

/**
 * JSON as a tape over its own bytes.
 *
 * The gateway must change three or four values of a body and leave every other byte as the client
 * wrote it: numbers past 2^53, key order, escapes and unknown fields all survive (docs/reference/wires.md
 * "What passes through"). So a body is not parsed into objects and printed again. One pass checks the grammar
 * and notes for every value where it starts and ends; edits are then spliced into the bytes (splice.ts).
 *
 * A value is four numbers on the tape: kind, first byte, byte after the last, and the tape index after
 * the whole value, so that a reader steps over what it does not care about. In an object a key (a
 * string) is followed by its value.
 */
export interface Json {
  readonly text: ByteText
  /** `parseJson`: shared by all parses, good until the next one, so read what is needed before anything is awaited. */
  readonly tape: Int32Array
  /**
   * A key that a reader has looked for and found twice in one object. Two parsers may take two different ones
   * of them: the one that is charged and the one that is run.
   */
  repeated: string | null
  /** Starts and ends of the strings that are data, in turn. */
  readonly data: readonly number[]
  /** Of all that is not data, where it was counted already; else whoever needs them counts. */
  counts: Counts | null
}

/** Index of a value on the tape; the root is 0. */
export type Node = number

export const kinds = { object: 1, array: 2, string: 3, number: 4, true: 5, false: 6, null: 7 } as const
/** Stands with the kind of a string that is data. */
export const dataFlag = 8

const width = 4
/** Most bodies are small. */
const smallTape = 4096

/** A tape that is being written, a value at a time. */
export class TapeWriter {
  tape = new Int32Array(smallTape)
  length = 0
  /** The container around, -1 for none. It has the one around itself on the tape, until it is closed. */
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

  /** @param end of a container: not known yet */
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

/** A long string of base64 under a name that media have; it is not among the text that is limited. */
export function isData(json: Json, node: Node): boolean {
  return ((json.tape[node] ?? 0) & dataFlag) !== 0
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

/** The key that a value belongs to. */
export function keyBefore(value: Node): Node {
  return value - width
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

/**
 * The text of a key. Answers have the same few names again and again, and one that was met gives the text made then:
 * a new one costs a copy here and a hash in whichever set it is looked up in, a tenth of a microsecond together.
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
  // One with escapes or beyond ASCII is shorter than its bytes, or not the same.
  if (name.length !== length || length > metBytesMax) return name
  // As the name of a property a text is the engine's own, which holds on to no other and is hashed.
  const own = Object.keys({ [name]: 0 })[0] ?? name
  metNames[place] = own
  return own
}

const namesMax = 256
const metBytesMax = 64
const metNames: string[] = Array.from({ length: namesMax }, () => '')

/** The number as JSON.parse would give it; check its range, it may be Infinity. */
export function numberAt(json: Json, node: Node): number {
  return Number(json.text.slice(startOf(json, node), endOf(json, node)))
}

/** The value itself, for the small parts that are worth it. */
export function valueAt(json: Json, node: Node): unknown {
  const text = textOf(json.text.slice(startOf(json, node), endOf(json, node)))
  return hasEscapedKey(text) ? valueRead(json, node, Number) : JSON.parse(text)
}

/** As JSON.parse has it, key by key. Recursion is bounded by the depth that the tape was read with. */
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

/** JSON.parse makes `__proto__` a member like any other; an assignment would set the prototype. */
export function setMember(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value
  else Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true })
}

/** The value under `name`; -1 where there is none, or no object. Of a repeated key the last, as JSON.parse has it; it is noted. */
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

/** Whether a key means `name`, which must be ASCII, however it is spelt. */
function isKey(json: Json, key: Node, name: string): boolean {
  const { text } = json
  const start = startOf(json, key) + 1
  const length = endOf(json, key) - 1 - start
  if (length === name.length) return text.startsWith(name, start)
  // An escape makes a key longer than what it means, six times at most.
  if (length < name.length || length > name.length * 6) return false
  let at = start
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i)
    if (text.charCodeAt(at) !== 0x5c) {
      if (text.charCodeAt(at++) !== code) return false
      continue
    }
    // No name has a character that another escape stands for.
    if (text.charCodeAt(at + 1) !== 0x75 || parseInt(text.slice(at + 2, at + 6), 16) !== code) return false
    at += 6
  }
  return at === start + length
}
