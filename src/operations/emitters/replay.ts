import * as z from 'zod'
import { suffixFloor, suffixMs } from '#domain/id.ts'
import { operationOn } from '#operations/operation.ts'
import { ownEmitter } from '#operations/own.ts'
import { refused } from '#operations/refused.ts'
import { Timestamp } from '#operations/schemas.ts'
import { EmitterView, emitterView } from './emitter-view.ts'

// The progress of a replay changes without an edit, so the ETag does not cover it.
export default operationOn(
  { ...ownEmitter, revision: null },
  {
    id: 'emitters.replay',
    method: 'POST',
    path: '/v1/emitters/{id}/replay',
    leastRole: 'admin',
    summary: 'Send recorded usage again',
    description:
      'Sends every settled call of a span of time once more, under the same idempotency keys, beside what settles now; whether it was delivered before does not matter. It goes on after a restart of the server, and stops at the first batch that is not accepted: asking for the same span again goes on there. emitters.show tells how far it is. Disabling the emitter ends it.',
    isExtension: true,
    body: z.strictObject({
      from: Timestamp.meta({ description: 'Calls that arrived from then on.' }),
      to: Timestamp.meta({ description: 'Calls that arrived before then; not in the future.' }),
    }),
    output: EmitterView,
    errors: ['replay_running'],
    async run(emitter, context, { body }) {
      const { nowMs, ports, store } = context
      if (body.from >= body.to) {
        return refused('invalid_request', { reason: 'from must be before to.' }, 'from')
      }
      if (body.to > nowMs)
        return refused('invalid_request', { reason: 'to must not be in the future.' }, 'to')
      if (!emitter.isEnabled) {
        return refused('invalid_request', { reason: 'The emitter is disabled; enable it first.' }, 'id')
      }
      const before = await store.emitters.replay(emitter.id)
      if (before?.state === 'running') {
        const at = new Date(suffixMs(before.through) ?? before.fromMs).toISOString()
        return refused('replay_running', { id: emitter.id, at }, 'id')
      }
      const isSame = before?.fromMs === body.from && before.toMs === body.to && before.state === 'stopped'
      await store.emitters.putReplay({
        emitterId: emitter.id,
        fromMs: body.from,
        toMs: body.to,
        through: isSame ? before.through : suffixFloor(body.from),
        sent: isSame ? before.sent : 0,
        state: 'running',
        failure: null,
        epoch: ports.epoch,
        startedAtMs: nowMs,
        updatedAtMs: nowMs,
      })
      context.afterCommit(() => ports.emitters.changed())
      return emitterView(emitter, context)
    },
  },
)
