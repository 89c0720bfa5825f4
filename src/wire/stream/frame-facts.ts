import type { Usage } from '#money/usage.ts'
import type { OutputKind } from './streamed-tokens.ts'
import type { ProviderError } from '#wire/provider-error.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { JsonLimits } from '#wire/text/json-limits.ts'
import type { Json } from '#wire/text/json-tape.ts'
import type { Edit } from '#wire/text/splice.ts'
import type { SseEvent } from '#wire/text/sse.ts'
import type { WireError } from '#wire/wire-error.ts'
import type { FrameShape, Hole } from './frame-shape.ts'

/** What one wire makes of the frames of one stream, for the stream that passes them on. */
export interface FrameFacts {
  /** These four as AnswerStream has them. */
  readonly usage: Usage | null
  readonly inputUsage?: Usage | null
  readonly hasReportedUsage: boolean
  readonly answeredBy: string | null
  /** Output tokens that the provider has counted so far; it knows of thoughts that it does not show. */
  readonly outputReported?: number
  /**
   * Only the connection's close ends a stream of this wire, so half a frame is what a cut one leaves. Its lines
   * end with CRLF.
   */
  readonly endsByClosing?: true
  /** Where the client gets no events but their data: what a frame's data becomes. What is no data is dropped. */
  readonly bare?: ((data: ByteText, isFirst: boolean) => ByteText) | null

  /**
   * Reads the data of a frame that is of no known shape.
   * @param mayLearn whether its holes are of use, should it have any
   */
  read(json: Json, mayLearn: boolean): Frame | FailedFrame | BrokenFrame
  /** Reads the frame after one that `mayTellMore`. */
  readAfterFailure?(json: Json): void
  /**
   * The provider has closed, or sent `[DONE]`.
   * @returns what the end still lacks for the client; null: it is no end
   */
  ending(isMarked: boolean): ByteText | null
  /** What ends a good answer behind the provider's own frames. */
  closing?(isFirst: boolean): ByteText
  /** AnswerStream's two bad ends. @param isFirst the client gets nothing before it */
  spendTail(usage: Usage, error: WireError, requestId: string, isFirst: boolean): ByteText
  errorTail(error: WireError, requestId: string, isFirst: boolean): ByteText
}

/** A frame that goes on. Places in it are those of its data. */
export interface Frame {
  /**
   * `answer`: the answer is there, and what came before goes with it. `beside`: it waits until then. `end`: it is
   * held back until the settle. `nowhere`: the client does not get it.
   */
  readonly place: 'answer' | 'beside' | 'end' | 'nowhere'
  /** Something in it is a piece of the answer that the client can see. */
  readonly isShown: boolean
  /** What came out with it, in thirds of a token; 0: nothing. */
  readonly thirds: number
  /** Absent: words of the model. */
  readonly kind?: OutputKind
  /** A seal that came out beside. */
  readonly sealThirds?: number
  readonly edits?: readonly Edit[]
  /** It ends the answer. */
  readonly isLast?: boolean
  /** What is held back was no end, and goes before it. */
  readonly isResumed?: boolean
  /** The next frames are likely to differ in these spans alone; null: a span that this frame has not. */
  readonly holes?: readonly (Hole | null)[]
  /** A frame like this one has come, and was not read. */
  readonly onLike?: (shape: FrameShape, thirds: number, event: SseEvent) => void
}

/** The provider's error: nothing of the frame may be shown. */
export interface FailedFrame {
  readonly place: 'failed'
  readonly failure: ProviderError | null
  /** The next frame may say what was used. */
  readonly mayTellMore?: boolean
}

/** Nothing after it can be trusted. */
export interface BrokenFrame {
  readonly place: 'broken'
}

export const brokenFrame: BrokenFrame = { place: 'broken' }

/** An answer repeats its request's tools and schemas one level deeper than the request had them, beside all that was written. */
export const answerLimits: JsonLimits = { depthMax: 128, valuesMax: 1_000_000 }
