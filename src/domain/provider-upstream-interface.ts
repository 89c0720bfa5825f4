import type { ProviderAccount } from './application-config.ts'
import type { Deadlines } from '#domain/calls/call-deadlines.ts'
import type { ProviderFormat } from '#domain/accounts/provider-kinds.ts'

/**
 * The port to a model provider passes bytes through callbacks, because a promise for every chunk would cost measurable
 * time. An adapter calls `onHead` once, then `onData` for each piece, then exactly one of `onEnd` and `onFailure`.
 * After `abort`, the adapter calls none of these callbacks.
 */
export interface Upstream {
  send(request: UpstreamRequest, sink: UpstreamSink): UpstreamCall
  /**
   * Returns a function that removes secrets from a provider's description of a failure, before an end user sees the
   * text.
   */
  cleaner(account: ProviderAccount): Cleaner
}

/**
 * Removes secrets from a provider's text: the credential and its parts, the address of the account, and anything that
 * looks like a key. The cleaner also replaces the provider's model ID by the alias.
 */
export type Cleaner = (text: string, model: string, alias: string) => string

export interface UpstreamRequest {
  readonly account: ProviderAccount
  /** The provider's model ID, which is already written in the body. */
  readonly model: string
  /** The wire (API format) of the body. Accounts of the account's kind support this wire. */
  readonly wire: ProviderFormat
  /**
   * `answer` requests an answer. `count` requests only the number of tokens of the body. Only wires with an operation
   * for counting allow `count`.
   */
  readonly purpose: 'answer' | 'count'
  /** The body of a request about a stored response is empty. */
  readonly stored?: StoredRequest
  /** For a request about a file, `wire` only determines the vendor. */
  readonly file?: FileRequest
  readonly conversation?: ConversationRequest
  readonly container?: ContainerRequest
  /** For a request about a batch, `wire` is the wire of the requests in the batch. */
  readonly batch?: BatchRequest
  readonly cached?: CachedRequest | undefined
  /** The body has one character per byte (latin1). */
  readonly body: string
  readonly isStream: boolean
  /** Client headers that the wire needs (`anthropic-beta`, ...), as alternating names and values. */
  readonly headers: readonly string[]
  /** The query of the client's URL, without the question mark. */
  readonly query: string
  /** The API version in the client's path, if the format has several versions. Absent for the first version. */
  readonly version?: PathVersion | undefined
  /** Undefined for JSON. */
  readonly contentType?: string | undefined
  readonly callId: string
  readonly deadlines: Deadlines
}

/** Only Cohere's APIs for embeddings and reranking have a version 2. */
export type PathVersion = 'v2'

export interface StoredRequest {
  readonly method: 'GET' | 'DELETE' | 'POST'
  /** The provider's ID of the response. */
  readonly id: string
  readonly part: '' | '/input_items' | '/cancel'
  /**
   * Set if the client reads the events of a background response as a stream. The provider sends the events after number
   * `startingAfter`, or all events if `startingAfter` is absent.
   */
  readonly isStream?: true
  readonly startingAfter?: number | undefined
}

export type FileRequest =
  | { readonly method: 'POST'; readonly piece?: FilePiece }
  | {
      readonly method: 'GET' | 'DELETE'
      /** The provider's ID of the file. */
      readonly id: string
      readonly part: '' | '/content'
    }

/** A request about a stored conversation, or a request to store a conversation (without an ID). */
export interface ConversationRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** The provider's ID of the conversation. */
  readonly id?: string
  /** The path after the conversation's ID: empty, `/items`, or the path of an item. */
  readonly part: string
}

/** A request about a container in which the provider runs code. */
export interface ContainerRequest {
  readonly method: 'GET' | 'DELETE'
  /** The provider's ID of the container. */
  readonly id: string
  /** The path after the container's ID: empty, `/files`, or the path of a file or of its content. */
  readonly part: string
}

/** A step of an upload in pieces (docs/reference/wires.md "Files"). */
export interface FilePiece {
  /** The provider's ID of the upload. Null to start an upload. */
  readonly uploadId: string | null
  readonly offset: number
  readonly isLast: boolean
}

/** The state of an upload in pieces, which Google reports in headers. */
export interface UploadHeaders {
  /** The provider's ID of the upload. Null in responses that do not start an upload. */
  readonly id: string | null
  readonly isFinal: boolean
}

export type BatchRequest =
  | { readonly method: 'POST'; readonly id?: never; readonly part?: never }
  | {
      readonly method: 'GET' | 'POST' | 'DELETE'
      /** The provider's ID of the batch. */
      readonly id: string
      readonly part: '' | '/cancel' | '/results'
    }

/** A request about stored cached content, or a request to store content (`POST`). */
export type CachedRequest =
  | { readonly method: 'POST' }
  | {
      readonly method: 'PATCH' | 'DELETE'
      /** The provider's name of the cached content. */
      readonly name: string
    }

export interface UpstreamSink {
  /**
   * Called when a connection is assigned and the request head is about to be written. The function is not called if no
   * connection can be made.
   */
  onConnected?(): void
  onHead(status: number, headers: UpstreamHeaders): void
  /** Returns false if the adapter must pause until `resume`. The bytes are valid only until the callback returns. */
  onData(bytes: Uint8Array): boolean
  onEnd(): void
  onFailure(failure: UpstreamFailure): void
}

export interface UpstreamHeaders {
  /** Media type in lower case, without parameters. Empty if the provider sent no media type. */
  readonly contentType: string
  readonly retryAfterSeconds: number | null
  /** The provider's ID of this request, which the provider's support team may ask for. Only logs contain the ID. */
  readonly requestId?: string
  /** The number of input tokens, which Bedrock reports in a header. */
  readonly inputTokens?: number
  /** The number of output tokens, which Bedrock reports in a header. */
  readonly outputTokens?: number
  /** Absent in responses that do not belong to an upload in pieces. */
  readonly upload?: UploadHeaders
}

export interface UpstreamFailure {
  /** `connect` means that no byte of the request reached the provider, so the provider did no work. */
  readonly phase: 'connect' | 'first_byte' | 'first_token' | 'idle' | 'total' | 'reset'
  readonly isTimeout: boolean
  readonly cause: unknown
  /**
   * The failed host, if the server that issues the account's access tokens failed. Absent if the host of the account
   * failed.
   */
  readonly host?: string
}

export interface UpstreamCall {
  resume(): void
  /**
   * Call this function when the first text of the answer has arrived. The deadline for the first text then no longer
   * applies.
   */
  answering(): void
  abort(): void
}
