import type { Counts } from '#wire/text/json-tape.ts'
import { byteTextOf, hasBeyondAscii, type ByteText } from '#wire/text/byte-text.ts'

/**
 * Counts tokens from bytes alone. The gateway uses this count until the provider reports a count, or if the provider
 * never does.
 *
 * The two token counts have different purposes.
 * - The **bound** before dispatch is one token per byte, because byte-level BPE cannot emit more
 *   (docs/reference/tokens.md "At most one token per byte").
 * - The **count** during and after the response is an estimate, which is usually too high, for text in any script. The
 *   provider's exact count arrives only in the last event of a stream. An ASCII byte counts as a third of a token
 *   (English has about a quarter of a token per byte). A two-byte character counts as one token, a three-byte character
 *   (CJK) as four thirds, and a four-byte character (emoji) as three tokens. The start and the end of a sequence of
 *   digits count as additional tokens.
 *
 * All functions in this file count in thirds of a token, so that the count of a long stream is rounded only once.
 */
export function thirdsOf(text: ByteText, start: number, end: number): number {
  let thirds = 0
  let wasDigit = isDigit(text.charCodeAt(start))
  for (let i = start; i < end; i++) {
    const byte = text.charCodeAt(i)
    thirds += thirdsOfByte(byte)
    if (isDigit(byte) !== wasDigit) {
      thirds += digitBorder
      wasDigit = !wasDigit
    }
  }
  return thirds
}

/**
 * Thirds of a token that are added where a digit is next to another character. A token ends where a digit meets another
 * character, so numbers, dates, hex and IDs have far smaller tokens than words. Without the added tokens, the count for
 * hexadecimal text was only 0.6 of o200k's tokens (docs/reference/tokens.md "Counting the output of a stream").
 */
export const digitBorder = 3

export function tokensOfDigits(text: ByteText): number {
  let borders = 0
  let wasDigit = isDigit(text.charCodeAt(0))
  for (let i = 1; i < text.length; i++) {
    if (isDigit(text.charCodeAt(i)) === wasDigit) continue
    borders++
    wasDigit = !wasDigit
  }
  return tokensFromThirds(borders * digitBorder)
}

export function isDigit(code: number): boolean {
  return code <= 0x39 && code >= 0x30
}

/**
 * The first byte of a UTF-8 character counts for the whole character. The result for any other byte is 0.
 */
export function thirdsOfByte(byte: number): number {
  return byte < 0x80 ? 1 : byte >= 0xf0 ? 9 : byte >= 0xe0 ? 4 : byte >= 0xc0 ? 3 : 0
}

export function tokensFromThirds(thirds: number): number {
  return Math.ceil(thirds / 3)
}

/**
 * Returns the estimated tokens of signed reasoning that is not shown, in thirds of a token. The gateway cannot read
 * this reasoning, but the provider bills the reasoning. In recorded responses, a signature has about 800 characters
 * plus 7 per token. The estimate is usually higher than the billed tokens.
 */
export function thirdsOfSealed(bytes: number): number {
  return Math.max(0, Math.ceil((bytes - sealBytes) / 2))
}

const sealBytes = 800

/**
 * Maximum number of bytes that normalization can add to a JSON escape. The escape of U+FDFA has 6 bytes, and its
 * normalized text has 33 bytes.
 */
const escapeGrowthBytes = 27

/**
 * Returns the counts of a text without normalizing the text. ICU takes quadratic time to normalize unordered combining
 * marks: 0.5 s for 40,000 marks. Instead, the table `normalised` contains the growth of each character in NFKC and
 * NFKD. If a combining mark follows the character, the growth in NFKD applies, because the mark may prevent NFKC from
 * composing the character.
 * @param text valid UTF-8
 */
export function countsOf(text: ByteText): Counts {
  const walk = new CountWalk()
  walk.add(text)
  return walk.counts()
}

/** A piece never ends within a character or an escape. */
export class CountWalk {
  #bytes = 0
  #thirds = 0
  /** The entry of the table `normalised` for the previous character. 0 after an ASCII character. */
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

function escapesIn(text: ByteText): number {
  let escapes = 0
  if (text.length <= searchedMax) {
    for (let at = text.indexOf('\\u'); at >= 0; at = text.indexOf('\\u', at + 2)) escapes++
    return escapes
  }
  // Use `indexOf` only to find the first backslash: in a text of only backslashes, `indexOf` for each backslash would
  // be twenty times slower than a loop over the bytes.
  const first = text.indexOf('\\')
  if (first < 0) return 0
  for (let at = first; at < text.length; at++)
    if (text.charCodeAt(at) === 0x5c && text.charCodeAt(at + 1) === 0x75) escapes++
  return escapes
}

const searchedMax = 64 * 1024

/**
 * Growth of each character in NFKC and in NFKD, in bytes, and whether the character begins with a combining mark.
 * Filled when a character is first seen.
 */
const normalised = new Uint16Array(0x110000)
const growthMask = 0x3f
const apartShift = 6
const markFlag = 1 << 12
const knownFlag = 1 << 13

function normalise(character: number): number {
  // A number above 0x10ffff comes only from invalid UTF-8, whose count does not matter, but `fromCodePoint` must not
  // throw.
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

export function thirdsOfText(text: string): number {
  let thirds = 0
  let wasDigit = isDigit(text.charCodeAt(0))
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (isDigit(code) !== wasDigit) {
      thirds += digitBorder
      wasDigit = !wasDigit
    }
    if (code < 0x80) thirds += 1
    else if (code < 0x800) thirds += 3
    // The first half of a surrogate pair counts for the whole character, which has four bytes.
    else if (code >= 0xd800 && code < 0xdc00) thirds += 9
    else if (code < 0xdc00 || code >= 0xe000) thirds += 4
  }
  return thirds
}
