import type * as z from 'zod'

/** A way in which an answer may be streamed. */
export interface StreamType {
  readonly mediaType: string
  /** What the whole of it is, for the document. */
  readonly description: string
  /** One row, or the data of one event. */
  readonly item: z.ZodType
  /** Kind of the events whose data are items; others tell of the stream itself. */
  readonly event?: string
}

/** An answer that is made while it is sent. No transaction is open meanwhile: each piece is read by itself. */
export interface AnswerStream {
  readonly mediaType: string
  /** Headers of its own. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * The pieces, in order; the next one is asked for when the client has taken the one before. A throw cuts the answer,
   * so that no client takes a part for the whole.
   * @param ending aborted when the client has left, or may have no more of it: the reason is then the Failure that says
   *   why, and a stream that can say so says it in its last piece
   */
  readonly pieces: (ending: AbortSignal) => AsyncGenerator<string, void, void>
  /** Gives back what it holds, where no piece was ever asked for. */
  readonly leave?: () => void
}

export function isAnswerStream(answer: unknown): answer is AnswerStream {
  return typeof answer === 'object' && answer !== null && 'pieces' in answer
}
