/**
 * Adds up the usage of whole applications by day (`application_days`). The sums of a day are computed after the day,
 * from the sums of end users. Concurrent calls therefore never write to the same row. Reports add the days without a
 * stored sum (nouns/reports/usage-and-costs-of-application.ts).
 *
 * `usage_fold.through_day` is the last day with stored sums. If the clock was set back, a request may settle on a day
 * with a stored sum. The transaction of that request then lowers `through_day` to the day before. Until the next run,
 * reports add up the day from the sums of end users. On a distributed database, a later transaction lowers
 * `through_day` (postgres/days-with-late-settles.ts).
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import { serverReader } from '#domain/store-interface.ts'
import { type Database, isDistributed, isPostgres, type Query } from '#store/sql/database-interface.ts'
import { figureColumns, listed, replaced, summed } from '#store/sql/sql-of-figure-columns.ts'
import { dayOf } from '#store/ledger/day-sums-of-batch.ts'

/**
 * On PostgreSQL, the sums of a day are stored this many days later, when no process can settle on that day. An earlier
 * time would be unsafe: a settle reads `through_day` before its commit, and may miss that its day is summed meanwhile.
 */
const lateDays = 2
/**
 * On the embedded store, the sums of a day are stored this long after its end. Few settles of the day arrive later. A
 * short wait is enough: no settle runs while sums are stored, and a late settle lowers `through_day`.
 */
const lateMs = 300_000
/** Number of past days whose sums are stored again, because settles may have waited for the store. */
const againDays = 7

/**
 * Stores the missing sums, one day per transaction. Repeated runs are safe, even in several processes.
 * @param ending if this signal is aborted, no further day is stored; the next run stores the remaining days
 * @returns the number of days that were stored; lower than the number of missing days if the work ended early, or if
 *   another process stores sums, too
 */
export async function foldUsageDays(
  database: Database,
  nowMs: number,
  ending: AbortSignal | null = null,
): Promise<number> {
  if (ending?.aborted) return 0
  const read = database.readFor(serverReader)
  const last = isPostgres(read) ? dayOf(nowMs) - lateDays : dayOf(nowMs - lateMs) - 1
  const through = await throughDay(read)
  if (through >= last) return 0
  const oldest = (await oldestDay(read)) ?? last
  const first = Math.max(oldest, through - againDays + 1)
  let made = through
  for (let day = first; day <= last; day++) {
    if (ending?.aborted) return day - first
    const isMade = await database.transaction((tx) => foldDay(tx, day, made))
    if (!isMade) return day - first
    made = Math.max(made, day)
    // On the embedded store, the transaction may run on the main thread, which must serve requests in between.
    await nextTurn()
  }
  return last - first + 1
}

/** The first day with usage of any application. Null if no call was charged. */
export async function oldestDay(read: Query): Promise<number | null> {
  if (isDistributed(read)) {
    const { rows } = await sql<{ day: number | null }>`SELECT min(day) AS day FROM usage_days`.execute(read)
    return rows[0]?.day ?? null
  }
  const { rows } = await sql<{ day: number | null }>`
    SELECT min(day) AS day FROM (
      SELECT (SELECT min(d.day) FROM usage_days d WHERE d.application_id = a.id AND d.mode = m.mode) AS day
      FROM applications a, (SELECT 'live' AS mode UNION ALL SELECT 'test') AS m) AS first_days`.execute(read)
  return rows[0]?.day ?? null
}

async function throughDay(query: Query): Promise<number> {
  const { through_day: day } = await query
    .selectFrom('usage_fold')
    .select('through_day')
    .executeTakeFirstOrThrow()
  return day
}

/** @returns false, and writes nothing, if `through_day` is no longer `through` */
async function foldDay(tx: Query, day: number, through: number): Promise<boolean> {
  // Update `through_day` before reading the usage. A settle that must lower `through_day` then waits for this
  // transaction.
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
