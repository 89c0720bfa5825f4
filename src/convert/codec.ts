import type { OpenaiDialect } from '#wire/wire-names.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import type { Usage } from '#money/usage.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { WireError } from '#wire/wire-error.ts'
import type { NeutralEvent, NeutralRequest } from './neutral.ts'
import type { RequestFault, WireRequest } from '#wire/wire-request.ts'

/** Both directions of conversion between one wire and the neutral form. */
export interface Codec {
  readonly readRequest: (request: WireRequest) => NeutralRequest | RequestFault
  /** @param request without anything that this wire cannot carry (capabilities/fit-request.ts) */
  readonly writeRequest: (request: NeutralRequest, target: RequestTarget) => JsonObject
  readonly decoder: (options: DecoderOptions) => AnswerDecoder
  /** Converts a non-streaming response to the events that its stream would have. Null if it is not a response. */
  readonly decodeAnswer: (body: JsonObject, options: DecoderOptions) => readonly NeutralEvent[] | null
  readonly encoder: (options: EncoderOptions) => AnswerEncoder
  readonly encodeAnswer: (events: readonly NeutralEvent[], options: EncoderOptions) => JsonObject
}

/** The destination of a converted request. */
export interface RequestTarget {
  /** The provider's model ID. */
  readonly model: string
  /** Maximum output tokens of one choice. Null if neither the client nor the gateway set a maximum. */
  readonly outputTokensMax: number | null
  /** The maximum to use if the wire requires one and the client sets no maximum. */
  readonly outputTokensDefault: number
  /** Only signatures of this origin are returned to the provider (Signature.origin). */
  readonly origin: string
  /**
   * Whether it is OpenAI's own service or a compatible server, which may not know newer fields. Other wires ignore it.
   */
  readonly dialect: OpenaiDialect
}

export interface DecoderOptions {
  /** Origin written to every signature that the provider makes. */
  readonly origin: string
  /** Prefix of generated call IDs, so that the calls of a conversation differ if the provider sends no IDs. */
  readonly callIdPrefix: string
}

/** Reads the frames of a provider's stream. */
export interface AnswerDecoder {
  /** @param frame the parsed data of one event */
  push(frame: JsonObject): readonly NeutralEvent[]
  /**
   * Ends the stream. @returns the events of content that was still being assembled
   * @param isMarked the stream ended with the marker of its wire instead of only closing
   */
  end(isMarked?: boolean): readonly NeutralEvent[]
  /** Whether the frame that ends an answer of this wire has arrived. */
  readonly isOver: boolean
  /** Whether an error was read. Its event comes with the next frame or at the end (AnswerStream.isFailing). */
  readonly isFailing?: boolean
  /**
   * The input usage reported before the answer's end (AnswerStream.inputUsage). Absent if this wire does not report it
   * then.
   */
  readonly inputUsage?: Usage | null
}

export interface EncoderOptions {
  /** The model name that the client requested. */
  readonly alias: string
  /** The request's own suffix, from which the response's ID is built. */
  readonly callId: string
  readonly createdSeconds: number
  /** Whole seconds since 1970. A response may state when it was completed. */
  readonly nowSeconds: () => number
  /** The client's request, for responses that repeat parts of it. */
  readonly request: NeutralRequest
  readonly inputTokensEstimated: number
  /** Generate: whether the stream is one JSON array instead of events. */
  readonly isJsonArray: boolean
}

/**
 * Writes frames of the client's wire. The end of an answer is held back for `tail`, which is written after the settle.
 */
export interface AnswerEncoder {
  /** Empty if the event has no frame of its own. */
  write(event: NeutralEvent): ByteText
  /** @param usage the settled usage */
  tail(usage: Usage): ByteText
  /**
   * The end of an answer that its spending limit has interrupted (docs/reference/rules.md "The end of an interrupted
   * stream"). It must make official clients throw.
   */
  spendTail(usage: Usage, error: WireError, requestId: string): ByteText
  /** The end of an answer that failed after its status was sent. */
  errorTail(error: WireError, requestId: string): ByteText
}
