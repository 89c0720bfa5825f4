import type { CachedContent } from '#wire/cached-content-use-types.ts'
import type { Usage } from '#money/usage-counts.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { ProviderError } from '#wire/read-provider-error.ts'
import type { WireError } from '#wire/content-of-an-error.ts'

/**
 * A provider's stream on its way to the client. The tokens of the stream are counted while it is forwarded. The end is
 * **withheld**: `tail` returns the frames that show the client that the answer is complete, and the gateway writes
 * `tail` only after the settle has committed. When a client has received the end of an answer, the charge is therefore
 * already in the ledger.
 */
export interface AnswerStream {
  readonly state: StreamState
  /** The provider's error as received. The gateway must not show any part of it. */
  readonly failure: ProviderError | null
  /** The latest plausible usage report. Null until a plausible report arrives. */
  readonly usage: Usage | null
  /**
   * Usage of the input, as reported before the answer ends. If the stream is interrupted, this usage is needed, because
   * only the provider knows how many input tokens were cached. The output count in this early report is not reliable.
   */
  readonly inputUsage?: Usage | null
  /** True even if the reported usage is implausible. */
  readonly hasReportedUsage: boolean
  /** The provider's name of the model. Null or absent until the provider states a name. */
  readonly answeredBy?: string | null
  /**
   * Whether the client has received a visible part of the answer: a text, a thought, a call or an image. Framing, and
   * content that the client's wire cannot express, are not visible.
   */
  readonly hasDelivered: boolean
  /**
   * Whether the provider has sent an error, after which another event may report usage (responses). The stream then
   * stays open briefly, until the next event or the end.
   */
  readonly isFailing?: boolean
  /**
   * Whether the answer has a finish reason, but the provider has neither sent its end marker nor closed the stream.
   * Absent if the last event of the wire always ends the stream.
   */
  readonly isFinished?: boolean
  /** Whether the gateway itself ended the answer at a stop sequence, and must close the connection to the provider. */
  readonly isStopped?: boolean
  /** The provider's ID of the response. Null until the ID arrives. Absent on wires whose responses are not stored. */
  readonly responseId?: string | null
  /** Whether the response itself has failed, and not only its stream. */
  readonly hasFailed?: boolean
  /** Matches the media types of a stream that does not consist of server-sent events, such as sound. */
  readonly accepts?: RegExp
  /** Uses of the provider's tools that have begun. Absent if the wire has no tools that the provider runs. */
  readonly toolUses?: number
  /** Omitted frames that were not JSON and contained no words of the model. */
  readonly droppedFrames: number
  /** Pieces of the answer that have text or an unknown shape. Each of these pieces is at least one token. */
  readonly textChunks: number
  /** Estimated output tokens so far. Usually too high. */
  readonly outputTokens: number
  /**
   * Output tokens that certainly arrived, as evidence that a provider exceeded its maximum. Each piece with text counts
   * as one token, but all pieces together count at most one token per four ASCII characters. The count is at least one
   * token per 15 ASCII characters.
   */
  readonly outputTokensSure: number

  /**
   * Writes nothing before the first piece of an answer, so that an error can still become an HTTP status.
   * @returns the bytes to write to the client now; may be empty
   */
  push(chunk: ByteText): ByteText
  /** Ends the input after the provider has closed the stream. @returns the bytes to write before the tail */
  end(): ByteText
  /**
   * The end of a complete answer.
   * @param usage the settled usage, which is not written if the provider's own last frame is forwarded
   */
  tail(usage: Usage): ByteText
  spendTail(usage: Usage, error: WireError, requestId: string): ByteText
  /** For an answer that failed after its status was sent. */
  errorTail(error: WireError, requestId: string): ByteText
}

export type StreamState =
  | 'open'
  /** The frame that ends an answer has arrived, or the provider has closed the stream after a finish reason. */
  | 'done'
  | 'failed'
  /** A frame is not JSON, or is too large, or the withheld frames are too large. Later frames are not reliable. */
  | 'broken'

export interface WholeAnswer {
  readonly usage: Usage | null
  /** True even if the reported usage is implausible. */
  readonly hasReportedUsage: boolean
  /** The provider's name of the model. Null or absent if the provider states no name. */
  readonly answeredBy?: string | null
  /**
   * The reported output tokens. If the provider reports none, or reports 0 although the answer has words, this is the
   * gateway's own count.
   */
  readonly outputTokens: number
  /**
   * Set for a task whose complete response has no output tokens. If this is not set, a response with 0 output tokens
   * counts as empty.
   */
  readonly hasNoOutput?: true
  /** ID of a background response that is not complete yet. */
  readonly runningId?: string
  readonly cached?: CachedContent
  readonly body: ByteText
  /** Returns the body with the charged usage. Present only if the gateway itself counted the tokens of the body. */
  readonly bodyWith?: (usage: Usage) => ByteText
}
