import type {
  UploadHeaders,
  Upstream,
  UpstreamFailure,
  UpstreamRequest,
} from '#domain/provider-upstream-interface.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { byteTextOfBytes } from '#gateway/arrive/chunk-to-byte-text.ts'

export type Collected =
  | {
      readonly kind: 'response'
      readonly status: number
      readonly retryAfterSeconds: number | null
      readonly text: ByteText
      /** Present only for the response to an upload in pieces. */
      readonly upload?: UploadHeaders
    }
  | { readonly kind: 'too_large' | 'aborted' }
  | { readonly kind: 'failed'; readonly failure: UpstreamFailure }

export interface Collecting {
  readonly response: Promise<Collected>
  readonly abort: () => void
}

/** The promise never rejects. */
export function collectResponse(upstream: Upstream, request: UpstreamRequest, bytesMax: number): Collecting {
  const { promise, resolve } = Promise.withResolvers<Collected>()
  let status = 0
  let retryAfterSeconds: number | null = null
  let upload: UploadHeaders | undefined
  let text: ByteText = ''
  const call = upstream.send(request, {
    onHead(newStatus, headers) {
      status = newStatus
      retryAfterSeconds = headers.retryAfterSeconds
      upload = headers.upload
    },
    onData(bytes) {
      text += byteTextOfBytes(bytes)
      if (text.length <= bytesMax) return true
      call.abort()
      resolve({ kind: 'too_large' })
      return true
    },
    onEnd: () => resolve({ kind: 'response', status, retryAfterSeconds, text, ...(upload && { upload }) }),
    onFailure: (failure) => resolve({ kind: 'failed', failure }),
  })
  return {
    response: promise,
    abort() {
      call.abort()
      resolve({ kind: 'aborted' })
    },
  }
}
