import { Failure } from '#domain/errors.ts'
import { idOf } from '#domain/id.ts'
import type { StoredRequest } from '#domain/upstream.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { Arrival } from '#gateway/call/arrival.ts'
import { byteTextOfBytes } from '#gateway/arrive/byte-text.ts'
import { forwardedHeaders } from '#gateway/relay/provider-headers.ts'
import type { Plan } from '#gateway/call/model-name-targets.ts'
import { failureOfConnection } from './connection-failure.ts'
import { failureOfStatus, upstreamError } from './upstream-failure.ts'

/** Maximum size in bytes of a response that contains little more than a number. */
const countBytesMax = 64 * 1024

/** A free request to a provider: a request to count tokens, or a request about a stored response. */
export type FreeRequest =
  | { readonly body: ByteText }
  | { readonly stored: StoredRequest; readonly query: string }

/**
 * Sends a free request to a provider of the client's wire, and returns the response.
 * @throws Failure for the same reasons as a model call, and `response_not_found` if the provider no longer has the
 *   response
 */
export function sendFreeRequest(arrival: Arrival, plan: Plan, asked: FreeRequest): Promise<ByteText> {
  const { id, ports, response, route } = arrival
  const { deadlines, responseBytesMax } = ports.limits
  const stored = 'stored' in asked ? asked.stored : undefined
  const bytesMax = stored === undefined ? countBytesMax : responseBytesMax
  return new Promise((resolve, reject) => {
    let status = 0
    let retryAfterSeconds: number | null = null
    let text: ByteText = ''
    const request = {
      account: plan.account,
      model: plan.target.model,
      wire: route.wire,
      purpose: 'count',
      body: Buffer.from('body' in asked ? asked.body : '', 'latin1'),
      ...(stored && { stored }),
      isStream: false,
      headers: forwardedHeaders(arrival),
      query: 'query' in asked ? asked.query : route.query,
      callId: idOf('req', id),
      deadlines,
    } as const
    const call = ports.upstream.send(request, {
      onHead(newStatus, headers) {
        status = newStatus
        retryAfterSeconds = headers.retryAfterSeconds
      },
      onData(bytes) {
        text += byteTextOfBytes(bytes)
        if (text.length <= bytesMax) return true
        call.abort()
        reject(upstreamError('its response is too large', plan))
        return true
      },
      onEnd() {
        if (status >= 200 && status < 300) resolve(text)
        else if (status === 404 && stored) reject(new Failure('response_not_found'))
        else reject(failureOfStatus(status, retryAfterSeconds, text, { ports, plan, isSameWire: true }))
      },
      onFailure: (failure) => reject(failureOfConnection(failure, deadlines, plan)),
    })
    response.once('close', () => {
      call.abort()
      reject(upstreamError('the client disconnected', plan))
    })
  })
}
