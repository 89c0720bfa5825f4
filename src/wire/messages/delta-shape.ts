import type { ByteText } from '#wire/text/byte-text.ts'
import { thirdsOfByte } from '#wire/bound/token-count.ts'

/**
 * What the deltas of one block have in common: all that stands before their text. Behind it there are only
 * two closing braces, with as many spaces between as the provider likes (it pads its frames at random, so
 * that their lengths tell nothing), and so the next delta is known by one comparison in native code.
 */
export interface DeltaShape {
  readonly before: ByteText
  readonly isThinking: boolean
}

/** The text of a delta of this shape, in thirds of a token; -1 when the event is something else. */
export function thirdsInDelta(shape: DeltaShape, text: ByteText, start: number, end: number): number {
  const from = start + shape.before.length
  // Compared as a slice: equality compares words, startsWith single characters.
  if (from >= end || text.slice(start, from) !== shape.before) return -1
  let thirds = 0
  for (let at = from; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return isEnd(text, at + 1, end) ? thirds : -1
    if (code < 0x20) return -1
    if (code === 0x5c) {
      // What is escaped is one character, and `\u` four more; it cannot end the text.
      thirds += 2
      at++
    } else thirds += thirdsOfByte(code)
  }
  return -1
}

/** `}`, spaces, `}`, and the end of the lines. */
export function isEnd(text: ByteText, start: number, end: number): boolean {
  if (text.charCodeAt(start) !== 0x7d) return false
  let at = start + 1
  while (text.charCodeAt(at) === 0x20) at++
  if (at >= end || text.charCodeAt(at) !== 0x7d) return false
  for (at++; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code !== 0x0a && code !== 0x0d) return false
  }
  return true
}
