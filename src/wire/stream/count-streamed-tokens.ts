import { tokensFromThirds } from '#wire/bound/bound-tokens-of-any-text.ts'

/**
 * `written`: the model's words. `reasoned`: shown reasoning or a summary. `sealed`: a signature or encrypted text of
 * hidden reasoning. Another model may write the summary.
 */
export type OutputKind = 'written' | 'reasoned' | 'sealed'

/** Counts in thirds of a token (bound-tokens-of-any-text.ts). */
export class OutputCount {
  chunks = 0
  readonly #written = new Pieces()
  readonly #reasoned = new Pieces()
  readonly #sealed = new Pieces()

  add(kind: OutputKind, thirds: number): void {
    this.chunks++
    if (kind === 'written') this.#written.add(thirds)
    else if (kind === 'reasoned') this.#reasoned.add(thirds)
    else this.#sealed.add(thirds)
  }

  get tokens(): number {
    return this.#written.tokens + this.#reasoned.tokens + this.#sealed.tokens
  }

  /**
   * See AnswerStream.outputTokensSure. The first `summaryTokensFree` tokens of reasoning do not count, because a
   * provider counted no tokens for 35 recorded pieces of a summary. Later tokens count, because no summary is longer
   * than the reasoning that it summarizes. A signature does not count, because it does not prove a number of tokens.
   */
  get tokensSure(): number {
    return this.#written.tokensSure + Math.max(0, this.#reasoned.tokensSure - summaryTokensFree)
  }
}

const summaryTokensFree = 64

class Pieces {
  #count = 0
  #thirds = 0

  add(thirds: number): void {
    this.#thirds += thirds
    this.#count++
  }

  get tokens(): number {
    return Math.max(tokensFromThirds(this.#thirds), this.#count)
  }

  get tokensSure(): number {
    return Math.max(Math.min(this.#count, Math.ceil(this.#thirds / 4)), Math.floor(this.#thirds / 15))
  }
}
