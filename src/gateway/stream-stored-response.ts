import type { BackgroundCall } from '#domain/background/background-holds-interface.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import type { StoredRequest } from '#domain/provider-upstream-interface.ts'
import { zeroUsage } from '#money/usage-counts.ts'
import type { Arrival } from '#gateway/call/arrived-request-types.ts'
import type { Plan } from '#gateway/call/targets-of-model-name.ts'
import { wireErrorOf } from '#gateway/end/write-error-response.ts'
import { deliveredUsage } from '#gateway/relay/estimate-usage-of-background-call.ts'
import { relayStoredStream } from '#gateway/relay/relay-stored-stream.ts'
import { sendFreeRequest } from '#gateway/relay/send-free-request.ts'
import { failureOfError } from '#gateway/relay/failure-with-provider-error.ts'
import { headersOf } from '#gateway/relay/write-response-to-client.ts'
import type { AnswerStream } from '#wire/stream/answer-stream-interface.ts'

export interface StreamedResponse {
  readonly plan: Plan
  readonly stored: StoredRequest
  readonly query: string
  /** The call that holds money for the response. Null if it is settled. */
  readonly open: BackgroundCall | null
}

/**
 * The stream usually starts at the event at which an earlier stream broke off. The response is settled before its last
 * event is written.
 */
export async function streamStoredResponse(
  arrival: Arrival,
  { open, plan, query, stored }: StreamedResponse,
  stream: AnswerStream,
): Promise<void> {
  const { background, id, ports, response } = arrival
  const end = await relayStoredStream(arrival, plan, { stored, query }, stream)
  if (end === 'lost') {
    // Each event up to `startingAfter` was delivered by an earlier stream, and counts as one token.
    const outputTokens = (stored.startingAfter ?? 0) + stream.outputTokens
    if (open !== null) await background.noteDelivered(open, deliveredUsage(open, outputTokens))
    response.destroy()
    return
  }
  if (!response.headersSent) response.writeHead(200, headersOf(arrival, 'text/event-stream'))
  if (end === 'done') {
    const { answeredBy = null, outputTokens, usage } = stream
    if (open !== null)
      await background.settleReported(open, { end: 'completed', usage, answeredBy, outputTokens })
    response.end(stream.tail(usage ?? zeroUsage), 'latin1')
    return
  }
  // The charge depends on whether the response failed or was canceled, which only the whole response shows.
  const whole: StoredRequest = { method: 'GET', id: stored.id, part: '' }
  if (open !== null)
    await background.settleIfOver(open, await sendFreeRequest(arrival, plan, { stored: whole, query: '' }))
  const failure = failureOfError(stream.failure, { ports, plan, isSameWire: true })
  response.end(stream.errorTail(wireErrorOf(failure, true), idOf('req', id)), 'latin1')
}
