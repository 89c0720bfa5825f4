import type { ByteText } from '#wire/text/byte-text.ts'
import type { Span } from '#wire/wire-request.ts'
import { searchedMax, tokensAtMost } from './letter-pair-bound.ts'

/**
 * The parts of a body that are searched for common words and letter pairs. The search takes about 3 ns per byte, so the
 * number of searched bytes is limited. Each byte beyond this limit counts as one token.
 */
export class MergedBytes {
  readonly #spans: Span[] = []
  #left = searchedMax

  /** Two parts must not overlap. */
  add(start: number, end: number): void {
    if (this.#left <= 0 || end <= start) return
    this.#spans.push({ start, end: Math.min(end, start + this.#left) })
    this.#left -= end - start
  }

  /**
   * Returns the saved tokens: the bytes of the searched parts minus the maximum tokens of these parts.
   * @param media parts of the body that are not searched, because media does not count as text
   */
  count(text: ByteText, media: readonly Span[]): number {
    let merged = 0
    const ordered = media.toSorted((one, other) => one.start - other.start)
    for (const span of this.#spans)
      if (!overlapsOne(span, ordered))
        merged += span.end - span.start - tokensAtMost(text, span.start, span.end)
    return merged
  }
}

/** @param media parts in order, which do not overlap; a binary search, because there may be thousands of parts */
function overlapsOne({ end, start }: Span, media: readonly Span[]): boolean {
  let from = 0
  let to = media.length
  while (from < to) {
    const middle = (from + to) >> 1
    if ((media[middle]?.end ?? 0) <= start) from = middle + 1
    else to = middle
  }
  return (media[from]?.start ?? Infinity) < end
}
