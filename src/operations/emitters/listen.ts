import * as z from 'zod'
import type { TailReader } from '#domain/calls/requests-tail-interface.ts'
import type { EmitterAmount } from '#domain/emitters/emitter-kinds.ts'
import type { ListenedApplication } from '#domain/emitters/emitter-records-and-ports.ts'
import { Failure } from '#domain/errors.ts'
import type { AnswerStream } from '#operations/kernel/response-stream.ts'
import { streamOperation } from '#operations/kernel/declare-operation.ts'
import type { EmitterWork } from '#operations/kernel/dependencies-of-operations.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { everyCall } from '#domain/calls/call-filter.ts'
import { EmitterAmountOrAll } from '#operations/emitters/shared/emitter-view.ts'
import { ForwardedBatch, forwardedBatch } from '#operations/emitters/shared/forwarded-batch-view.ts'

const heartbeatMs = 15_000
const batchMax = 100

export default streamOperation({
  id: 'emitters.listen',
  path: '/v1/emitters/listen',
  scope: 'application',
  leastRole: 'developer',
  isExtension: true,
  summary: 'Listen to usage events',
  description:
    'Streams the signed batches that a webhook emitter of this application and mode would receive, as server-sent events. A client can post the batches to a receiver on a private network. The command `tollgate emitters listen --forward-to` posts the batches.\n\n- `listening` is the first event and contains the signing secret, which never changes.\n- `batch` contains the requests that settled within the last second. Batches are not stored or sent again, so requests that settle while no client listens are skipped.\n- `dropped` ends the stream when the client reads too slowly.\n- `ended` ends the stream when the credential is no longer valid or the server stops.\n\nA comment is sent after every 15 seconds without a batch.',
  query: {
    amount: EmitterAmountOrAll,
  },
  errors: ['too_many_readers'],
  streams: [
    {
      mediaType: 'text/event-stream',
      description: 'Server-sent events `listening`, `batch`, `dropped` and `ended`.',
      item: ForwardedBatch,
      event: 'batch',
    },
  ],
  async open({ amount }, { application, mode, organization, ports }) {
    const { callTail, emitters } = ports
    const listened = { organizationId: organization.id, applicationId: application.id, mode }
    const reader = callTail.follow({
      ...listened,
      filter: everyCall,
      after: null,
      write: ({ callId }) => callId,
    })
    if (reader === null)
      return refused('too_many_readers', { count: callTail.readersMax, retryAfterSeconds: 10 })
    return {
      mediaType: 'text/event-stream',
      headers: { 'x-accel-buffering': 'no' },
      pieces: (ending) => batchesOf(reader, { listened, amount, emitters }, ending),
      leave: () => reader.leave(),
    } satisfies AnswerStream
  },
})

interface Listening {
  readonly listened: ListenedApplication
  readonly amount: EmitterAmount
  readonly emitters: EmitterWork
}

async function* batchesOf(
  reader: TailReader,
  { amount, emitters, listened }: Listening,
  ending: AbortSignal,
): AsyncGenerator<string, void, void> {
  try {
    yield eventOf('listening', { signingSecret: emitters.listenSecret(listened) })
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- one piece after the other
      const piece = await reader.next(heartbeatMs, ending)
      if (piece === null) break
      if (piece.kind === 'dropped') {
        const message =
          'Some batches were skipped because the client read too slowly or another server process was lost.'
        yield eventOf('dropped', { reason: piece.reason, message })
        return
      }
      if (piece.kind !== 'calls') {
        yield ':\n\n'
        continue
      }
      const callIds = piece.events.map(({ text }) => text)
      for (let from = 0; from < callIds.length; from += batchMax) {
        // oxlint-disable-next-line no-await-in-loop -- one batch after the other
        const batch = await emitters.batchOfCalls(listened, amount, callIds.slice(from, from + batchMax))
        if (batch !== null) yield eventOf('batch', z.encode(ForwardedBatch, forwardedBatch(batch)))
      }
    }
    const { reason }: { readonly reason: unknown } = ending
    if (reason instanceof Failure) yield eventOf('ended', { code: reason.code, message: reason.message })
  } finally {
    reader.leave()
  }
}

function eventOf(kind: string, data: object): string {
  return `event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`
}
