import type { Emitter, EmitterCounts } from '#domain/emitters/emitter-records-and-ports.ts'
import { suffixMs } from '#domain/ids-sorted-by-time.ts'
import { counted } from './pluralize.ts'
import type { Check, Finding } from './finding-types.ts'

export const emitters: Check = {
  name: 'emitters',
  looksAt: 'Every emitter of the application and mode: its last batch and its missed events.',
  async run({ application, mode, store }) {
    const all = await store.emitters.all(application.id, mode)
    const findings = await Promise.all(
      all.map(async (emitter) => findingsOf(emitter, await store.emitters.counts(emitter.id))),
    )
    return findings.flat()
  },
}

function findingsOf(emitter: Emitter, counts: EmitterCounts): Finding[] {
  const { failingSinceMs, lastFailure, missedFrom, missedTo } = counts
  const resource = { type: 'emitter', id: emitter.id }
  const found: Finding[] = []
  if (emitter.isEnabled && failingSinceMs !== null) {
    found.push({
      code: 'emitter_failing',
      severity: 'error',
      resource,
      message: `The emitter ${emitter.name} has not accepted events since ${timeText(failingSinceMs)}: ${lastFailure ?? 'no response'}.`,
      fix: {
        say: `Fix ${emitter.destination}, then send a sample to test it, or delete the emitter. The finding clears when the next batch is accepted.`,
        call: {
          operation: 'emitters.test',
          method: 'POST',
          path: `/v1/emitters/${emitter.id}/test`,
          body: null,
        },
      },
    })
  }
  if (missedFrom === null || missedTo === null) return found
  const from = timeText(suffixMs(missedFrom) ?? 0)
  const to = timeText((suffixMs(missedTo) ?? 0) + 1)
  const { dropped, rejected } = counts
  found.push({
    code: 'events_not_delivered',
    severity: 'warning',
    resource,
    message: `Events of requests between ${from} and ${to} were not delivered to the emitter ${emitter.name}. In total, ${counted(rejected, 'event was', 'events were')} not accepted, and ${counted(dropped, 'event was', 'events were')} dropped because too many events were waiting. The usage of these requests is recorded.`,
    fix: {
      say: 'Replay the events of this time range when the destination accepts events again. Events that arrived before keep their idempotency keys.',
      call: {
        operation: 'emitters.replay',
        method: 'POST',
        path: `/v1/emitters/${emitter.id}/replay`,
        body: { from, to },
      },
    },
  })
  return found
}

function timeText(ms: number): string {
  return new Date(ms).toISOString()
}
