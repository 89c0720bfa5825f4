import { modeTime } from '#operations/kernel/current-time-of-mode.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import type { Check } from './finding-types.ts'

const shownMax = 20
/**
 * A request takes at most an hour (gateway/call/dependencies-of-gateway.ts), and may then wait for the store to settle.
 */
const heldMinutesMax = 75

export const holds: Check = {
  name: 'holds',
  looksAt: `Up to ${shownMax} requests in flight for more than ${heldMinutesMax} minutes.`,
  async run(context) {
    const { application, mode, store } = context
    const beforeMs = modeTime(context) - heldMinutesMax * 60_000
    const open = await store.diagnosis.openHolds(application.id, mode, beforeMs, shownMax)
    return open.map(({ callId, externalId, reservedAtMs, worstMicros }) => ({
      code: 'held_too_long',
      severity: 'error',
      resource: { type: 'request', id: idOf('req', callId) },
      message: `A request of ${externalId} has held ${worstMicros} micros since ${new Date(reservedAtMs).toISOString()}. No request lasts this long, so no process is handling the request any more.`,
      fix: {
        say: 'Restart the server. At startup, the server settles each hold of the previous process with the metered usage of its request. If the hold remains, the server log has the reason.',
        call: null,
      },
    }))
  },
}
