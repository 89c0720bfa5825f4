/**
 * Sums of whole applications by day (`application_days`), made from the sums of their people once a day is
 * over. A call never writes to a row that calls of others write to, so the sum over all people is made later;
 * a reader adds the days that are not folded yet (nouns/application-usage.ts).
 *
 * `usage_fold.through_day` is the last folded day. A settle of a folded day (the machine's clock was set
 * back) lowers it to the day before, in its own transaction: readers then sum that day from its people again,
 * and the next fold makes it anew.
 */
import { sql } from 'kysely'
import { serverReader } from '#domain/store.ts'
import type { Database, Query } from '#store/sql/database.ts'
import { figureColumns, listed, replaced, summed } from '#store/sql/figure-columns.ts'
import { dayOf } from '#store/ledger/day-sums.ts'

/** A day is over for good when no process can write a settle of it any more. */
const lateDays = 2
/** So many earlier days are folded again, for settles that were kept longer while the store was away. */
const againDays = 7

/**
 * Folds the missing days, one per transaction. Repeating it, also on several processes, does no harm.
 * @returns the number of folded days; fewer than are missing when another process folds meanwhile
 */
export async function foldUsageDays(database: Database, nowMs: number): Promise<number> {
  const last = dayOf(nowMs) - lateDays
  const read = database.readFor(serverReader)
  const through = await throughDay(read)
  if (through >= last) return 0
  const { rows } = await sql<{ day: number | null }>`SELECT min(day) AS day FROM usage_days`.execute(read)
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

/** @returns false: `through_day` is not `through` any more, and nothing was done */
async function foldDay(tx: Query, day: number, through: number): Promise<boolean> {
  // First, so that a settle that lowers it waits and then sees that this day is made.
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
