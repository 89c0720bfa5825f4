import { textOf, type ByteText } from './byte-text.ts'

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

export interface JsonFault {
  readonly reason: string
  /** Nothing is wrong with it but that its text is larger than it may be. */
  readonly isTooLarge?: true
}

/** Index of a value on the tape; the root is 0. */
export type Node = number

export const kinds = { object: 1, array: 2, string: 3, number: 4, true: 5, false: 6, null: 7 } as const
/** Stands with the kind of a string that is data. */
const dataFlag = 8

export interface JsonLimits {
  /** JSON.stringify and structuredClone of deeper values throw in V8 (docs/reference/threats.md "Depth"). */
  readonly depthMax: number
  readonly valuesMax: number
  /** Of all that is not media as base64; absent: no other than the body's own. */
  readonly textBytesMax?: number
}
const defaults: JsonLimits = { depthMax: 64, valuesMax: 150_000 }

/** A modulus of RSA has 1,234 digits. */
const numberBytesMax = 4096
const keyBytesMax = 16 * 1024
const spaceBytesMax = 64 * 1024
const isSpace = /[ \n\r\t]/
/** A shorter string is text whatever is in it. */
export const dataBytesMin = 4096

const width = 4
// One for all: most bodies are small, and an array of numbers for each costs more than its parse.
const smallTape = 4096
let scratch = new Int32Array(smallTape)

/** Checks that `text` is one JSON value and says where its parts are. */
export function parseJson(text: ByteText, limits: JsonLimits = defaults): Json | JsonFault {
  const parser = new JsonParser(text, limits, scratch)
  parser.step(never)
  scratch = parser.tape
  return parser.result()
}

/** Beyond the end of any text; an integer, with which comparing is cheap. */
const never = 0x3fffffff

/** Between the place of a string where it is left and the end of what has come: no escape is longer. */
const slackBytes = 8
/** More than is looked at from one value to the next, but for what is in strings. */
const lookedAheadBytes = 5 * spaceBytesMax

/** A string is walked so far before it is searched: most are shorter, and a search costs as much as that. */
const loopedMax = 256
// oxlint-disable-next-line no-control-regex -- they are what a string must not have
const control = /[\x00-\x1f]/
/** Ends a run of base64, of either alphabet. */
const dataBreak = /[^A-Za-z0-9+/=_-]/g
/** Searched at a time. */
const dataWindow = 1024 * 1024
/** Of the closing quote of a string: behind all the text that there may be. */
const tooFar = -2
const noData: readonly number[] = []
/** Some write `/` as `\/` in it, or break its lines; what is mostly escapes is text. */
const bytesPerEscape = 32
/** Where media stand. Base64 under any other name is text: somebody may read it as such. */
const mediaKeys = ['data', 'url', 'image_url', 'file_data'] as const

/**
 * The parse, which may be done a part at a time: it keeps nothing on the engine's stack, so a large body
 * need not hold the event loop from its first byte to its last. A string may be left in its middle as well.
 *
 * A body that still comes is given a window at a time (`goOn`); what is behind it is not looked at again. Inside,
 * places are those of the window; on the tape and in messages they are those of the body. What cannot be told
 * from what has come, a number that may have another digit or a fault that may be none, is read again from its
 * start with the next window.
 */
export class JsonParser {
  tape: Int32Array<ArrayBuffer>
  #text: ByteText
  /** Of the window, in the body. */
  #base = 0
  /** Whether nothing comes behind the window. */
  #isLast: boolean
  #end: number
  readonly #limits: JsonLimits
  /** Where in the body the text is larger than it may be: farther with each byte of data. */
  #limit: number
  /** The same in the window, at most its end. */
  #stop: number
  #at = 0
  #length = 0
  #depth = 0
  /** The container around, -1 for none. It has the one around itself on the tape, until it is closed. */
  #around = -1
  /** The first backslash that was looked for last. */
  #escapeAt = -1
  /** The key that was read last, and whether media have it; null where it is still in the window to be looked at. */
  #key = -1
  #isMediaKey: boolean | null = null
  /** Whether a value was read, and what is behind it was not. */
  #isBehind = false
  #pauseAt = never
  /** The string that a step has left in its middle, in the body; -1 for none. */
  #stringAt = -1
  /** Whether it is still to be looked at as data, whether it is, and the escapes in it. */
  #mayBeData = false
  #isInData = false
  #dataEscapes = 0
  #data: number[] | null = null
  #fault: string | null = null
  #isTooLarge = false
  #isOver = false

