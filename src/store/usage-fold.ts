/**
 * Sums of whole applications by day (`application_days`). They are computed from the sums of the end users after the
 * day has ended, so that no call writes to a row that other calls also write to. A reader adds the days that are not
 * folded yet (nouns/reports/application-usage.ts).
 *
 * `usage_fold.through_day` is the last folded day. A settle on a folded day (if the machine's clock was set back)
 * lowers it to the day before, in its own transaction. Readers then sum that day from its end users again, and the next
 * fold computes it again.
 */
import { sql } from 'kysely'
import { serverReader } from '#domain/store.ts'
import { type Database, isPostgres, type Query } from '#store/sql/database.ts'
import { figureColumns, listed, replaced, summed } from '#store/sql/figure-columns.ts'
import { dayOf } from '#store/ledger/batch-day-sums.ts'

/**
 * On PostgreSQL, a settle reads `through_day` before its commit, so it may miss a fold in between. After this number of
 * days, no process can write a settle of the day.
 */
const lateDays = 2
/**
 * The embedded store has one writer, so a settle and a fold never overlap, and a late settle lowers `through_day`. After
 * this time, in milliseconds, few settles are late.
 */
const lateMs = 300_000
/** Number of earlier days that are folded again, for settles that were kept longer while the store was away. */
const againDays = 7

/**
 * Folds the missing days, one per transaction. Repeating it is safe, also in several processes.
 * @returns the number of folded days; fewer than missing if another process folds at the same time
 */
export async function foldUsageDays(database: Database, nowMs: number): Promise<number> {
  const read = database.readFor(serverReader)
  const last = isPostgres(read) ? dayOf(nowMs) - lateDays : dayOf(nowMs - lateMs) - 1
  const through = await throughDay(read)
  if (through >= last) return 0
  const { rows } = await sql<{ day: number | null }>`
    SELECT min(day) AS day FROM (
      SELECT (SELECT min(d.day) FROM usage_days d WHERE d.application_id = a.id AND d.mode = m.mode) AS day
      FROM applications a, (SELECT 'live' AS mode UNION ALL SELECT 'test') AS m) AS first_days`.execute(read)
  const oldest = rows[0]?.day ?? last
  const first = Math.max(oldest, through - againDays + 1)
  let made = through
  for (let day = first; day <= last; day++) {
    const isMade = await database.transaction((tx) => foldDay(tx, day, made))
    if (!isMade) return day - first
    made = Math.max(made, day)
  }
  return last - first + 1
}

async function throughDay(query: Query): Promise<number> {
  const { through_day: day } = await query
    .selectFrom('usage_fold')
    .select('through_day')
    .executeTakeFirstOrThrow()
  return day
}

/** @returns false if `through_day` is no longer `through`; then nothing was done */
async function foldDay(tx: Query, day: number, through: number): Promise<boolean> {
  // Claim the day first. A settle that lowers `through_day` then waits and sees that this day is folded.
  const claimed = await tx
    .updateTable('usage_fold')
    .set({ through_day: Math.max(through, day) })
    .where('id', '=', 1)
    .where('through_day', '=', through)
    .executeTakeFirst()
  if (claimed.numUpdatedRows === 0n) return false
  await sql`
    INSERT INTO application_days (application_id, mode, day, alias, ${sql.raw(listed(figureColumns))})
    SELECT d.application_id, d.mode, d.day, d.alias, ${sql.raw(summed(figureColumns))}
    FROM applications a JOIN usage_days d
      ON d.application_id = a.id AND d.mode IN ('live', 'test') AND d.day = ${day}
    WHERE 1 = 1
    GROUP BY d.application_id, d.mode, d.day, d.alias
    ON CONFLICT (application_id, mode, day, alias) DO UPDATE SET ${sql.raw(replaced(figureColumns))}`.execute(
    tx,
  )
  return true
}
