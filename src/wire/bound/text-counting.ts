import { CountWalk } from './token-count.ts'
import type { Counts, Json } from '#wire/text/json-tape.ts'

/** The counts of all that is not data in a large body, a part at a time. */
export class TextCounting {
  readonly #json: Json
  readonly #walk = new CountWalk()
  #at = 0
  /** Of the next string that is data. */
  #next = 0

  constructor(json: Json) {
    this.#json = json
  }

  /** Goes on for about so many bytes. @returns whether all is counted */
  step(bytes: number): boolean {
    const { text, data } = this.#json
    let left = bytes
    while (this.#at < text.length && left > 0) {
      const start = data[this.#next] ?? text.length
      const end = cut(text, Math.min(start, this.#at + left))
      this.#walk.add(text.slice(this.#at, end))
      left -= end - this.#at
      this.#at = end
      if (end < start || start === text.length) continue
      this.#at = data[this.#next + 1] ?? text.length
      this.#next += 2
    }
    return this.#at >= text.length
  }

  get counts(): Counts {
    return this.#walk.counts()
  }
}

/** Where the text can be cut at `at` or soon behind it: before a character, and not within an escape. */
function cut(text: string, at: number): number {
  let end = at
  while (end < text.length && ((text.charCodeAt(end) & 0xc0) === 0x80 || text.charCodeAt(end - 1) === 0x5c))
    end++
  return end
}
