import type { ByteText } from './byte-text.ts'
import { defaultLimits, type JsonFault, type JsonLimits } from './json-limits.ts'
import { byteOrderMark } from './byte-text.ts'
import { escapeEnd, numberBytesMax, numberEnd } from './ends-of-numbers-and-escapes.ts'
import { dataFlag, kinds, TapeWriter, type Json } from './json-tape.ts'
import { bytesPerEscape, dataBytesMin, dataEnd, isMediaName } from './find-base64-media-strings.ts'

const keyBytesMax = 16 * 1024
const spaceBytesMax = 64 * 1024
const isSpace = /[ \n\r\t]/

// All parses share one tape, because a new array for each parse would cost more than parsing a small body.
const scratch = new TapeWriter()

/** Checks that `text` is one JSON value, and records where each value in it starts and ends. */
export function parseJson(text: ByteText, limits: JsonLimits = defaultLimits): Json | JsonFault {
  scratch.clear()
  const parser = new JsonParser(text, limits, scratch)
  parser.step(never)
  return parser.result()
}

/** A position beyond the end of any text. Comparing with an integer is cheap. */
const never = 0x3fffffff

/** A step stops at least this many bytes before the end of the received text, so that it splits no escape. */
const slackBytes = 8
/** Maximum number of bytes that are examined to find the next value, without the contents of strings. */
const lookedAheadBytes = 5 * spaceBytesMax
/**
 * A loop examines the first bytes of a string, and then a native search examines the others. Most strings are shorter
 * than this number of bytes, and starting a search costs as much as looping over them.
 */
