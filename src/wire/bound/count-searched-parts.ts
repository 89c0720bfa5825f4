import type { ByteText } from '#wire/text/byte-text.ts'
import type { Span } from '#wire/wire-request.ts'
import { searchedMax, tokensAtMost } from './letter-pair-bound.ts'

/**
 * The parts of a body that are searched for common words and letter pairs. Each word or pair has fewer tokens than
 * bytes. The search takes about 3 ns per byte, so only a limited number of bytes is searched. Each byte beyond this
 * limit counts as one token.
 */
export class MergedBytes {
  readonly #spans: Span[] = []
  #left = searchedMax

  /** Adds a part of the body. Two parts must not overlap. */
  add(start: number, end: number): void {
    if (this.#left <= 0 || end <= start) return
    this.#spans.push({ start, end: Math.min(end, start + this.#left) })
    this.#left -= end - start
  }

  /**
   * Returns the number of bytes of the searched parts minus the maximum number of their tokens.
   * @param media parts of the body with media; a part with media is not searched, because media does not count as text
   */
  count(text: ByteText, media: readonly Span[]): number {
    let merged = 0
    for (const { start, end } of this.#spans)
      if (!media.some((one) => one.start < end && one.end > start))
        merged += end - start - tokensAtMost(text, start, end)
    return merged
  }
}
