import { denial } from '#operations/denial.ts'
import type { Operation } from '#operations/operation.ts'
import { authenticate } from './authenticate.ts'
import type { Answer } from './idempotent-repeats.ts'
import type { OperationDeps } from './operation-routes.ts'
import { streamedBody } from './streamed-answer.ts'

/** HEAD is answered without a body, and nothing is streamed for it. */
export function answerBody(
  { body, stream }: Answer,
  of: {
    readonly request: Request
    readonly requestId: string
    readonly operation: Operation
    readonly gateway: () => string
    readonly disconnect: (() => void) | undefined
  },
  deps: Pick<OperationDeps, 'nowMs' | 'onInternal' | 'store' | 'streams'>,
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

/** Beyond those of every answer. */
export function streamHeaders({ stream }: Answer): Readonly<Record<string, string>> {
  return stream === null ? {} : { ...stream.headers, 'content-type': stream.mediaType }
}