  /**
   * @param tape to write on; a larger one takes its place where it is too small
   * @param isLast whether `text` is all there is
   */
  constructor(
    text: ByteText,
    limits: JsonLimits = defaults,
    tape = new Int32Array(smallTape),
    isLast = true,
  ) {
    this.#text = text
    this.#end = text.length
    this.#isLast = isLast
    this.#limits = limits
    this.#limit = limits.textBytesMax ?? never
    this.#stop = Math.min(this.#limit, this.#end)
    this.tape = tape
    this.#skipSpaceBefore()
  }

  /** Where the next window has to begin, in the body. */
  get at(): number {
    return this.#base + this.#at
  }

  /**
   * More of the body has come, and the last step has said that it is not over.
   * @param text what there is from `at` on
   */
  goOn(text: ByteText, isLast: boolean): void {
    if (this.#key >= 0) this.#isMediaKey ??= this.#isMediaName()
    this.#base += this.#at
    this.#at = 0
    this.#escapeAt = -1
    this.#text = text
    this.#end = text.length
    this.#isLast = isLast
    this.#stop = Math.min(this.#limit - this.#base, this.#end)
    if (this.#length === 0 && this.#stringAt < 0) this.#skipSpaceBefore()
  }

  /** Goes on for about so many bytes. @returns whether it has come to the end, or to a fault */
  step(bytes: number): boolean {
    this.#pauseAt = Math.min(this.#at + bytes, this.#isLast ? never : this.#end - slackBytes)
    while (!this.#isOver) {
      if (this.#at >= this.#pauseAt) return false
      if (!this.#isLast || this.#isBehind) {
        if (!this.#tryNext()) return false
        continue
      }
      // A value starts here. What is behind it is another one, the end of the containers around, or the end.
      const isOpen = this.#stringAt < 0 ? this.#value() : this.#goOnWithString()
      if (this.#fault !== null) this.#isOver = true
      else if (!isOpen && this.#stringAt < 0) while (this.#goesOnBehind());
    }
    return true
  }

  /** @returns false: what has come does not tell, and nothing was read */
  #tryNext(): boolean {
    const from = this.#at
    const [length, depth, around, key] = [this.#length, this.#depth, this.#around, this.#key]
    const [openAt, mayBeData, isInData] = [this.#stringAt, this.#mayBeData, this.#isInData]
    const dataEscapes = this.#dataEscapes
    const isBehind = this.#isBehind
    const isString = !isBehind && (openAt >= 0 || this.#text.charCodeAt(from) === 0x22)
    let isClosed = false
    if (isBehind) isClosed = this.#isBehind = this.#goesOnBehind()
    else {
      const isOpen = openAt < 0 ? this.#value() : this.#goOnWithString()
      this.#isBehind = !isOpen && this.#stringAt < 0
      if (this.#fault !== null) this.#isOver = true
    }
    if (this.#isLast || this.#isTooLarge || isClosed) return true
    const isTold =
      this.#fault === null ? isString || this.#at < this.#end : this.#end - from > lookedAheadBytes
    if (isTold) return true
    this.#at = from
    this.#length = length
    this.#depth = depth
    this.#around = around
    this.#key = key
    this.#stringAt = openAt
    this.#mayBeData = mayBeData
    this.#isInData = isInData
    this.#dataEscapes = dataEscapes
    this.#isBehind = isBehind
    this.#fault = null
    this.#isOver = false
    return false
  }

  /** Once `step` has said that it is over. */
  get fault(): JsonFault | null {
    if (this.#fault === null) return null
    return this.#isTooLarge ? { reason: this.#fault, isTooLarge: true } : { reason: this.#fault }
  }

  /** Once `step` has said that it is over. @param text the whole body */
  result(text: ByteText = this.#text): Json | JsonFault {
    const { fault } = this
    if (fault !== null) return fault
    return { text, tape: this.tape, repeated: null, data: this.#data ?? noData, counts: null }
  }

  /** @returns whether it is a container with something in it, whose first value is next */
  #value(): boolean {
    switch (this.#text.charCodeAt(this.#at)) {
      case 0x7b:
        return this.#open(kinds.object, 0x7d) && this.#keyAndColon()
      case 0x5b:
        return this.#open(kinds.array, 0x5d)
      case 0x22:
        this.#string(false)
        return false
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

  /**
   * Closes what ends here, or comes to the next value.
   * @returns whether something was closed, behind which it is to be looked as well
   */
  #goesOnBehind(): boolean {
    this.#skipSpace()
    if (this.#around < 0) {
      if (this.#at < this.#end) this.#unexpected('after the value')
      else if (this.#at > this.#stop) this.#tooLarge()
      this.#isOver = true
      return false
    }
    const isObject = this.tape[this.#around] === kinds.object
    const next = this.#text.charCodeAt(this.#at)
    if (next === 0x2c) {
      this.#at++
      this.#skipSpace()
      if (isObject && !this.#keyAndColon()) this.#isOver = true
      return false
    }
    if (next !== (isObject ? 0x7d : 0x5d)) {
      this.#unexpected(isObject ? 'where , or } should be' : 'where , or ] should be')
      this.#isOver = true
      return false
    }
    this.#close()
    return true
  }

  /** @returns whether there is something in it */
  #open(kind: number, closing: number): boolean {
    if (this.#depth >= this.#limits.depthMax)
      return this.#fail(`it is nested deeper than ${this.#limits.depthMax}`)
    const node = this.#push(kind, this.#at)
    if (node < 0) return false
    this.tape[node + 3] = this.#around
    this.#around = node
    this.#depth++
    this.#at++
    this.#skipSpace()
    if (this.#text.charCodeAt(this.#at) !== closing) return true
    this.#close()
    return false
  }

  #close(): void {
    const node = this.#around
    this.#around = this.tape[node + 3] ?? -1
    this.#at++
    this.#depth--
    this.tape[node + 2] = this.#base + this.#at
    this.tape[node + 3] = this.#length
  }

  #keyAndColon(): boolean {
    if (this.#text.charCodeAt(this.#at) !== 0x22) return this.#unexpected('where a key should start')
    const start = this.#at
    this.#key = this.#length
    this.#isMediaKey = null
    if (!this.#string(true)) return false
    if (this.#at - start > keyBytesMax) return this.#fail(`a key is longer than ${keyBytesMax} bytes`)
    this.#skipSpace()
    if (this.#text.charCodeAt(this.#at) !== 0x3a) return this.#unexpected('where : should be')
    this.#at++
    this.#skipSpace()
    return true
  }

  /** @returns whether it has come to its end */
  #string(ofKey: boolean): boolean {
    const start = this.#at
    if (ofKey) return this.#walk(start, start + 1, start + loopedMax, true)
    this.#mayBeData = true
    this.#isInData = false
    return this.#walk(start, start + 1, start + loopedMax, false)
  }

  #goOnWithString(): false {
    const start = this.#stringAt - this.#base
    this.#stringAt = -1
    if (this.#isInData) this.#walkData(start, this.#at)
    else this.#walk(start, this.#at, Math.max(this.#at, start + loopedMax), false)
    return false
  }

  /** @param searchAt where it is looked at in another way than byte for byte */
  #walk(start: number, from: number, searchAt: number, ofKey: boolean): boolean {
    const text = this.#text
    let at = from
    let search = searchAt
    const end = Math.min(this.#stop, ofKey ? start + keyBytesMax : this.#pauseAt)
    for (;;) {
      const byte = text.charCodeAt(at)
      if (byte === 0x22) break
      if (at >= search) {
        search = never
        if (!ofKey && this.#mayBeData && this.#isMedia()) {
          this.#mayBeData = false
          this.#isInData = true
          this.#dataEscapes = 0
          return this.#walkData(start, at)
        }
        const plain = this.#plainEnd(at)
        if (plain === tooFar && !ofKey) return this.#tooLarge()
        if (plain >= 0) {
          at = plain
          if (text.charCodeAt(at) === 0x22) break
        }
      }
      if (at >= end) {
        if (at < this.#stop && !ofKey) return this.#leave(start, at)
        if (at < this.#stop) return this.#fail(`a key is longer than ${keyBytesMax} bytes`)
        if (at < this.#end) return this.#tooLarge()
        // Of a key it is read again from its start.
        return this.#isLast || ofKey
          ? this.#fail(`a string that starts at byte ${this.#base + start} does not end`)
          : this.#leave(start, at)
      }
      if (byte < 0x20) return this.#fail(`a control character stands unescaped at byte ${this.#base + at}`)
      at++
      if (byte !== 0x5c) continue
      const escaped = text.charCodeAt(at)
      if (escaped === 0x75) {
        for (let i = 1; i <= 4; i++)
          if (!isHex(text.charCodeAt(at + i)))
            return this.#fail(`a \\u escape is broken at byte ${this.#base + at}`)
        at += 5
      } else if (isEscape(escaped)) at++
      else return this.#fail(`an escape is broken at byte ${this.#base + at}`)
    }
    this.#at = at + 1
    return this.#leaf(kinds.string, start)
  }

  /** Looks for the end of base64 by searches in native code: a picture is megabytes. */
  #walkData(start: number, from: number): boolean {
    const text = this.#text
    let at = from
    while ((this.#dataEscapes - 8) * bytesPerEscape <= at - start) {
      if (at >= this.#pauseAt && at < this.#end) return this.#leave(start, at)
      const windowEnd = Math.min(at + dataWindow, this.#isLast ? this.#end : this.#pauseAt)
      const breakAt = dataEnd(text, at, windowEnd)
      if (breakAt === windowEnd) {
        at = windowEnd
        if (at >= this.#end) break
        continue
      }
      at = breakAt
      const escaped = text.charCodeAt(at + 1)
      // \/ \n \r
      if (text.charCodeAt(at) !== 0x5c || (escaped !== 0x2f && escaped !== 0x6e && escaped !== 0x72)) break
      at += 2
      this.#dataEscapes++
    }
    this.#isInData = false
    // What was passed is good in any string.
    if (text.charCodeAt(at) !== 0x22 || at - start < dataBytesMin) return this.#walk(start, at, at, false)
    this.#at = at + 1
    this.#limit += at - start
    this.#stop = Math.min(this.#limit - this.#base, this.#end)
    this.#data ??= []
    this.#data.push(this.#base + start, this.at)
    return this.#leaf(kinds.string | dataFlag, start)
  }

  #leave(start: number, at: number): false {
    this.#stringAt = this.#base + start
    this.#at = at
    return false
  }

  /**
   * The closing quote of a long string that has neither escapes nor faults in it, by searches in native code; where
   * the quote has not come, how far all is plain. -1: it has to be walked.
   */
  #plainEnd(from: number): number {
    const text = this.#text
    if (this.#escapeAt < from) {
      const found = text.indexOf('\\', from)
      this.#escapeAt = found < 0 ? this.#end : found
    }
    const quote = text.indexOf('"', from)
    if ((quote < 0 || quote > this.#stop) && this.#stop < this.#end) return tooFar
    const to = quote < 0 && !this.#isLast ? this.#pauseAt : quote
    if (to < from || this.#escapeAt < to) return -1
    return control.test(text.slice(from, to)) ? -1 : to
  }

  /** Whether the value is one that media have. */
  #isMedia(): boolean {
    if (this.#around < 0 || this.tape[this.#around] !== kinds.object) return false
    return this.#isMediaKey ?? this.#isMediaName()
  }

  #isMediaName(): boolean {
    const start = (this.tape[this.#key + 1] ?? 0) + 1 - this.#base
    const length = (this.tape[this.#key + 2] ?? 0) - 1 - this.#base - start
    return mediaKeys.some((name) => name.length === length && this.#text.startsWith(name, start))
  }

  #number(): false {
    const text = this.#text
    const start = this.#at
    const limit = start + numberBytesMax
    let at = start
    if (text.charCodeAt(at) === 0x2d) at++
    if (text.charCodeAt(at) === 0x30) at++
    else if (isDigit(text.charCodeAt(at))) at = digitsEnd(text, at, limit)
    else return this.#unexpected('where a value should start')
    if (text.charCodeAt(at) === 0x2e) {
      at++
      if (!isDigit(text.charCodeAt(at))) return this.#fail(`a number is broken at byte ${this.#base + at}`)
      at = digitsEnd(text, at, limit)
    }
    const exponent = text.charCodeAt(at)
    if (exponent === 0x65 || exponent === 0x45) {
      at++
      if (text.charCodeAt(at) === 0x2b || text.charCodeAt(at) === 0x2d) at++
      if (!isDigit(text.charCodeAt(at))) return this.#fail(`a number is broken at byte ${this.#base + at}`)
      at = digitsEnd(text, at, limit)
    }
    if (at >= limit) return this.#fail(`a number is longer than ${numberBytesMax} bytes`)
    this.#at = at
    this.#leaf(kinds.number, start)
    return false
  }

  #literal(word: string, kind: number): false {
    const start = this.#at
    for (let i = 0; i < word.length; i++) {
      if (this.#text.charCodeAt(start + i) !== word.charCodeAt(i))
        return this.#unexpected('where a value should start')
    }
    this.#at = start + word.length
    this.#leaf(kind, start)
    return false
  }

  #leaf(kind: number, start: number): boolean {
    const node = this.#push(kind, start)
    if (node < 0) return false
    this.tape[node + 2] = this.#base + this.#at
    this.tape[node + 3] = this.#length
    return true
  }

  /** @returns the new node; -1 where the text is too large, or there are too many */
  #push(kind: number, start: number): number {
    const node = this.#length
    if (this.#at > this.#stop) this.#tooLarge()
    else if (node >= this.#limits.valuesMax * width)
      this.#fail(`it has more than ${this.#limits.valuesMax} values`)
    if (this.#fault !== null) return -1
    if (node + width > this.tape.length) {
      const larger = new Int32Array(this.tape.length * 2)
      larger.set(this.tape)
      this.tape = larger
    }
    this.tape[node] = kind
    this.tape[node + 1] = this.#base + start
    this.#length = node + width
    return node
  }

  /** What stands before the first value; as long as there is nothing else, it is not passed. */
  #skipSpaceBefore(): void {
    this.#skipSpace()
    if (!this.#isLast && this.#at >= this.#end) this.#at = 0
  }

  #skipSpace(): void {
    const text = this.#text
    const end = Math.min(this.#stop + 1, this.#at + spaceBytesMax)
    let byte = text.charCodeAt(this.#at)
    while ((byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) && this.#at < end)
      byte = text.charCodeAt(++this.#at)
  }

  #unexpected(where: string): false {
    if (this.#at > this.#stop) return this.#tooLarge()
    // Nothing else leaves any where something is expected.
    if (isSpace.test(this.#text.charAt(this.#at)))
      return this.#fail(`white space is longer than ${spaceBytesMax} bytes`)
    return this.#fail(
      this.#at >= this.#end ? 'it ends too early' : `unexpected character ${where} at byte ${this.at}`,
    )
  }

  #tooLarge(): false {
    this.#isTooLarge = true
    return this.#fail(`its text is larger than ${this.#limits.textBytesMax} bytes`)
  }

  #fail(reason: string): false {
    this.#fault = reason
    return false
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

/** The number as JSON.parse would give it; check its range, it may be Infinity. */
export function numberAt(json: Json, node: Node): number {
  return Number(json.text.slice(startOf(json, node), endOf(json, node)))
}

/** The value itself, for the small parts that are worth it. */
export function valueAt(json: Json, node: Node): unknown {
  return JSON.parse(textOf(json.text.slice(startOf(json, node), endOf(json, node))))
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

/** Where base64 ends between the two, of either alphabet; `to` where it does not. */
function dataEnd(text: ByteText, from: number, to: number): number {
  const at = from + decodableBytes(text, from, to)
  dataBreak.lastIndex = 0
  return dataBreak.test(text.slice(at, to)) ? at + dataBreak.lastIndex - 1 : to
}

const decoded = Buffer.allocUnsafeSlow(48 * 1024)
/** Four of them are three bytes. */
const decodedBytesMax = (decoded.length / 3) * 4

/**
 * How far there is base64 between the two, at least, found by decoding it: a twentieth of what a search costs.
 * What is none is passed over by the decoder, and makes fewer bytes of as many characters.
 */
function decodableBytes(text: ByteText, from: number, to: number): number {
  let at = from
  while (to - at >= decodedBytesMax) {
    if (decoded.write(text.slice(at, at + decodedBytesMax), 'base64') < decoded.length) break
    at += decodedBytesMax
  }
  return at - from
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

function digitsEnd(text: ByteText, from: number, limit: number): number {
  let at = from
  while (isDigit(text.charCodeAt(at)) && at < limit) at++
  return at
}

function isHex(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66)
}

/** The characters that may follow a backslash, `u` apart. */
const escapes = new Uint8Array(256)
for (const character of '"\\/bfnrt') escapes[character.charCodeAt(0)] = 1

function isEscape(byte: number): boolean {
  return escapes[byte] === 1
}
