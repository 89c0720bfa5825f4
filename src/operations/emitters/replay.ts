import * as z from 'zod'
import { suffixFloor, suffixMs } from '#domain/ids-sorted-by-time.ts'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownEmitter } from '#operations/kernel/find-resources-of-caller.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { Timestamp } from '#operations/kernel/value-and-page-schemas.ts'
import { EmitterView, emitterView } from '#operations/emitters/shared/emitter-view.ts'

// The ETag does not cover the progress of a replay, which does not change the emitter's settings.
export default operationOn(ownEmitter, {
  id: 'emitters.replay',
  method: 'POST',
  path: '/v1/emitters/{id}/replay',
  leastRole: 'admin',
  summary: 'Replay recorded usage',
  description:
    'Sends the events of all settled requests of a time range again, with their original idempotency keys. Events that were already delivered are sent again, too. New usage continues to be delivered meanwhile.\n\n- The replay continues after a restart of the server. `emitters.show` returns its progress.\n- The replay stops at the first batch that is not accepted. A replay of the same time range continues with that batch.\n- Disabling the emitter ends the replay.',
  isExtension: true,
  body: z.strictObject({
    from: Timestamp.meta({ description: 'Events of requests that arrived at or after this time are sent.' }),
    to: Timestamp.meta({
      description:
        'Events of requests that arrived before this time are sent. The time must not be in the future.',
    }),
  }),
  output: EmitterView,
  errors: ['replay_running'],
  async run(emitter, context, { body }) {
    const { nowMs, ports, store } = context
    if (body.from >= body.to) {
      return refused('invalid_request', { reason: 'from must be before to.' }, 'from')
    }
    if (body.to > nowMs) return refused('invalid_request', { reason: 'to must not be in the future.' }, 'to')
    if (!emitter.isEnabled) {
      return refused(
        'invalid_request',
        { reason: 'The emitter is disabled. Enable the emitter first.' },
        'id',
      )
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
})
