import type { RunStatus } from './decision-types.ts'
import type { Refusal } from './refusal-types.ts'

export interface RunStanding {
  readonly status: RunStatus
  /** Null if the run has reached no ceiling. */
  readonly cappedAtMicros: bigint | null
}

/** A run that had reached its ceiling accepts requests again if the ceiling was raised. */
export function statusOfRun({ status, cappedAtMicros }: RunStanding, ceilingMicros: bigint): RunStatus {
  const isReopened = status === 'capped' && cappedAtMicros !== null && cappedAtMicros < ceilingMicros
  return isReopened ? 'running' : status
}

/**
 * Returns whether a refusal shows that the run has reached its ceiling. Returns true if the whole ceiling, but not the
 * remaining amount, covers the request with one output token per choice. A request that even the whole ceiling does not
 * cover does not change the run.
 */
export function isCappedBy({ code, limit, requested }: Refusal): boolean {
  return code === 'outcome_capped' && limit !== null && requested !== null && requested <= limit
}
