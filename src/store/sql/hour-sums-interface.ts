import type { Mode } from '#domain/application-config.ts'
import type { CallHourRow, RunHourRow, TagHourRow, TargetHourRow } from './schema.ts'

export interface HourRows {
  readonly calls: readonly CallHourRow[]
  readonly targets: readonly TargetHourRow[]
  readonly runs: readonly RunHourRow[]
  readonly tags: readonly TagHourRow[]
}

export interface HourPart {
  readonly applicationId: string
  readonly mode: Mode
  /** Number of hours since January 1, 1970, UTC. */
  readonly hour: number
  /** Null if the sums must be computed from the rows of the calls. */
  readonly rows: HourRows | null
}

export interface TakenHours {
  readonly parts: readonly HourPart[]
  /** The first hour whose sums contain every call. If the `rows` of a part are null, the calls must be read. */
  readonly fromHour: number
  /** Whether the parts may lack calls of hours before `fromHour`. */
  readonly isNew: boolean
}

export interface HoursAsked {
  readonly applicationId: string
  readonly mode: Mode
  readonly kind: keyof HourRows
}

export interface SeenHours {
  /** Rows only for the table that `kind` selects. Hours without calls have no part. */
  readonly parts: readonly HourPart[]
  /** The first hour whose sums contain every call. If the `rows` of a part are null, the calls must be read. */
  readonly fromHour: number
}

export interface HourSource {
  /**
   * Returns the sums that `take` has not returned yet. All these sums contain the same calls, even if calls end during
   * the read.
   * @param throughHour the last hour whose sums are already stored
   */
  peek(asked: HoursAsked & { readonly throughHour: number }): Promise<SeenHours>
  /**
   * Returns the sums up to `lastHour` (inclusive) and deletes them. If the sums cannot be stored, call `reset`.
   * @param throughHour the last hour whose sums are already stored
   */
  take(of: { readonly lastHour: number; readonly throughHour: number }): Promise<TakenHours>
  /** Call this function if stored ends of calls may be missing in these sums. */
  reset(): void
}
