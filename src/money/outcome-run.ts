/** When the run of an outcome takes no more calls, and when it takes them again. */
import type { RunStatus } from './hold.ts'
import type { Refusal } from './refusal.ts'

export interface RunStanding {
  readonly status: RunStatus
  /** The ceiling that the run has reached; null: none. */
  readonly cappedAtMicros: bigint | null
}

/** The status of a run under the ceiling of now: a run that reached a lower ceiling runs again. */
export function statusOfRun({ status, cappedAtMicros }: RunStanding, ceilingMicros: bigint): RunStatus {
  const isReopened = status === 'capped' && cappedAtMicros !== null && cappedAtMicros < ceilingMicros
  return isReopened ? 'running' : status
}

/**
 * Whether this refusal shows that the run has reached its ceiling: its spending leaves no room for one token
 * of an answer to a call that the whole ceiling could have paid. A call too large for the ceiling itself says
 * nothing about the run.
 */
export function isCappedBy({ code, limit, requested }: Refusal): boolean {
  return code === 'outcome_capped' && limit !== null && requested !== null && requested <= limit
}
