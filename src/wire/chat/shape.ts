import type { ByteText } from '#wire/byte-text.ts'
import { thirdsOfByte } from '#wire/count.ts'

/**
 * What the chunks of one stream have in common. Nearly all of them are the same but for the few
 * characters that the model wrote: once one has been scanned, the next is recognised by what stands
 * before and behind its text, which is two comparisons in native code instead of a scan of every byte.
 */
export interface Shape {
  readonly before: ByteText
  readonly behind: ByteText
  /** The same two as the client shall have them: the alias in place, a usage it did not ask for gone. */
  readonly editedBefore: ByteText
  readonly editedBehind: ByteText
}

/** The text of a chunk of this shape, in thirds of a token; -1 when the chunk is of another shape. */
export function thirdsInShape(shape: Shape, text: ByteText, start: number, end: number): number {
  const from = start + shape.before.length
  const to = end - shape.behind.length
  if (to < from) return -1
  // Compared as slices: startsWith is compiled to a loop over single characters, which was a third of the
  // CPU of a busy stream; equality compares words.
  if (text.slice(start, from) !== shape.before || text.slice(to, end) !== shape.behind) return -1
  let thirds = 0
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    // An end of the string or an escape: what looks like the same frame may be another.
    if (code === 0x22 || code === 0x5c || code < 0x20) return -1
    thirds += thirdsOfByte(code)
  }
  return thirds
}

/**
 * A copy that keeps nothing else alive. A slice holds on to the whole chunk of the network that it is
 * of; joined with one character more and cut again, it is of a string of its own length.
 */
export function copied(text: ByteText): ByteText {
  return `${text} `.slice(0, -1)
}
