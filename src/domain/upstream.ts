import type { ProviderAccount } from './application-config.ts'
import type { UpstreamWire } from './provider-kinds.ts'

/**
 * The port to a model provider: bytes out, bytes in, as callbacks, because a promise per chunk is
 * measurable on the hot path. An adapter calls `onHead` once, then `onData` for each piece, then
 * exactly one of `onEnd` and `onFailure`; after `abort` it calls nothing more.
 */
export interface Upstream {
  send(request: UpstreamRequest, sink: UpstreamSink): UpstreamCall
  /** For what the account's provider says of a failure, before an end user sees it. */
  cleaner(account: ProviderAccount): Cleaner
}

/**
 * A text of a provider without the account's credential and pieces of it, its address, and whatever else
 * looks like a key; the model under the name that the client has for it.
 */
export type Cleaner = (text: string, model: string, alias: string) => string

export interface UpstreamRequest {
  readonly account: ProviderAccount
  /** The provider's model id, already written into the body. */
  readonly model: string
  /** Wire of the body; one that the account's kind speaks. */
  readonly wire: UpstreamWire
  /** `count`: how many tokens the body is, where the wire has a path for that; else an answer to it. */
  readonly purpose: 'answer' | 'count'
  readonly body: Uint8Array
  readonly isStream: boolean
  /** Headers of the client's that its wire needs (`anthropic-beta`, ...), names and values in turn. */
  readonly headers: readonly string[]
  /** Query of the client's path, without the question mark; empty for none. */
  readonly query: string
  readonly callId: string
  readonly deadlines: Deadlines
}

/** Milliseconds, each its own clock: to a socket, to the response head, between pieces, for all of it. */
export interface Deadlines {
  readonly connectMs: number
  readonly firstByteMs: number
  readonly idleMs: number
  readonly totalMs: number
}

export interface UpstreamSink {
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
  /** What the provider calls this request, to ask its support about; for logs only, absent when it did not say. */
  readonly requestId?: string
}

export interface UpstreamFailure {
  /** `connect`: no byte of the request can have reached the provider, so it did no work. */
  readonly phase: 'connect' | 'first_byte' | 'idle' | 'total' | 'reset'
  readonly isTimeout: boolean
  readonly cause: unknown
}

export interface UpstreamCall {
  resume(): void
  abort(): void
}
