import * as z from 'zod'
import type { TailPlace, TailReader } from '#domain/calls/requests-tail-interface.ts'
import { Failure } from '#domain/errors.ts'
import { suffixMs } from '#domain/ids-sorted-by-time.ts'
import type { CallRecord } from '#domain/calls/call-record.ts'
import type { AnswerStream } from '#operations/kernel/response-stream.ts'
import { streamOperation } from '#operations/kernel/declare-operation.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'
import { callFilters, filterOf } from '#operations/requests/shared/request-filters.ts'
import { RequestView, requestView } from '#operations/requests/shared/request-view.ts'

const heartbeatMs = 15_000

export default streamOperation({
  id: 'requests.tail',
  path: '/v1/requests/tail',
  scope: 'application',
  isExtension: true,
  summary: 'Watch requests as they end',
  description:
    'Streams gateway requests in the mode of the request as server-sent events, in the order in which the requests end. Each event is sent within a second after its request has ended. The events are:\n- `call`: a request, with the fields that `requests.list` returns. The `id` of the event is its position in the stream. If an event is sent late, after events of requests that ended later, the event has no `id`.\n- `gap`: more requests have ended since `Last-Event-ID` than can be sent again. Read the missing requests with requests.list.\n- `dropped`: the last event, sent if the client read too slowly or if requests of other processes may be missing.\n- `ended`: the last event, sent when the credential expires or loses its access, or when the server stops.\n\nTo continue a stream, send its last `id` as `Last-Event-ID`. Requests that ended in the meantime are sent first: at most 10,000 requests, from at most the last ten minutes. A comment is sent after 15 seconds without an event. If a server process dies, its requests in flight are returned only by requests.list.',
  query: callFilters,
  errors: ['not_found', 'too_many_readers'],
  streams: [
    {
      mediaType: 'text/event-stream',
      description: 'Server-sent events `call`, `gap`, `dropped` and `ended`.',
      item: RequestView,
      event: 'call',
    },
  ],
  async open(query, context) {
    const { application, lastEventId, mode, organization, ports } = context
    const filter = await filterOf(query, context)
    if (filter instanceof Refused) return filter
    const after = lastEventId === null ? null : placeOfText(lastEventId)
    if (lastEventId !== null && after === null) {
      const reason = 'Last-Event-ID is not the ID of an event of this stream.'
      return refused('invalid_request', { reason }, 'last-event-id')
    }
    const { callTail } = ports
    const reader = callTail.follow({
      organizationId: organization.id,
      applicationId: application.id,
      mode,
      filter,
      after,
      write: eventText,
    })
    if (reader === null)
      return refused('too_many_readers', { count: callTail.readersMax, retryAfterSeconds: 10 })
    return {
      mediaType: 'text/event-stream',
      // Tells proxies not to delay events in a buffer (nginx.org, ngx_http_proxy_module).
      headers: { 'x-accel-buffering': 'no' },
      pieces: (ending) => eventsOf(reader, after, ending),
      leave: () => reader.leave(),
    } satisfies AnswerStream
  },
})

async function* eventsOf(
  reader: TailReader,
  after: TailPlace | null,
  ending: AbortSignal,
): AsyncGenerator<string, void, void> {
  let last = after
  try {
    yield ': requests follow as they end\n\n'
    for (;;) {
      const piece = await reader.next(heartbeatMs, ending)
      if (piece === null) break
      switch (piece.kind) {
        case 'quiet':
          yield ':\n\n'
          break
        case 'gap':
          yield `event: gap\ndata: ${JSON.stringify({
            message:
              'More requests have ended since then than can be sent again. Read them with GET /v1/requests.',
            since: new Date(piece.after.endedAtMs).toISOString(),
          })}\n\n`
          break
        case 'dropped':
          yield `event: dropped\ndata: ${JSON.stringify({
            reason: piece.reason,
            message: `${reasons[piece.reason]} Reconnect with Last-Event-ID to receive the missing requests.`,
            lastEventId: last && textOfPlace(last),
          })}\n\n`
          return
        case 'calls':
          yield piece.events
            .map(({ place, text }) => {
              if (place === null) return text
              last = place
              return `id: ${textOfPlace(place)}\n${text}`
            })
            .join('')
          break
        default:
          piece satisfies never
      }
    }
    const { reason }: { readonly reason: unknown } = ending
    if (reason instanceof Failure)
      yield `event: ended\ndata: ${JSON.stringify({ code: reason.code, message: reason.message })}\n\n`
  } finally {
    reader.leave()
  }
}

const reasons = {
  slow: 'The client read too slowly.',
  crowded: 'The server has its maximum number of clients, and most of them belong to this organization.',
  link_lost: 'The connection to other server processes broke, so their requests may be missing.',
} as const

/** Many readers receive the same event. */
const texts = new WeakMap<CallRecord, string>()

function eventText(call: CallRecord, labels: ReadonlyMap<string, string>): string {
  const known = texts.get(call)
  if (known !== undefined) return known
  const text = `event: call\ndata: ${JSON.stringify(z.encode(RequestView, requestView(call, labels)))}\n\n`
  texts.set(call, text)
  return text
}

function textOfPlace({ callId, endedAtMs }: TailPlace): string {
  return `${endedAtMs}-${callId}`
}

function placeOfText(text: string): TailPlace | null {
  const [, ended = '', callId = ''] = /^([0-9]{1,15})-([0-9a-z]{26})$/.exec(text) ?? []
  return suffixMs(callId) === null ? null : { endedAtMs: Number(ended), callId }
}
