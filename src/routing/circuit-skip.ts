import type { CircuitState, Skip } from './route.ts'

/**
 * Why a target is not taken for the sake of its circuit; null: it may be. A plan asks it, and so does an attempt right
 * before it begins, since circuits open while a call waits for its turn.
 */
export function circuitSkip(circuit: CircuitState, nowMs: number): Skip | null {
  if (circuit.kind === 'closed') return null
  if (circuit.kind === 'open') {
    if (circuit.untilMs <= nowMs) return null
    return {
      code: 'circuit_open',
      reason: `its circuit is open until ${timeOfDay(circuit.untilMs)} UTC: ${circuit.why}`,
    }
  }
  if (!circuit.isTrying) return null
  return { code: 'circuit_open', reason: `one call is trying whether it answers again: ${circuit.why}` }
}

/** `12:00:31` */
function timeOfDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 19)
}
