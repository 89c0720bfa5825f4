import type * as z from 'zod'

/** A media type that an operation can stream its response as. */
export interface StreamType {
  readonly mediaType: string
  /** Description of the whole stream, for the OpenAPI document. */
  readonly description: string
  /** Schema of one row, or of the data of one event. */
  readonly item: z.ZodType
  /** The `event` field of events that carry items. Other events describe the stream itself. */
  readonly event?: string
}

/** A response that is produced while it is sent. No transaction is open meanwhile: each piece is read separately. */
export interface AnswerStream {
  readonly mediaType: string
  /** Additional response headers. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * Returns the pieces in order. The next piece is requested when the client has taken the previous one. A thrown error
   * breaks off the response, so that no client mistakes a part for the whole.
   * @param ending aborted when the client disconnects or loses access. In the second case, the reason is the Failure that explains it. A stream that can report failures sends it in its last piece.
   */
  readonly pieces: (ending: AbortSignal) => AsyncGenerator<string, void, void>
  /** Releases the stream's resources if no piece was ever requested. */
  readonly leave?: () => void
}

export function isAnswerStream(answer: unknown): answer is AnswerStream {
  return typeof answer === 'object' && answer !== null && 'pieces' in answer
}
