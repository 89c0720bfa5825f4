import type { CachedContent } from '#wire/cached-content-use-types.ts'
import type { Usage } from '#money/usage-counts.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { ProviderError } from '#wire/read-provider-error.ts'
import type { WireError } from '#wire/content-of-an-error.ts'

/**
 * A provider's stream on its way to the client. The tokens of the stream are counted as the stream is forwarded. The
 * end is **withheld**: `tail` returns the frames that show the client that the answer is complete, and the gateway
 * writes `tail` only after the settle has committed. When a client has received the end of an answer, the charge is
 * therefore already in the ledger.
 */
export interface AnswerStream {
  readonly state: StreamState
  /** The provider's error as received. The gateway must not show any part of this error yet. */
  readonly failure: ProviderError | null
  /** The provider's latest usage report. Null while there is no plausible report. */
  readonly usage: Usage | null
  /**
   * The usage of the input, as the provider reports it before the answer ends. This usage is needed if the stream is
   * interrupted, because only the provider knows how many input tokens were cached. The output count in this early
   * report is not reliable.
   */
  readonly inputUsage?: Usage | null
  /** Whether a usage was reported, even an implausible one. */
  readonly hasReportedUsage: boolean
  /** The provider's name for the responding model. Null or absent until the provider states a name. */
  readonly answeredBy?: string | null
  /**
   * Whether the client has received a visible part of the answer: a text, a thought, a call or an image. Framing, and
   * content that the client's wire cannot express, are not visible.
   */
  readonly hasDelivered: boolean
  /**
   * Whether the provider has sent an error, after which another event may report usage (responses). The stream then
   * stays open for a short time, until the next event or the end.
   */
  readonly isFailing?: boolean
  /**
   * Whether the gateway itself ended the answer at a stop sequence. The provider would continue, so the gateway must
   * close the connection to the provider.
   */
  readonly isStopped?: boolean
  /** The provider's ID of the response. Null until the ID arrives. Absent on wires whose responses are not stored. */
  readonly responseId?: string | null
  /** Whether the provider reported that the response itself has failed, and not only its stream. */
  readonly hasFailed?: boolean
  /** For a stream that does not consist of server-sent events, such as sound: matches its media types. */
  readonly accepts?: RegExp
  /** Number of uses of the provider's tools that have begun. Absent if the wire has no tools that the provider runs. */
  readonly toolUses?: number
  /** Number of omitted frames that were not JSON and contained no words of the model. */
  readonly droppedFrames: number
  /** Number of pieces of the answer that have text or an unknown shape. Each of these pieces is at least one token. */
  readonly textChunks: number
  /** Estimated output tokens so far. The estimate is usually too high. */
  readonly outputTokens: number
  /**
   * Output tokens that certainly arrived, as evidence that a provider exceeded its maximum. Each piece with text counts
   * as one token, but all pieces together count at most one token per four ASCII characters. The count is never below
   * one token per 15 ASCII characters.
   */
  readonly outputTokensSure: number

  /**
   * @returns the bytes to write to the client now; empty if no bytes are to be written now. Nothing is written before
   * the first piece of an answer, so that an error before the first piece can still become an HTTP status.
   */
  push(chunk: ByteText): ByteText
  /** Ends the input after the provider has closed the stream. @returns the bytes to write before the tail */
  end(): ByteText
  /**
   * Returns the end of a complete answer.
   * @param usage the settled usage, which is not written if the provider's own last frame is forwarded
   */
  tail(usage: Usage): ByteText
  /** Returns the end of an answer that the spend limit has interrupted. */
  spendTail(usage: Usage, error: WireError, requestId: string): ByteText
  /** Returns the end of an answer that failed after its status was sent. */
  errorTail(error: WireError, requestId: string): ByteText
}

export type StreamState =
  | 'open'
  /** The frame that ends an answer has arrived, or the provider has closed the stream after a finish reason. */
  | 'done'
  /** The provider sent an error in the stream. */
  | 'failed'
  /** A frame is not JSON, or a frame or the withheld frames are too large. The gateway cannot rely on later frames. */
  | 'broken'

/** A non-streaming response: its usage, and its bytes with the client's model name. */
export interface WholeAnswer {
  readonly usage: Usage | null
  /** Whether a usage was reported, even an implausible one. */
  readonly hasReportedUsage: boolean
  /** The provider's name for the responding model. Null or absent if the provider states no name. */
  readonly answeredBy?: string | null
  /**
   * The reported output tokens. If the provider reports no count, or reports 0 although the answer has words, the
   * gateway's own count is used.
   */
  readonly outputTokens: number
  /**
   * Set for a task whose complete response has no output tokens. If `hasNoOutput` is not set, a response with 0 output
   * tokens counts as empty.
   */
  readonly hasNoOutput?: true
  /** The provider's ID of a background response that is not complete yet. Absent for any other response. */
  readonly runningId?: string
  /** The cached content that the provider has created or changed. Absent for any other response. */
  readonly cached?: CachedContent
  readonly body: ByteText
  /** Returns the body with the charged usage. Present only if the gateway itself counted the tokens in the body. */
  readonly bodyWith?: (usage: Usage) => ByteText
}
