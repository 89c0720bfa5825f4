import type * as z from 'zod'

/** A media type in which an operation can stream its response. */
export interface StreamType {
  readonly mediaType: string
  /** Description of the whole stream, for the OpenAPI document. */
  readonly description: string
  /** Schema of one row, or of the data of one event. */
  readonly item: z.ZodType
  /** The `event` field of events that contain rows. Other events describe the stream itself. */
  readonly event?: string
}

/**
 * A response that is produced while it is sent. No transaction is open while the response is sent: each piece is read
 * separately.
 */
export interface AnswerStream {
  readonly mediaType: string
  /** Additional response headers. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * Returns the pieces in order. The next piece is requested when the client has received the previous piece. If an
   * error is thrown, the connection is closed, so that no client treats the incomplete response as complete.
   * @param ending aborted when the client disconnects or loses access. If the client loses access, the abort reason is
   * a Failure. A stream that can report failures sends this Failure in its last piece.
   */
  readonly pieces: (ending: AbortSignal) => AsyncGenerator<string, void, void>
  /** Releases the stream's resources if no piece was ever requested. */
  readonly leave?: () => void
}

export function isAnswerStream(answer: unknown): answer is AnswerStream {
  return typeof answer === 'object' && answer !== null && 'pieces' in answer
}
