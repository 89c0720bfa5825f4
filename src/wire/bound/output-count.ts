import { tokensFromThirds } from './token-count.ts'

/**
 * What came out: words of the model; reasoning of which a summary may be shown that another model writes; a seal
 * over reasoning that is not shown.
 */
export type OutputKind = 'written' | 'reasoned' | 'sealed'

/** Counts what a stream brings, in thirds of a token (token-count.ts), as its pieces come. */
export class OutputCount {
  /** Pieces that carried something. */
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

  /** Leaning high. */
  get tokens(): number {
    return this.#written.tokens + this.#reasoned.tokens + this.#sealed.tokens
  }

  /**
   * Surely that many (AnswerStream.outputTokensSure). In a recorded answer 35 pieces of a summary stand for no
   * token; but nobody summarises more than was thought, so what goes beyond a few pieces is evidence like any
   * text. A seal says nothing of how many tokens there surely were.
   */
  get tokensSure(): number {
    return this.#written.tokensSure + Math.max(0, this.#reasoned.tokensSure - summaryTokensFree)
  }
}

const summaryTokensFree = 64

/** Of one kind. */
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
