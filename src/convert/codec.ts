import type { OpenaiDialect } from '#wire/names.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import type { Usage } from '#money/usage.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { WireError } from '#wire/stream/answer-stream.ts'
import type { NeutralEvent, NeutralRequest } from './neutral.ts'
import type { RequestFault, WireRequest } from '#wire/request.ts'

/** Both directions between one wire and the neutral form. */
export interface Codec {
  readonly readRequest: (request: WireRequest) => NeutralRequest | RequestFault
  /** @param request with nothing left in it that this wire does not carry (capabilities/fit.ts) */
  readonly writeRequest: (request: NeutralRequest, target: RequestTarget) => JsonObject
  readonly decoder: (options: DecoderOptions) => AnswerDecoder
  /** A whole answer as the events that its stream would have been; null: it is none. */
  readonly decodeAnswer: (body: JsonObject, options: DecoderOptions) => readonly NeutralEvent[] | null
  readonly encoder: (options: EncoderOptions) => AnswerEncoder
  readonly encodeAnswer: (events: readonly NeutralEvent[], options: EncoderOptions) => JsonObject
}

/** Where a converted request goes. */
export interface RequestTarget {
  /** The provider's model id. */
  readonly model: string
  /** Output tokens of one choice; null where neither the client nor the gateway set any. */
  readonly outputTokensMax: number | null
  /** What to ask for where the wire demands a maximum and there is none. */
  readonly outputTokensDefault: number
  /** Only signatures of this origin are given back (Signature.origin). */
  readonly origin: string
  /** OpenAI's own service, or one that follows it and may not know its newer fields. Other wires do not ask. */
  readonly dialect: OpenaiDialect
}

export interface DecoderOptions {
  /** Stands on every signature that the provider makes. */
  readonly origin: string
  /** Tells calls of one conversation apart where the provider does not name them: minted ids start with it. */
  readonly callIdPrefix: string
}

/** Reads the frames of a provider's stream. */
export interface AnswerDecoder {
  /** @param frame the parsed data of one event */
  push(frame: JsonObject): readonly NeutralEvent[]
  /**
   * The stream has ended: what was still being put together.
   * @param isMarked by the marker of its wire, and not just by closing
   */
  end(isMarked?: boolean): readonly NeutralEvent[]
  /** The frame that ends an answer of this wire was seen. */
  readonly isOver: boolean
  /** An error was seen, and is given with the next frame or at the end (AnswerStream.isFailing). */
  readonly isFailing?: boolean
}

export interface EncoderOptions {
  /** The name that the client asked for. */
  readonly alias: string
  /** What the answer's id is made of: the call's own suffix. */
  readonly callId: string
  readonly createdSeconds: number
  /** The time now, in whole seconds since 1970: an answer may say when it was completed. */
  readonly nowSeconds: () => number
  /** The client's request, where an answer repeats parts of it. */
  readonly request: NeutralRequest
  readonly inputTokensEstimated: number
  /** Generate: one array of JSON instead of events. */
  readonly isJsonArray: boolean
}

/** Writes frames of the client's wire. What ends an answer is kept for `tail`, to be written after the settle. */
export interface AnswerEncoder {
  /** Empty where the event has no frame of its own. */
  write(event: NeutralEvent): ByteText
  /** @param usage as it was settled */
  tail(usage: Usage): ByteText
  /**
   * The end of an answer that spend has cut (docs/reference/rules.md "The end of a cut stream"): it must make
   * official clients throw.
   */
  spendTail(usage: Usage, error: WireError, requestId: string): ByteText
  /** The end of an answer that failed after its status was sent. */
  errorTail(error: WireError, requestId: string): ByteText
}
