import type { ProviderAccount } from './application-config.ts'
import type { Deadlines } from './deadlines.ts'
import type { UpstreamWire } from './provider-kinds.ts'

/**
 * The port to a model provider: bytes out, bytes in, as callbacks, because a promise per chunk is
 * measurable on the hot path. An adapter calls `onHead` once, then `onData` for each piece, then
 * exactly one of `onEnd` and `onFailure`; after `abort` it calls nothing more.
 */
export interface Upstream {
  send(request: UpstreamRequest, sink: UpstreamSink): UpstreamCall
  /** Cleans the provider's text on a failure before an end user sees it. */
  cleaner(account: ProviderAccount): Cleaner
}

/**
 * Removes from a text of a provider the account's credential and pieces of it, its address and anything that
 * looks like a key, and writes the alias for the model.
 */
export type Cleaner = (text: string, model: string, alias: string) => string

export interface UpstreamRequest {
  readonly account: ProviderAccount
  /** The provider's model id, already written into the body. */
  readonly model: string
  /** Wire of the body; one that the account's kind speaks. */
  readonly wire: UpstreamWire
  /** `count`: the tokens of the body, on wires that can count them; `answer`: an answer to it. */
  readonly purpose: 'answer' | 'count'
  readonly body: Uint8Array
  readonly isStream: boolean
  /** Headers of the client's that its wire needs (`anthropic-beta`, ...), names and values in turn. */
  readonly headers: readonly string[]
  /** Query of the client's path, without the question mark; may be empty. */
  readonly query: string
  readonly callId: string
  readonly deadlines: Deadlines
}

export interface UpstreamSink {
  /** A connection carries the request: its head is about to be written. Not called where there is no network. */
  onConnected?(): void
  onHead(status: number, headers: UpstreamHeaders): void
  /** False asks the adapter to pause until `resume`. The bytes are the sink's only until it returns. */
  onData(bytes: Uint8Array): boolean
  onEnd(): void
  onFailure(failure: UpstreamFailure): void
}

export interface UpstreamHeaders {
  /** Lower-case media type without parameters; empty when the provider sent none. */
  readonly contentType: string
  readonly retryAfterSeconds: number | null
  /** The provider's id of this request, for its support; for logs only, and absent when it sent none. */
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
  /** The first text of the answer has come: the deadline of the first token no longer applies. */
  answering(): void
  abort(): void
}
