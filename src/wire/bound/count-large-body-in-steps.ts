import { CountWalk } from './bound-tokens-of-any-text.ts'
import type { Counts, Json } from '#wire/text/json-tape.ts'

/** Counts the tokens of a large body without its base64 data, one part at a time. */
export class TextCounting {
  readonly #json: Json
  readonly #walk = new CountWalk()
  #at = 0
  #next = 0

  constructor(json: Json) {
    this.#json = json
  }

  /** Counts about `bytes` more bytes of the body. @returns whether the whole body is counted */
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

/** Returns the first position at or after `at` that splits neither a character nor an escape. */
function cut(text: string, at: number): number {
  let end = at
  while (end < text.length && ((text.charCodeAt(end) & 0xc0) === 0x80 || text.charCodeAt(end - 1) === 0x5c))
    end++
  return end
}
