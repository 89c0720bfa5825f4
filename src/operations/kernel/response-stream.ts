import type * as z from 'zod'

export interface StreamType {
  readonly mediaType: string
  readonly description: string
  readonly item: z.ZodType
  /** The `event` field of events with rows. Other events describe the stream itself. */
  readonly event?: string
}

/** No transaction is open while the response is sent, because each piece is read separately. */
export interface AnswerStream {
  readonly mediaType: string
  readonly headers: Readonly<Record<string, string>>
  /**
   * The next piece is requested when the client has received the previous piece. If an error is thrown, the connection
   * is closed, so that no client treats the incomplete response as complete.
   * @param ending aborted when the client disconnects or loses access. If the client loses access, the abort reason is
   *   a Failure, which the last piece can report.
   */
  readonly pieces: (ending: AbortSignal) => AsyncGenerator<string, void, void>
  /** Releases the stream's resources if no piece was ever requested. */
  readonly leave?: () => void
}

export function isAnswerStream(answer: unknown): answer is AnswerStream {
  return typeof answer === 'object' && answer !== null && 'pieces' in answer
}
