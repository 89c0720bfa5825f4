import { idOf } from '#domain/id.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import type { Arrival } from '#gateway/call/arrival.ts'
import { byteTextOfBytes } from '#gateway/arrive/byte-text.ts'
import { forwardedHeaders } from '#gateway/arrive/forwarded-headers.ts'
import type { Plan } from '#gateway/call/served-name.ts'
import { failureOfConnection } from './connection-failure.ts'
import { failureOfStatus, upstreamError } from './upstream-failure.ts'

/** Maximum size of a response that contains little more than a number. */
const bytesMax = 64 * 1024

/**
 * Asks a provider of the client's wire to count the tokens of a body, which is free.
 * @throws Failure like a call
 */
export function askUpstream(arrival: Arrival, plan: Plan, body: ByteText): Promise<ByteText> {
  const { id, ports, response, route } = arrival
  const { deadlines } = ports.limits
  return new Promise((resolve, reject) => {
    let status = 0
    let retryAfterSeconds: number | null = null
    let text: ByteText = ''
    const request = {
      account: plan.account,
      model: plan.target.model,
      wire: route.wire,
      purpose: 'count',
      body: Buffer.from(body, 'latin1'),
      isStream: false,
      headers: forwardedHeaders(arrival),
      query: route.query,
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
