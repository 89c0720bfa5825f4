import type { Usage } from '#money/usage-counts.ts'
import type { OutputKind } from './count-streamed-tokens.ts'
import type { ProviderError } from '#wire/read-provider-error.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { JsonLimits } from '#wire/text/json-limits.ts'
import type { Json } from '#wire/text/json-tape.ts'
import type { Edit } from '#wire/text/apply-edits.ts'
import type { SseEvent } from '#wire/text/split-server-sent-events.ts'
import type { WireError } from '#wire/content-of-an-error.ts'
import type { FrameShape, Hole } from './recognize-repeated-frame-shapes.ts'

/** Reads the frames of one stream. The calling code forwards the frames. */
export interface FrameReader {
  /** The fields `usage`, `inputUsage`, `hasReportedUsage` and `answeredBy` are explained in `AnswerStream`. */
  readonly usage: Usage | null
  readonly inputUsage?: Usage | null
  readonly hasReportedUsage: boolean
  readonly answeredBy: string | null
  /** `AnswerStream` explains `toolUses`, `responseId` and `hasFailed`. */
  readonly toolUses?: number
  readonly responseId?: string | null
  readonly hasFailed?: boolean
  /**
   * Output tokens counted by the provider so far. The reported count includes thoughts that the provider does not show.
   */
  readonly outputReported?: number
  /**
   * Set if a stream of this wire has no end marker and ends when the connection closes. If the connection is lost, the
   * stream may then end with an incomplete frame. In a stream that ends by closing, lines end with CRLF.
   */
  readonly endsByClosing?: true
  /** Converts a frame's data for a client that gets only the data of events. Everything else in an event is dropped. */
  readonly bare?: ((data: ByteText, isFirst: boolean) => ByteText) | null

  /**
   * Reads the data of a frame of unknown shape.
   * @param mayLearn whether the calling code can use the positions at which the next frames will probably differ
   *   (`Frame.holes`)
   */
  read(json: Json, mayLearn: boolean): Frame | FailedFrame | BrokenFrame
  /** Reads the frame that follows a failed frame with `mayTellMore: true`. */
  readAfterFailure?(json: Json): void
  /**
   * Called when the provider has closed the stream or sent `[DONE]`.
   * @returns the missing part of the end for the client; null if the answer is not complete
   */
  ending(isMarked: boolean): ByteText | null
  /** Returns the end of a complete answer, after the provider's own frames. */
  closing?(isFirst: boolean): ByteText
  /**
   * Returns the end of an answer that the spend limit interrupted, like `AnswerStream.spendTail`.
   * @param isFirst whether nothing was sent to the client before
   */
  spendTail(usage: Usage, error: WireError, requestId: string, isFirst: boolean): ByteText
  /** Returns the end of an answer that failed, like `AnswerStream.errorTail`. */
  errorTail(error: WireError, requestId: string, isFirst: boolean): ByteText
}

/** A frame that the gateway forwards. The positions are relative to the data of the frame. */
export interface Frame {
  /**
   * - `answer`: a piece of the answer. The first piece is sent together with all frames that were withheld before it.
   * - `beside`: a frame that is withheld until the answer has begun
   * - `end`: a frame that is withheld until the request is settled
   * - `nowhere`: a frame that is never sent to the client
   */
  readonly place: 'answer' | 'beside' | 'end' | 'nowhere'
  /** Whether the frame contains a part of the answer that the client can see. */
  readonly isShown: boolean
  /** Output in this frame, in thirds of a token. 0 means no output. */
  readonly thirds: number
  /** The kind of the output. Absent for words that the model wrote. */
  readonly kind?: OutputKind
  /** Thirds of a token for encrypted reasoning in the same frame. */
  readonly sealThirds?: number
  readonly edits?: readonly Edit[]
  /** Whether the frame ends the answer. */
  readonly isLast?: boolean
  /** Whether the withheld frames turned out not to be the end, so that they are sent before this frame. */
  readonly isResumed?: boolean
  /**
   * The positions at which the next frames will probably differ. Null for a position that does not occur in this frame.
   */
  readonly holes?: readonly (Hole | null)[]
  /** Called for each later frame that has the same shape and was therefore not parsed. */
  readonly onLike?: (shape: FrameShape, thirds: number, event: SseEvent) => void
}

/** An error from the provider. No part of the frame may be shown. */
export interface FailedFrame {
  readonly place: 'failed'
  readonly failure: ProviderError | null
  /** Whether the frame after the error may report usage. */
  readonly mayTellMore?: boolean
}

/** A frame that cannot be read. The gateway cannot rely on the rest of the stream. */
export interface BrokenFrame {
  readonly place: 'broken'
}

export const brokenFrame: BrokenFrame = { place: 'broken' }

/**
 * The limits for the JSON of a provider's response. A response repeats the tools and schemas of its request one level
 * deeper, in addition to the whole output.
 */
export const answerLimits: JsonLimits = { depthMax: 128, valuesMax: 1_000_000 }
