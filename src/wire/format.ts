import type { Usage } from '#money/usage.ts'
import type { ByteText } from './byte-text.ts'
import type { AnswerStream, WholeAnswer, WireError } from './answer.ts'
import type { Dialect, JsonObject, NeutralEvent, NeutralRequest } from './neutral.ts'
import type { RequestBody, RequestFault, RequestPath, WireRequest } from './request.ts'

/**
 * One wire format: everything the gateway does with it. On one wire in and out it uses the first half,
 * which passes bytes through; between two wires the second, which goes by the neutral form.
 */
export interface WireFormat {
  /** @param path what the path says: on some wires the model and whether to stream */
  readonly parseRequest: (body: RequestBody, path: RequestPath) => WireRequest | RequestFault
  /** Null for anything that is not an answer of this wire: HTML, a cut body, an error under status 200. */
  readonly readAnswer: (text: ByteText, request: WireRequest) => WholeAnswer | null
  readonly openStream: (request: WireRequest) => AnswerStream
  /** The body of an error answer, in the shape from which official clients make their typed errors. */
  readonly errorBody: (error: WireError, requestId: string) => ByteText

  readonly readRequest: (request: WireRequest) => NeutralRequest | RequestFault
  /** @param request with nothing left in it that this wire does not carry (features.ts) */
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
  /** Only seals of this origin are given back (Opaque.origin). */
  readonly origin: string
  /** OpenAI's own service, or one that follows it and may not know its newer fields. Other wires do not ask. */
  readonly dialect: Dialect
}

export interface DecoderOptions {
  /** Stands on every seal that the provider makes. */
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
  /** The end of an answer that spend has cut (design 7): it must make official clients throw. */
  spendTail(usage: Usage, error: WireError, requestId: string): ByteText
  /** The end of an answer that failed after its status was sent. */
  errorTail(error: WireError, requestId: string): ByteText
}
