import { hasBeyondAscii, textOf } from './byte-text.ts'
import type { ByteText } from './byte-text.ts'

/**
 * Token counts from bytes alone, for when the provider says nothing yet or never will.
 *
 * Two different counts, for two different duties:
 * - the **bound** before dispatch is one token per byte: byte-level BPE cannot emit more (tokens.md 1.2);
 * - the **count** while and after is an estimate that leans high per script, because the truth arrives
 *   only with the last frame: a third of a token for an ASCII byte (English is about a quarter), one for
 *   a two-byte character, four thirds for a three-byte one (CJK), three for a four-byte one (emoji).
 *
 * Kept in thirds of a token so that a long stream rounds once.
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

/** U+FDFA is 3 bytes of UTF-8, and 33 once a tokenizer has normalised it; as an escape it is 6. */
const escapeGrowthBytes = 27

/**
 * Bytes of the text as a tokenizer may see it: some normalise to NFKC first, which can make one
 * character eighteen (tokens.md 1.2, measured). ASCII text cannot grow, but for what its escapes hide.
 */
export function boundBytes(text: ByteText): number {
  let escapes = 0
  for (let at = text.indexOf('\\u'); at >= 0; at = text.indexOf('\\u', at + 2)) escapes++
  const growth = escapes * escapeGrowthBytes
  if (!hasBeyondAscii(text)) return text.length + growth
  return Math.max(text.length, utf8Length(textOf(text).normalize('NFKC'))) + growth
}

function utf8Length(text: string): number {
  let length = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    // A surrogate is half of four bytes.
    length += code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3
  }
  return length
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
