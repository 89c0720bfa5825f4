import type { ProviderAccount } from './application-config.ts'
import type { Deadlines } from './deadlines.ts'
import type { UpstreamFormat } from '#domain/accounts/provider-kinds.ts'

/**
 * The port to a model provider. It passes bytes through callbacks, because a promise per chunk is measurable on the hot
 * path. An adapter calls `onHead` once, then `onData` for each piece, then exactly one of `onEnd` and `onFailure`.
 * After `abort` it calls nothing more.
 */
export interface Upstream {
  send(request: UpstreamRequest, sink: UpstreamSink): UpstreamCall
  /** Returns a function that cleans the provider's text on a failure before an end user sees it. */
  cleaner(account: ProviderAccount): Cleaner
}

/**
 * Removes secrets from a provider's text: the account's credential and parts of it, its address, and anything that
 * looks like a key. It also replaces the model by the alias.
 */
export type Cleaner = (text: string, model: string, alias: string) => string

export interface UpstreamRequest {
  readonly account: ProviderAccount
  /** The provider's model ID, already written into the body. */
  readonly model: string
  /** Wire of the body. The account's kind supports it. */
  readonly wire: UpstreamFormat
  /** `count` counts the tokens of the body, on wires that support it. `answer` generates an answer. */
  readonly purpose: 'answer' | 'count'
  /** Set for a request about a stored response. The body is then empty. */
  readonly stored?: StoredRequest
  readonly body: Uint8Array
  readonly isStream: boolean
  /** Headers of the client that its wire needs (`anthropic-beta`, ...), names and values alternating. */
  readonly headers: readonly string[]
  /** Query of the client's path, without the question mark. May be empty. */
  readonly query: string
  /** The version of the client's path, for a format whose versions differ. Absent for the first one. */
  readonly version?: PathVersion | undefined
  /** The type of the body. Undefined for JSON. */
  readonly contentType?: string | undefined
  readonly callId: string
  readonly deadlines: Deadlines
}

/** The later version of a path. Only Cohere's reranking has one. */
export type PathVersion = 'v2'

/** A request about a response that the provider stores. */
export interface StoredRequest {
  readonly method: 'GET' | 'DELETE' | 'POST'
  /** The provider's ID of the response. */
  readonly id: string
  readonly part: '' | '/input_items' | '/cancel'
}

export interface UpstreamSink {
  /**
   * Called when a connection is assigned and the request head is about to be written. Not called if there is no
   * network.
   */
  onConnected?(): void
  onHead(status: number, headers: UpstreamHeaders): void
  /** Returns false to ask the adapter to pause until `resume`. The sink may use the bytes only until it returns. */
  onData(bytes: Uint8Array): boolean
  onEnd(): void
  onFailure(failure: UpstreamFailure): void
}

export interface UpstreamHeaders {
  /** Media type in lower case, without parameters. Empty if the provider sent no media type. */
  readonly contentType: string
  readonly retryAfterSeconds: number | null
  /**
   * The provider's ID of this request, for the provider's support. For logs only. Absent if the provider sent no ID.
   */
  readonly requestId?: string
}

export interface UpstreamFailure {
  /** `connect`: no byte of the request reached the provider, so it did no work. */
  readonly phase: 'connect' | 'first_byte' | 'first_token' | 'idle' | 'total' | 'reset'
  readonly isTimeout: boolean
  readonly cause: unknown
}

export interface UpstreamCall {
  resume(): void
  /** The first text of the answer has come, so the deadline of the first token no longer applies. */
  answering(): void
  abort(): void
}
