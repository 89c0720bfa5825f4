import type { Store } from '#domain/store-interface.ts'
import { denial } from '#operations/kernel/access-denial.ts'
import type { Operation } from '#operations/kernel/declare-operation.ts'
import { authenticate } from './authenticate-caller.ts'
import type { Answer } from './idempotent-repeats.ts'
import type { OpenStreams } from './count-open-streams.ts'
import { streamedBody, type StreamLimits } from './streamed-response.ts'

export interface StreamDeps {
  readonly store: Store
  readonly nowMs: () => number
  readonly streams: StreamLimits & { readonly open: OpenStreams }
  /** `about` never contains a body or a secret. */
  readonly onInternal: (
    error: unknown,
    about: { readonly requestId: string; readonly operation: string | null },
  ) => void
}

/** A HEAD request gets no body, so its stream is not started. */
export function answerBody(
  { body, stream }: Answer,
  of: {
    readonly request: Request
    readonly requestId: string
    readonly operation: Operation
    readonly gateway: () => string
    readonly disconnect: (() => void) | undefined
  },
  deps: StreamDeps,
): string | ReadableStream<Uint8Array> | null {
  if (stream === null) return body
  const { disconnect = null, gateway, operation, request, requestId } = of
  if (request.method === 'HEAD') {
    stream.leave?.()
    return null
  }
  return streamedBody(stream, {
    ...deps.streams,
    disconnect,
    async recheck() {
      const { actor } = await authenticate(request, { ...deps, gateway })
      const denied = denial(actor, operation)
      if (denied) throw denied
    },
    onBroken: (error) => deps.onInternal(error, { requestId, operation: operation.id }),
  })
}

export function streamHeaders({ stream }: Answer): Readonly<Record<string, string>> {
  return stream === null ? {} : { ...stream.headers, 'content-type': stream.mediaType }
}
