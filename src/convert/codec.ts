import type { OpenaiDialect } from '#wire/wire-names.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import type { Usage } from '#money/usage.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { WireError } from '#wire/wire-error.ts'
import type { NeutralEvent, NeutralRequest } from './neutral.ts'
import type { RequestFault, WireRequest } from '#wire/wire-request.ts'

/** Both directions between one wire and the neutral form. */
export interface Codec {
  readonly readRequest: (request: WireRequest) => NeutralRequest | RequestFault
  /** @param request without anything that this wire does not carry (capabilities/fit-request.ts) */
  readonly writeRequest: (request: NeutralRequest, target: RequestTarget) => JsonObject
  readonly decoder: (options: DecoderOptions) => AnswerDecoder
  /** A whole answer as the events that its stream would have had; null: it is no answer. */
  readonly decodeAnswer: (body: JsonObject, options: DecoderOptions) => readonly NeutralEvent[] | null
  readonly encoder: (options: EncoderOptions) => AnswerEncoder
  readonly encodeAnswer: (events: readonly NeutralEvent[], options: EncoderOptions) => JsonObject
}

/** The destination of a converted request. */
export interface RequestTarget {
  /** The provider's model id. */
  readonly model: string
  /** Output tokens of one choice; null where neither the client nor the gateway set a maximum. */
  readonly outputTokensMax: number | null
  /** The maximum where the wire demands one and none is set. */
  readonly outputTokensDefault: number
  /** Only signatures of this origin are given back (Signature.origin). */
  readonly origin: string
  /** OpenAI's own service, or a follower that may not know its newer fields. Other wires ignore it. */
  readonly dialect: OpenaiDialect
}

export interface DecoderOptions {
  /** Put on every signature that the provider makes. */
  readonly origin: string
  /** Prefix of minted call ids, so that calls of a conversation differ where the provider does not name them. */
  readonly callIdPrefix: string
}

/** Reads the frames of a provider's stream. */
export interface AnswerDecoder {
  /** @param frame the parsed data of one event */
  push(frame: JsonObject): readonly NeutralEvent[]
  /**
   * Ends the stream. @returns the events of what was still being assembled
   * @param isMarked the stream ended with the marker of its wire, and did not just close
   */
  end(isMarked?: boolean): readonly NeutralEvent[]
  /** The frame that ends an answer of this wire was seen. */
  readonly isOver: boolean
  /** An error was read; its event comes with the next frame or at the end (AnswerStream.isFailing). */
  readonly isFailing?: boolean
  /** What was said of the input before the answer's end (AnswerStream.inputUsage); absent: this wire says nothing then. */
  readonly inputUsage?: Usage | null
}

export interface EncoderOptions {
  /** The name that the client asked for. */
  readonly alias: string
  /** The call's own suffix, of which the answer's id is made. */
  readonly callId: string
  readonly createdSeconds: number
  /** Whole seconds since 1970: an answer may state when it was completed. */
  readonly nowSeconds: () => number
  /** The client's request, where an answer repeats parts of it. */
  readonly request: NeutralRequest
  readonly inputTokensEstimated: number
  /** Generate: one array of JSON instead of events. */
  readonly isJsonArray: boolean
}

/** Writes frames of the client's wire. The end of an answer is kept for `tail`, written after the settle. */
export interface AnswerEncoder {
  /** Empty where the event has no frame of its own. */
  write(event: NeutralEvent): ByteText
  /** @param usage as settled */
  tail(usage: Usage): ByteText
  /**
   * The end of an answer cut by spend (docs/reference/rules.md "The end of a cut stream"): official clients must throw
   * at it.
   */
  spendTail(usage: Usage, error: WireError, requestId: string): ByteText
  /** The end of an answer that failed after its status was sent. */
  errorTail(error: WireError, requestId: string): ByteText
}
