import type { ServerResponse } from 'node:http'
import { Failure } from '#domain/errors.ts'
import type { UpstreamRequest } from '#domain/upstream.ts'
import type { ByteText } from '#wire/text/byte-text.ts'
import { byteTextOfBytes } from '#gateway/arrive/byte-text.ts'
import type { Plan } from '#gateway/decide/configuration.ts'
import type { GatewayPorts } from '#gateway/ports.ts'
import { deadlineMs, failureOfConnection, failureOfStatus, inNameOf } from './upstream-failure.ts'

/** Of an answer that is a number and little else. */
const bytesMax = 64 * 1024

/**
 * A provider's small answer to something that costs nothing.
 * @throws Failure as a call would end with it
 */
export function wholeAnswer(
  ports: GatewayPorts,
  request: UpstreamRequest,
  plan: Plan,
  client: ServerResponse,
): Promise<ByteText> {
  const { limits, upstream } = ports
  return new Promise((resolve, reject) => {
    const fail = (failure: Failure): void => reject(inNameOf(plan.account, failure))
    let status = 0
    let retryAfterSeconds: number | null = null
    let text: ByteText = ''
    const call = upstream.send(request, {
      onHead(newStatus, headers) {
        status = newStatus
        retryAfterSeconds = headers.retryAfterSeconds
      },
      onData(bytes) {
        text += byteTextOfBytes(bytes)
        if (text.length <= bytesMax) return true
        call.abort()
        fail(new Failure('upstream_error', { reason: 'its answer is too large' }))
        return true
      },
      onEnd() {
        if (status >= 200 && status < 300) resolve(text)
        else fail(failureOfStatus(status, retryAfterSeconds, text, { ports, plan, isSameWire: true }))
      },
      onFailure(failure) {
        fail(failureOfConnection(failure, deadlineMs(limits.deadlines, failure.phase)))
      },
    })
    client.once('close', () => {
      call.abort()
      // Nobody is left to be told.
      fail(new Failure('upstream_error', { reason: 'the client left' }))
    })
  })
}
