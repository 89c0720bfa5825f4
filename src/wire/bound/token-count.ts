import type { Counts } from '#wire/text/json-tape.ts'
import { byteTextOf, hasBeyondAscii, type ByteText } from '#wire/text/byte-text.ts'

/**
 * Token counts from bytes alone, for when the provider says nothing yet or never will.
 *
 * Two different counts, for two different duties:
 * - the **bound** before dispatch is one token per byte: byte-level BPE cannot emit more
 * (docs/reference/tokens.md "One token a byte");
 * - the **count** while and after is an estimate that leans high per script, because the truth arrives
 *   only with the last frame: a third of a token for an ASCII byte (English is about a quarter), one for
 *   a two-byte character, four thirds for a three-byte one (CJK), three for a four-byte one (emoji).
 *
 * All counts of this file are in thirds of a token, whole numbers, so that a long stream rounds once; `thirds` in
 * other names is that unit.
 */
export function thirdsOf(text: ByteText, start: number, end: number): number {
  let thirds = 0
  for (let i = start; i < end; i++) {
    thirds += thirdsOfByte(text.charCodeAt(i))
  }
  return thirds
}

/** What one byte of UTF-8 counts: a character is counted with its first byte, and its others are nothing. */
export function thirdsOfByte(byte: number): number {
  return byte < 0x80 ? 1 : byte >= 0xf0 ? 9 : byte >= 0xe0 ? 4 : byte >= 0xc0 ? 3 : 0
}

export function tokensFromThirds(thirds: number): number {
  return Math.ceil(thirds / 3)
}

/**
 * Reasoning that is signed and not shown. It cannot be read, but it was written and is billed: in recorded
 * answers a signature is about 800 characters and 7 more for each token; the count leans high.
 */
export function thirdsOfSealed(bytes: number): number {
  return Math.max(0, Math.ceil((bytes - sealBytes) / 2))
}

const sealBytes = 800

/** U+FDFA is 3 bytes of UTF-8, and 33 once a tokenizer has normalised it; as an escape it is 6. */
const escapeGrowthBytes = 27

/**
 * @param text valid UTF-8
 *
 * The text itself is not normalised: ICU is quadratic in marks that follow one another out of order, 0.5 s for
 * 40,000 of them. What a character grows by is looked up instead. That a mark behind it may keep it from
 * being put together again is in the second number.
 */
export function countsOf(text: ByteText): Counts {
  const walk = new CountWalk()
  walk.add(text)
  return walk.counts()
}

/** The walk, over a text in pieces that are cut anywhere but within a character or an escape. */
export class CountWalk {
  #bytes = 0
  #thirds = 0
  /** What is known of the character before. */
  #before = 0

  add(text: ByteText): void {
    this.#bytes += text.length + escapesIn(text) * escapeGrowthBytes
    if (hasBeyondAscii(text)) this.#walk(text)
    else this.#thirds += text.length
  }

  counts(): Counts {
    return { boundBytes: this.#bytes + (this.#before & growthMask), thirds: this.#thirds }
  }

  #walk(text: ByteText): void {
    let growth = 0
    let thirds = 0
    let before = this.#before
    for (let i = 0; i < text.length; i++) {
      const byte = text.charCodeAt(i)
      thirds += thirdsOfByte(byte)
      if (byte < 0x80) {
        growth += before & growthMask
        before = 0
        continue
      }
      let character = byte >= 0xf0 ? byte & 0x07 : byte >= 0xe0 ? byte & 0x0f : byte & 0x1f
      for (let more = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 1; more > 0; more--)
        character = (character << 6) | (text.charCodeAt(++i) & 0x3f)
      const known = normalised[character] ?? 0
      const next = known === 0 ? normalise(character) : known
      growth += (next & markFlag) === 0 ? before & growthMask : (before >> apartShift) & growthMask
      before = next
    }
    this.#bytes += growth
    this.#thirds += thirds
    this.#before = before
  }
}

/** How often `\u` stands in it. */
function escapesIn(text: ByteText): number {
  let escapes = 0
  if (text.length <= searchedMax) {
    for (let at = text.indexOf('\\u'); at >= 0; at = text.indexOf('\\u', at + 2)) escapes++
    return escapes
  }
  // It may be backslashes alone, at each of which a search stops: twenty times as dear as to look at a byte by hand.
  const first = text.indexOf('\\')
  if (first < 0) return 0
  for (let at = first; at < text.length; at++)
    if (text.charCodeAt(at) === 0x5c && text.charCodeAt(at + 1) === 0x75) escapes++
  return escapes
}

const searchedMax = 64 * 1024

/**
 * Of each character, once it was met: by how many bytes it grows in NFKC; by how many in NFKD, where nothing is
 * put together again; whether it joins what stands before it.
 */
const normalised = new Uint16Array(0x110000)
const growthMask = 0x3f
const apartShift = 6
const markFlag = 1 << 12
const knownFlag = 1 << 13

function normalise(character: number): number {
  // What is beyond is no UTF-8, and only has to be survived.
  const text = String.fromCodePoint(Math.min(character, 0x10ffff))
  const apart = text.normalize('NFKD')
  const length = utf8Length(text)
  const growth = Math.max(0, utf8Length(text.normalize('NFKC')) - length)
  const growthApart = Math.max(0, utf8Length(apart) - length)
  const mark = /^\p{M}/u.test(apart) ? markFlag : 0
  return (normalised[character] = growth | (growthApart << apartShift) | mark | knownFlag)
}

function utf8Length(text: string): number {
  return byteTextOf(text).length
}

/** The same count of a text that is no bytes. */
export function thirdsOfText(text: string): number {
  let thirds = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x80) thirds += 1
    else if (code < 0x800) thirds += 3
    // A surrogate pair is one character of four bytes: counted with its first half.
    else if (code >= 0xd800 && code < 0xdc00) thirds += 9
    else if (code < 0xdc00 || code >= 0xe000) thirds += 4
  }
  return thirds
}
