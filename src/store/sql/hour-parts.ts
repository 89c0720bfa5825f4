import type { Mode } from '#domain/application-config.ts'
import type { CallHourRow, RunHourRow, TargetHourRow } from './schema.ts'

/** Rows of `call_hours`, `target_hours` and `run_hours`. */
export interface HourRows {
  readonly calls: readonly CallHourRow[]
  readonly targets: readonly TargetHourRow[]
  readonly runs: readonly RunHourRow[]
}

/** The calls of one application and mode that ended in one hour. */
export interface HourPart {
  readonly applicationId: string
  readonly mode: Mode
  /** Hours since 1970, UTC. */
  readonly hour: number
  /** Null if the rows of the calls must be read. */
  readonly rows: HourRows | null
}

export interface TakenHours {
  readonly parts: readonly HourPart[]
  /** From this hour on, the parts contain every call, unless a part has no rows. */
  readonly fromHour: number
  /** Whether ends of earlier hours may have been stored that are in no part. */
  readonly isNew: boolean
}

/** Sums of the calls that this process has ended, by the hour of their end. */
export interface HourSource {
  /**
   * Returns the sums of the hours until `lastHour` (inclusive), and forgets them. If they cannot be stored, call
   * `reset`.
   * @param throughHour the last hour that is stored
   */
  take(of: { readonly lastHour: number; readonly throughHour: number }): Promise<TakenHours>
  /** Call when ends may have been stored that are missing in the sums. */
  reset(): void
}
