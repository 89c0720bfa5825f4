import type { UpstreamFormat } from '#domain/accounts/provider-kinds.ts'
import type {
  BatchRequest,
  CachedRequest,
  ContainerRequest,
  ConversationRequest,
  FileRequest,
  StoredRequest,
  UploadHeaders,
} from '#domain/provider-upstream-interface.ts'
import type { CallFacts } from './wire-simulator-interface.ts'

export type Step =
  | {
      readonly kind: 'head'
      readonly status: number
      readonly contentType: string
      readonly retryAfterSeconds: number | null
      /** Absent if no header reports the number. */
      readonly inputTokens?: number
      readonly upload?: UploadHeaders
    }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'wait'; readonly ms: number }
  /** The provider sends no more data, but keeps the connection open. */
  | { readonly kind: 'hang' }
  /** The provider breaks the connection. */
  | { readonly kind: 'cut' }

export interface SimulatedCall extends CallFacts {
  readonly wire: UpstreamFormat
  readonly body: Uint8Array
  /** The ID of the response, and the seed for its words. */
  readonly callId: string
  readonly createdSeconds: number
  readonly stored?: StoredRequest
  readonly container?: ContainerRequest
  readonly conversation?: ConversationRequest
  readonly file?: FileRequest
  readonly batch?: BatchRequest | undefined
  readonly cached?: CachedRequest | undefined
}
