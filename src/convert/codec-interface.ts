import type { OpenaiDialect } from '#wire/names-of-wires-and-tasks.ts'
import type { JsonObject } from '#wire/text/json-values.ts'
import type { Usage } from '#money/usage-counts.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { WireError } from '#wire/content-of-an-error.ts'
import type { NeutralEvent, NeutralRequest } from './neutral-format.ts'
import type { RequestFault, WireRequest } from '#wire/wire-request.ts'

export interface Codec {
  readonly readRequest: (request: WireRequest) => NeutralRequest | RequestFault
  /** @param request contains only what this wire can carry (capabilities/adapt-request-to-wire.ts) */
  readonly writeRequest: (request: NeutralRequest, target: RequestTarget) => JsonObject
  readonly decoder: (options: DecoderOptions) => AnswerDecoder
  /** Converts a non-streaming response to the events of an equivalent stream. */
  readonly decodeAnswer: (body: JsonObject, options: DecoderOptions) => readonly NeutralEvent[] | null
  readonly encoder: (options: EncoderOptions) => AnswerEncoder
  readonly encodeAnswer: (events: readonly NeutralEvent[], options: EncoderOptions) => JsonObject
}

export interface RequestTarget {
  readonly model: string
  /** Null if neither the client nor the gateway set a maximum. */
  readonly outputTokensMax: number | null
  /** The maximum output to send if the wire requires a maximum and the client sets none. */
  readonly outputTokensDefault: number
  /** The origin of the signatures that this provider accepts (Signature.origin). */
  readonly origin: string
  /**
   * Whether the destination is OpenAI's own service, Mistral, Groq, or another compatible server, which may not know
   * newer fields. Only the chat wire uses this field.
   */
  readonly dialect: OpenaiDialect
}

export interface DecoderOptions {
  readonly origin: string
  /**
   * Prefix of generated tool call IDs. If the provider sends no IDs, the prefix makes the generated IDs unique in a
   * conversation.
   */
  readonly callIdPrefix: string
}

export interface AnswerDecoder {
  /** @param frame the parsed data of one server-sent event */
  push(frame: JsonObject): readonly NeutralEvent[]
  /**
   * @returns the neutral events of content that was still being assembled
   * @param isMarked whether the stream ended with the end marker of its wire, and was not just closed
   */
  end(isMarked?: boolean): readonly NeutralEvent[]
  /** True after the event that ends an answer of this wire. */
  readonly isOver: boolean
  /**
   * Whether the decoder has read an error that it has not returned yet. The decoder returns the error with the next
   * event or at the end of the stream (AnswerStream.isFailing).
   */
  readonly isFailing?: boolean
  /**
   * The input usage that is reported before the end of the answer (AnswerStream.inputUsage). Absent if this wire
   * reports the input only at the end.
   */
  readonly inputUsage?: Usage | null
}

export interface EncoderOptions {
  readonly alias: string
  /** The response ID ends with the same suffix. */
  readonly callId: string
  readonly createdSeconds: number
  /**
   * Returns whole seconds since 1970. The encoder needs the time because a response may state when it was completed.
   */
  readonly nowSeconds: () => number
  readonly request: NeutralRequest
  readonly inputTokensEstimated: number
  /** For the generate wire, whether the stream is one JSON array instead of server-sent events. */
  readonly isJsonArray: boolean
}

/**
 * Writes a stream on the client's wire. The end of an answer is not written until `tail` is called, after the request
 * is settled.
 */
export interface AnswerEncoder {
  /** Empty if the wire has no frame for the event. */
  write(event: NeutralEvent): ByteText
  /** @param usage the settled usage */
  tail(usage: Usage): ByteText
  /**
   * Returns the end of an answer that the spend limit has interrupted (docs/reference/rules.md "The end of an
   * interrupted stream"). Official clients must throw when they read this end.
   */
  spendTail(usage: Usage, error: WireError, requestId: string): ByteText
  /** Returns the end of an answer that fails after its status was sent. */
  errorTail(error: WireError, requestId: string): ByteText
}
