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

export interface FrameReader {
  /** See `AnswerStream`. */
  readonly usage: Usage | null
  readonly inputUsage?: Usage | null
  readonly hasReportedUsage: boolean
  readonly answeredBy: string | null
  /** See `AnswerStream`. */
  readonly toolUses?: number
  readonly responseId?: string | null
  readonly hasFailed?: boolean
  /** Output tokens that the provider has reported so far, including thoughts that the provider does not show. */
  readonly outputReported?: number
  /**
   * Set if a stream of this wire ends when the connection closes, without an end marker. A lost connection may then
   * leave an incomplete frame at the end. Lines of such a stream end with CRLF.
   */
  readonly endsByClosing?: true
  /** Converts a frame's data for a client that gets only data. Everything else in an event is dropped. */
  readonly bare?: ((data: ByteText, isFirst: boolean) => ByteText) | null

  /**
   * Reads a frame of unknown shape.
   * @param mayLearn whether the caller can use `Frame.holes`
   */
  read(json: Json, mayLearn: boolean): Frame | FailedFrame | BrokenFrame
  readAfterFailure?(json: Json): void
  /**
   * Called when the provider has closed the stream or sent `[DONE]`.
   * @returns the missing part of the end for the client; null if the answer is not complete
   */
  ending(isMarked: boolean): ByteText | null
  /** Written after the provider's own frames of a complete answer. */
  closing?(isFirst: boolean): ByteText
  /**
   * See `AnswerStream.spendTail`.
   * @param isFirst whether nothing has been sent to the client
   */
  spendTail(usage: Usage, error: WireError, requestId: string, isFirst: boolean): ByteText
  errorTail(error: WireError, requestId: string, isFirst: boolean): ByteText
}

/** Positions are relative to the data of the frame. */
export interface Frame {
  /**
   * - `answer`: a piece of the answer. The first piece is sent together with all frames that were withheld before it.
   * - `beside`: a frame that is withheld until the answer has begun
   * - `end`: a frame that is withheld until the request is settled
   * - `nowhere`: a frame that is never sent to the client
   */
  readonly place: 'answer' | 'beside' | 'end' | 'nowhere'
  readonly isShown: boolean
  /** Output in thirds of a token. 0 means no output. */
  readonly thirds: number
  /** Absent for words that the model wrote. */
  readonly kind?: OutputKind
  /** Encrypted reasoning in the same frame, in thirds of a token. */
  readonly sealThirds?: number
  readonly edits?: readonly Edit[]
  readonly isLast?: boolean
  /** Whether more of the answer follows the withheld frames, so that they are sent before this frame. */
  readonly isResumed?: boolean
  /** Positions at which the next frames will probably differ. Null for a position that this frame does not have. */
  readonly holes?: readonly (Hole | null)[]
  /** Called for each later frame of the same shape, which is therefore not parsed. */
  readonly onLike?: (shape: FrameShape, thirds: number, event: SseEvent) => void
}

/** No part of the frame may be shown. */
export interface FailedFrame {
  readonly place: 'failed'
  readonly failure: ProviderError | null
  /** Whether the frame after the error may report usage. */
  readonly mayTellMore?: boolean
}

/** Later frames are not reliable. */
export interface BrokenFrame {
  readonly place: 'broken'
}

export const brokenFrame: BrokenFrame = { place: 'broken' }

/** A response repeats the tools and schemas of its request one level deeper, in addition to the whole output. */
export const answerLimits: JsonLimits = { depthMax: 128, valuesMax: 1_000_000 }
