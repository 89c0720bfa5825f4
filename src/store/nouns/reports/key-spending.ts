/**
 * Charges of all keys of an application, for lists sorted by spending. The sums of most days are stored
 * (key-spending-sums.ts), and the days after them are added. A single statement reads the sums and their state, because
 * the job may replace the sums between two statements.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Mode } from '#domain/application-config.ts'
import { calendarWindow, dayMs } from '#money/period.ts'
import { chargedDays } from './charged-days.ts'

interface Keys {
  readonly applicationId: string
  readonly mode: Mode
}

const isStored = sql`set_number = (SELECT spending_set FROM usage_fold WHERE id = 1)
  AND run = (SELECT spending_run FROM usage_fold WHERE id = 1)`
const storedDay = sql`(SELECT spending_day FROM usage_fold WHERE id = 1)`

/** Returns SQL for the billed amount of each end user, with the columns `name` and `micros`. */
export function billedByEndUser({ applicationId, mode }: Keys): RawBuilder<unknown> {
  const isOwn = sql`application_id = ${applicationId} AND mode = ${mode}`
  return sql`SELECT end_user_id AS name, sum(billed_micros) AS micros
    FROM (
      SELECT end_user_id, billed_micros FROM key_spending WHERE ${isStored} AND ${isOwn}
      UNION ALL
      SELECT end_user_id, billed_micros FROM ${chargedDays(isOwn, sql`day > ${storedDay}`)}) AS parts
    GROUP BY end_user_id`
}

/**
 * Returns SQL for the charges of each key line, for each period in which a key of the application is capped. The
 * columns are `name` (the line and the period) and `micros`.
 */
export function chargedByLine({ applicationId, mode }: Keys, nowMs: number): RawBuilder<unknown> {
  const isOwn = sql`application_id = ${applicationId} AND mode = ${mode}`
  return sql`WITH w AS (
      SELECT * FROM (${sql.join(windowRows(nowMs), sql` UNION ALL `)}) AS windows
      WHERE period IN (SELECT cap_period FROM keys WHERE ${isOwn}))
    SELECT coalesce(k.line_id, k.id) || ' ' || parts.period AS name, sum(parts.micros) AS micros
    FROM (
      SELECT w.period, s.key_id, ${storedMicros} AS micros
      FROM w CROSS JOIN key_spending s WHERE w.is_stored = 1 AND ${isStored} AND ${isOwn}
      UNION ALL
      SELECT w.period, d.key_id, sum(d.charge_micros)
      FROM w CROSS JOIN usage_days d WHERE ${isOwn} AND d.day >= w.from_day
      GROUP BY w.period, d.key_id) AS parts
    JOIN keys k ON k.id = parts.key_id
    GROUP BY 1`
}

/**
 * Returns SQL for each window: whether the stored charges count in it, and the first day whose charges are added to
 * them. Stored charges count if their last day is in the current window.
 */
function windowRows(nowMs: number): readonly RawBuilder<unknown>[] {
  return (['day', 'week', 'month', 'total'] as const).map((period) => {
    const { endsAtMs, startsAtMs } = calendarWindow(period, nowMs)
    const fromDay = sql.lit(startsAtMs / dayMs)
    const isBefore = endsAtMs === null ? sql`1 = 1` : sql`${storedDay} < ${sql.lit(endsAtMs / dayMs)}`
    // Sums of the current day are never stored.
    const isStoredHere = period === 'day' ? sql`1 = 0` : sql`${storedDay} >= ${fromDay} AND ${isBefore}`
    return sql`SELECT ${sql.lit(period)} AS period, CASE WHEN ${isStoredHere} THEN 1 ELSE 0 END AS is_stored,
      CASE WHEN ${isStoredHere} THEN ${storedDay} + 1 ELSE ${fromDay} END AS from_day`
  })
}

const storedMicros = sql`CASE w.period WHEN 'week' THEN s.week_charge_micros
  WHEN 'month' THEN s.month_charge_micros ELSE s.charge_micros END`