const loopedMax = 256
/** Like `loopedMax`, but low, because escapes often follow each other. */
const loopedAfterEscape = 16
// oxlint-disable-next-line no-control-regex -- they are what a string must not have
const special = /["\\\x00-\x1f]/g
const dataWindow = 1024 * 1024
const noData: readonly number[] = []

/**
 * A parse that can run in steps, so that a large body does not block the event loop. A step may stop in a string.
 *
 * If the body is still arriving, the parser gets one window of the body at a time (`goOn`). Bytes before the window are
 * not read again. Internal positions are relative to the window, and positions on the tape and in messages to the body.
 * At the end of a window, a number may be incomplete, and more input may resolve a fault. The number or the faulty text
 * is then read again from its start, together with the next window.
 */
export class JsonParser {
  readonly #tape: TapeWriter
  #text: ByteText
  #base = 0
  #isLast: boolean
  #end: number
  readonly #limits: JsonLimits
  /** Position in the body where the text exceeds its maximum size. Base64 data raises this limit. */
  #limit: number
  /** The parser reads nothing beyond this position: `#limit`, or the end of the window if that is earlier. */
  #stop: number
  #at = 0
  #depth = 0
  /** Node of the last key, or -1 before the first key. */
  #key = -1
  /** Whether the last key is a media key. Null while the key has not been checked. */
  #isMediaKey: boolean | null = null
  /** Whether the parser has read a value, but not the bytes after it. */
  #isBehind = false
  #pauseAt = never
  /** Position in the body of a string that the last step left unfinished, or -1. */
  #stringAt = -1
  #mayBeData = false
  #isInData = false
  /** Escapes in the data of the unfinished string. */
  #dataEscapes = 0
  #data: number[] | null = null
  #fault: JsonFault | null = null
  #isOver = false

  /**
   * @param tape an empty tape for the values
   * @param isLast whether `text` is all the input
   */
  constructor(text: ByteText, limits: JsonLimits = defaultLimits, tape = new TapeWriter(), isLast = true) {
    this.#text = text
    this.#end = text.length
    this.#isLast = isLast
    this.#limits = limits
    this.#limit = limits.textBytesMax ?? never
    this.#stop = Math.min(this.#limit, this.#end)
    this.#tape = tape
    this.#skipSpaceBefore()
  }

  /** Position in the body at which the next window must begin. */
  get at(): number {
    return this.#base + this.#at
  }

  /**
   * Continues after a step has reported that the parse is not complete.
   * @param text the received text from `at` on
   */
  goOn(text: ByteText, isLast: boolean): void {
    if (this.#key >= 0) this.#isMediaKey ??= this.#isMediaName()
    this.#base += this.#at
    this.#at = 0
    this.#text = text
    this.#end = text.length
    this.#isLast = isLast
    this.#stop = Math.min(this.#limit - this.#base, this.#end)
    if (this.#tape.length === 0 && this.#stringAt < 0) this.#skipSpaceBefore()
  }

  /** Continues the parse for about this many bytes. @returns whether the parse is over */
  step(bytes: number): boolean {
    this.#pauseAt = Math.min(this.#at + bytes, this.#isLast ? never : this.#end - slackBytes)
    while (!this.#isOver) {
      if (this.#at >= this.#pauseAt) return false
      if (!this.#isLast || this.#isBehind) {
        if (!this.#tryNext()) return false
        continue
      }
      // Here, the text is at the start of a value. The value is followed by another value, the end of the containers,
      // or the end of the text.
      const isOpen = this.#stringAt < 0 ? this.#value() : this.#goOnWithString()
      if (this.#fault === null && !isOpen && this.#stringAt < 0) while (this.#goesOnBehind());
    }
    return true
  }

  /** @returns false if the parser needs more text, and has read nothing */
  #tryNext(): boolean {
    const from = this.#at
    const [length, depth, around, key] = [this.#tape.length, this.#depth, this.#tape.around, this.#key]
    const [openAt, mayBeData, isInData] = [this.#stringAt, this.#mayBeData, this.#isInData]
    const [dataEscapes, isBehind] = [this.#dataEscapes, this.#isBehind]
    const isString = !isBehind && (openAt >= 0 || this.#text.charCodeAt(from) === 0x22)
    let isClosed = false
    if (isBehind) isClosed = this.#isBehind = this.#goesOnBehind()
    else {
      const isOpen = openAt < 0 ? this.#value() : this.#goOnWithString()
      this.#isBehind = !isOpen && this.#stringAt < 0
    }
    if (this.#isLast || this.#fault?.isTooLarge || isClosed) return true
    const isTold =
      this.#fault === null ? isString || this.#at < this.#end : this.#end - from > lookedAheadBytes
    if (isTold) return true
    this.#at = from
    this.#tape.length = length
    this.#depth = depth
    this.#tape.around = around
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

  /** Valid only after `step` has returned true. */
  get fault(): JsonFault | null {
    return this.#fault
  }

  /** Valid only after `step` has returned true. @param text the whole body */
  result(text: ByteText = this.#text): Json | JsonFault {
    const { tape } = this.#tape
    return this.#fault ?? { text, tape, repeated: null, data: this.#data ?? noData, counts: null }
  }

  /** @returns whether the value is a non-empty object or array, whose first member is next */
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
   * Closes the container that ends at this position, or moves to the next value.
   * @returns whether a container was closed, so that the bytes after it must also be checked
   */
  #goesOnBehind(): boolean {
    this.#skipSpace()
    if (this.#tape.around < 0) {
      if (this.#at < this.#end) this.#unexpected('after the value')
      else if (this.#at > this.#stop) this.#tooLarge()
      this.#isOver = true
      return false
    }
    const isObject = this.#tape.isInObject
    const next = this.#text.charCodeAt(this.#at)
    if (next === 0x2c) {
      this.#at++
      this.#skipSpace()
      if (isObject) this.#keyAndColon()
      return false
    }
    if (next !== (isObject ? 0x7d : 0x5d))
      return this.#unexpected(isObject ? 'where , or } should be' : 'where , or ] should be')
    this.#close()
    return true
  }

  #open(kind: number, closing: number): boolean {
    if (this.#depth >= this.#limits.depthMax)
      return this.#fail(`it is nested deeper than ${this.#limits.depthMax}`)
    if (!this.#hasRoom()) return false
    this.#tape.open(kind, this.#base + this.#at)
    this.#depth++
    this.#at++
    this.#skipSpace()
    if (this.#text.charCodeAt(this.#at) !== closing) return true
    this.#close()
    return false
  }

  #close(): void {
    this.#at++
    this.#depth--
    this.#tape.close(this.#base + this.#at)
  }

  #keyAndColon(): boolean {
    if (this.#text.charCodeAt(this.#at) !== 0x22) return this.#unexpected('where a key should start')
    const start = this.#at
    this.#key = this.#tape.length
    this.#isMediaKey = null
    if (!this.#string(true)) return false
    if (this.#at - start > keyBytesMax) return this.#fail(`a key is longer than ${keyBytesMax} bytes`)
    this.#skipSpace()
    if (this.#text.charCodeAt(this.#at) !== 0x3a) return this.#unexpected('where : should be')
    this.#at++
    this.#skipSpace()
    return true
  }

  #string(ofKey: boolean): boolean {
    const start = this.#at
    this.#mayBeData = !ofKey
    this.#isInData = false
    return this.#walk(start, start + 1, start + loopedMax, ofKey)
  }

  #goOnWithString(): false {
    const start = this.#stringAt - this.#base
    this.#stringAt = -1
    if (this.#isInData) this.#walkData(start, this.#at)
    else this.#walk(start, this.#at, Math.max(this.#at, start + loopedMax), false)
    return false
  }

  /** @param searchAt position from which a search replaces the walk byte by byte */
  #walk(start: number, from: number, searchAt: number, ofKey: boolean): boolean {
    const text = this.#text
    let at = from
    let search = searchAt
    let mayBeData = this.#mayBeData && this.#tape.isInObject
    const end = Math.min(this.#stop, ofKey ? start + keyBytesMax : this.#pauseAt)
    // If an escape is at the end of an incomplete window, read it again from its start.
    const searchedTo = this.#isLast && !ofKey ? this.#stop : end
    for (;;) {
      let byte = text.charCodeAt(at)
      if (byte === 0x22) break
      if (at >= search) {
        search = never
        if (mayBeData && (this.#isMediaKey ?? this.#isMediaName())) {
          this.#mayBeData = false
          this.#isInData = true
          this.#dataEscapes = 0
          return this.#walkData(start, at)
        }
        mayBeData = false
        at = this.#nextSpecial(at, Math.max(at, searchedTo))
        byte = text.charCodeAt(at)
        if (byte === 0x22) break
      }
      if (at >= end) {
        if (at < this.#stop && !ofKey) return this.#leave(start, at)
        if (at < this.#stop) return this.#fail(`a key is longer than ${keyBytesMax} bytes`)
        if (at < this.#end) return this.#tooLarge()
        // Read an incomplete key again from its start.
        return this.#isLast || ofKey
          ? this.#fail(`a string that starts at byte ${this.#base + start} does not end`)
          : this.#leave(start, at)
      }
      if (byte < 0x20) return this.#fail(`a control character is not escaped at byte ${this.#base + at}`)
      at++
      if (byte !== 0x5c) continue
      const after = escapeEnd(text, at)
      if (after < 0)
        return this.#fail(
          `${text.charCodeAt(at) === 0x75 ? 'a \\u' : 'an'} escape is invalid at byte ${this.#base + at}`,
        )
      at = after
      if (search === never) search = at + loopedAfterEscape
    }
    this.#at = at + 1
    return this.#leaf(kinds.string, start)
  }

  /** Searches for the end of base64 in native code, because an image may be megabytes. */
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
      // Only the escapes `\/`, `\n` and `\r` can occur in base64.
      if (text.charCodeAt(at) !== 0x5c || (escaped !== 0x2f && escaped !== 0x6e && escaped !== 0x72)) break
      at += 2
      this.#dataEscapes++
    }
    this.#isInData = false
    // This string is not media. Its bytes up to `at` are valid in any string, so parsing continues after these bytes.
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

  /** Finds the next byte that ends a string or must be checked, or else `until`, by a search in native code. */
  #nextSpecial(from: number, until: number): number {
    special.lastIndex = from
    return special.test(this.#text) ? Math.min(special.lastIndex - 1, until) : until
  }

  #isMediaName(): boolean {
    const { tape } = this.#tape
    const start = (tape[this.#key + 1] ?? 0) - this.#base
    const end = (tape[this.#key + 2] ?? 0) - this.#base
    return isMediaName(this.#text, start + 1, end - 1)
  }

  #number(): false {
    const start = this.#at
    const end = numberEnd(this.#text, start)
    if (end === 0) return this.#unexpected('where a value should start')
    if (end < 0) return this.#fail(`a number is invalid at byte ${this.#base - end}`)
    if (end >= start + numberBytesMax) return this.#fail(`a number is longer than ${numberBytesMax} bytes`)
    this.#at = end
    this.#leaf(kinds.number, start)
    return false
  }

  #literal(word: string, kind: number): false {
    const start = this.#at
    if (!this.#text.startsWith(word, start)) return this.#unexpected('where a value should start')
    this.#at = start + word.length
    this.#leaf(kind, start)
    return false
  }

  #leaf(kind: number, start: number): boolean {
    if (!this.#hasRoom()) return false
    this.#tape.add(kind, this.#base + start, this.#base + this.#at)
    return true
  }

  /** Whether the limits allow the text read so far, and one more value. */
  #hasRoom(): boolean {
    if (this.#at > this.#stop) return this.#tooLarge()
    if (this.#tape.hasRoom(this.#limits.valuesMax)) return true
    return this.#fail(`it has more than ${this.#limits.valuesMax} values`)
  }

  /** Does not move if only white space has been received. */
  #skipSpaceBefore(): void {
    this.#skipSpace()
    if (!this.#isLast && this.#at >= this.#end) this.#at = 0
  }

  #skipSpace(): void {
    const text = this.#text
    let byte = text.charCodeAt(this.#at)
    if (byte > 0x20) return
    const end = Math.min(this.#stop + 1, this.#at + spaceBytesMax)
    while ((byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) && this.#at < end)
      byte = text.charCodeAt(++this.#at)
  }

  #unexpected(where: string): false {
    if (this.#at > this.#stop) return this.#tooLarge()
    // White space that remains here is longer than the limit.
    if (isSpace.test(this.#text.charAt(this.#at)))
      return this.#fail(`white space is longer than ${spaceBytesMax} bytes`)
    if (this.#at >= this.#end) return this.#fail('it ends too early')
    const isMarked = this.at === 0 && this.#text.startsWith(byteOrderMark)
    return this.#fail(isMarked ? markFault : `unexpected character ${where} at byte ${this.at}`)
  }

  #tooLarge(): false {
    return this.#fail(`its text is larger than ${this.#limits.textBytesMax} bytes`, true)
  }

  #fail(reason: string, isTooLarge?: true): false {
    this.#fault = isTooLarge ? { reason, isTooLarge } : { reason }
    this.#isOver = true
    return false
  }
}

/** RFC 8259 8.1 permits a parser to reject a byte order mark. Anthropic's API also rejects it, with a similar reason. */
const markFault = 'it begins with a byte order mark; send UTF-8 without a byte order mark'
