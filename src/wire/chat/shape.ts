import type { ByteText } from '#wire/text/byte-text.ts'
import { thirdsOfByte } from '#wire/bound/token-count.ts'

/** A span of an event that is the same in all events of a shape, and what the client gets in its place. */
export interface Fixed {
  readonly given: ByteText
  /** The alias in place, a usage that the client did not ask for gone. */
  readonly edited: ByteText
}

/**
 * What the chunks of one stream have in common. Nearly all of them are the same but for the few
 * characters that the model wrote: once one has been scanned, the next is recognised by what stands
 * before and behind its text, which is two comparisons in native code instead of a scan of every byte.
 *
 * OpenAI pads each chunk with `obfuscation`, a text of another length each time, so that the length of a
 * chunk does not tell the length of its token: what stands before and behind that is compared instead.
 */
export class Shape {
  readonly #before: Fixed
  /** Between the text and the padding; null where there is no padding. */
  readonly #middle: Fixed | null
  readonly #behind: Fixed
  /** Of the event that was matched last: where its text ends, and where its padding starts. */
  #textEnd = 0
  #paddingStart = 0

  constructor(before: Fixed, middle: Fixed | null, behind: Fixed) {
    this.#before = before
    this.#middle = middle
    this.#behind = behind
  }

  /** The text of a chunk of this shape, in thirds of a token; -1 when the chunk is of another shape. */
  thirdsIn(text: ByteText, start: number, end: number): number {
    const from = start + this.#before.given.length
    const to = end - this.#behind.given.length
    if (to < from) return -1
    // Compared as slices: startsWith is compiled to a loop over single characters, which was a third of the
    // CPU of a busy stream; equality compares words.
    if (text.slice(start, from) !== this.#before.given || text.slice(to, end) !== this.#behind.given)
      return -1
    let thirds = 0
    let at = from
    for (;;) {
      if (at >= to) break
      const code = text.charCodeAt(at)
      if (code === 0x22) break
      if (code < 0x20) return -1
      if (code === 0x5c) {
        // What is escaped cannot end the text.
        thirds += 2
        at += 2
      } else {
        thirds += thirdsOfByte(code)
        at++
      }
    }
    this.#textEnd = at
    if (this.#middle === null) return at === to ? thirds : -1
    const { given } = this.#middle
    this.#paddingStart = at + given.length
    if (this.#paddingStart > to || text.slice(at, this.#paddingStart) !== given) return -1
    for (let inner = this.#paddingStart; inner < to; inner++) {
      const code = text.charCodeAt(inner)
      if (code === 0x22 || code === 0x5c || code < 0x20) return -1
    }
    return thirds
  }

  /** The event that was matched last, as the client shall have it. */
  edited(text: ByteText, start: number, end: number): ByteText {
    const written = text.slice(start + this.#before.given.length, this.#textEnd)
    if (this.#middle === null) return this.#before.edited + written + this.#behind.edited
    const padding = text.slice(this.#paddingStart, end - this.#behind.given.length)
    return this.#before.edited + written + this.#middle.edited + padding + this.#behind.edited
  }
}

/**
 * A copy that keeps nothing else alive. A slice holds on to the whole chunk of the network that it is
 * of; joined with one character more and cut again, it is of a string of its own length.
 */
export function copied(text: ByteText): ByteText {
  return `${text} `.slice(0, -1)
}
