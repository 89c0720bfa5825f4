import { thirdsOf, tokensFromThirds } from './token-count.ts'
import { after, endOf, inside, kindOf, kinds, startOf, valueOf } from '#wire/text/json-tape.ts'
import type { Json, Node } from '#wire/text/json-tape.ts'

/** Counts what a stream brings, in thirds of a token (token-count.ts), as its pieces come. */
export class OutputCount {
  /** Pieces that carried text. */
  chunks = 0
  #thirds = 0

  add(thirds: number): void {
    this.#thirds += thirds
    this.chunks++
  }

  /** Leaning high. */
  get tokens(): number {
    return Math.max(tokensFromThirds(this.#thirds), this.chunks)
  }

  /** Surely that many (AnswerStream.outputTokensSure). */
  get tokensSure(): number {
    return Math.max(Math.min(this.chunks, Math.ceil(this.#thirds / 4)), Math.floor(this.#thirds / 15))
  }
}

/**
 * How many tokens thoughts surely were. What is shown of them may be a summary, which another model writes: in
 * a recorded answer 35 pieces of one stand for no token. But nobody summarises more than was thought, so what
 * goes beyond a few pieces is evidence like any text.
 */
export function sureOfReasoned(count: OutputCount): number {
  return Math.max(0, count.tokensSure - summaryTokensFree)
}

const summaryTokensFree = 64

/** Every text in a value of a whole answer: what the model wrote, and the little framing between. */
export function thirdsOfTexts(json: Json, root: Node): number {
  const kind = kindOf(json, root)
  if (kind === kinds.string) return thirdsOf(json.text, startOf(json, root) + 1, endOf(json, root) - 1)
  let thirds = 0
  const end = after(json, root)
  if (kind === kinds.object) {
    for (let key = inside(root); key < end; key = after(json, valueOf(key)))
      thirds += thirdsOfTexts(json, valueOf(key))
  } else if (kind === kinds.array) {
    for (let item = inside(root); item < end; item = after(json, item)) thirds += thirdsOfTexts(json, item)
  }
  return thirds
}
