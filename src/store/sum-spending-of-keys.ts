/**
 * Adds up the charges of each key on all days up to a recent day (`key_spending`). Lists sorted by spending then add
 * only the charges of later days (nouns/reports/sql-of-spending-for-sorting.ts). Each run adds the days since the
 * previous run to the sums.
 *
 * The table contains two sets of sums, and lists read the current set. A run writes thousands of rows into the other
 * set, in short transactions, and the last transaction makes it the current set. If a call is charged on a summed day
 * meanwhile, a trigger increases `spending_begun`, and the run ends without effect. The trigger also drops sums that
 * include the day, so the next run adds up all days again (migrations/0018-key-spending).
 */
import { type RawBuilder, sql } from 'kysely'
import { serverReader } from '#domain/store-interface.ts'
import { calendarWindow, dayMs } from '#money/periods-and-windows.ts'
import { dayOf } from '#store/ledger/day-sums-of-batch.ts'
import { type Database, isDistributed, type Query } from '#store/sql/database-interface.ts'
import type { KeySpendingRow } from '#store/sql/schema.ts'
import { oldestDay } from './usage-sums-by-day.ts'

/** A transaction that writes this many rows takes a few milliseconds. */
const rowsAtOnce = 1_000
/** Maximum for one step: the number of days times the number of end users. */
const daysAtOnce = 50_000

type Sums = Omit<KeySpendingRow, 'set_number' | 'run'>

interface Run {
  readonly run: number
  readonly set: 1 | 2
  readonly throughDay: number
  /** The stored sums to which this run adds. `set` is 0 if no sums are stored. */
  readonly base: { readonly set: number; readonly run: number; readonly day: number }
}

/**
 * Adds the days that `foldUsageDays` has summed since the last run. Repeated runs are safe, even in several processes.
 * @param ending if this signal is aborted, the run ends without effect; the next run begins again
 */
export async function foldSpending(database: Database, ending: AbortSignal | null = null): Promise<void> {
  if (ending?.aborted) return
  const run = await database.transaction(begin)
  if (run === null) return
  const read = database.readFor(serverReader)
  const firstDay = Math.max(run.base.day + 1, (await oldestDay(read)) ?? 0)
  const days = Math.max(1, run.throughDay - firstDay + 1)
  const people = Math.max(1, Math.min(rowsAtOnce, Math.floor(daysAtOnce / days)))
  for (let after = ''; ;) {
    if (ending?.aborted) return
    // oxlint-disable-next-line no-await-in-loop -- one group of end users after another
    const last = await lastOfGroup(read, after, people)
    if (last === null) break
    // oxlint-disable-next-line no-await-in-loop -- see above
    const sums = await sumsOf(read, run, { firstDay, after, last })
    // oxlint-disable-next-line no-await-in-loop -- see above
    if (!(await database.transaction((tx) => write(tx, run, sums)))) return
    after = last
  }
  await database.transaction((tx) => finish(tx, run))
}

/** @returns null if no day has been summed since the last run */
async function begin(tx: Query): Promise<Run | null> {
  const fold = await tx.selectFrom('usage_fold').selectAll().executeTakeFirstOrThrow()
  if (fold.spending_day === fold.through_day) return null
  const run = fold.spending_begun + 1
  const begun = await tx
    .updateTable('usage_fold')
    .set({ spending_begun: run })
    .where('spending_begun', '=', fold.spending_begun)
    .where('through_day', '=', fold.through_day)
    .executeTakeFirst()
  if (begun.numUpdatedRows === 0n) return null
  return {
    run,
    set: fold.spending_set === 1 ? 2 : 1,
    throughDay: fold.through_day,
    base: { set: fold.spending_set, run: fold.spending_run, day: fold.spending_day },
  }
}

/** In ID order. Null if no end user follows. */
async function lastOfGroup(read: Query, after: string, people: number): Promise<string | null> {
  const { rows } = await sql<{ last: string | null }>`
    SELECT max(id) AS last FROM (
      SELECT id FROM end_users WHERE id > ${after} ORDER BY id LIMIT ${people}) AS group_of_people`.execute(
    read,
  )
  return rows[0]?.last ?? null
}

/** End users whose usage is read together, from `firstDay` on. */
interface Group {
  readonly firstDay: number
  /** Bounds of IDs: `after` is exclusive, and `last` is inclusive. */
  readonly after: string
  readonly last: string
}

async function sumsOf(read: Query, run: Run, group: Group): Promise<readonly Sums[]> {
  const { base, throughDay } = run
  const fromDay = (window: 'week' | 'month'): number =>
    dayOf(calendarWindow(window, throughDay * dayMs).startsAtMs)
  const [week, month] = [fromDay('week'), fromDay('month')]
  const since = (day: number) => sql`CASE WHEN d.day >= ${day} THEN d.charge_micros ELSE 0 END`
  const kept = (day: number, column: string) => (base.day >= day ? sql.ref(column) : sql`0`)
  const { days, parts, spending } = isDistributed(read) ? onNodes(run, group) : onOneNode(run, group)
  const { rows } = await sql<Sums>`
    ${parts}
    SELECT application_id, mode, end_user_id, key_id, sum(billed_micros) AS billed_micros,
      sum(charge_micros) AS charge_micros, sum(week_micros) AS week_charge_micros,
      sum(month_micros) AS month_charge_micros
    FROM (
      SELECT s.application_id, s.mode, s.end_user_id, s.key_id, s.billed_micros, s.charge_micros,
        ${kept(week, 's.week_charge_micros')} AS week_micros, ${kept(month, 's.month_charge_micros')} AS month_micros
      ${spending}
      UNION ALL
      SELECT d.application_id, d.mode, d.end_user_id, d.key_id, d.billed_micros, d.charge_micros,
        ${since(week)}, ${since(month)}
      ${days}) AS parts
    GROUP BY 1, 2, 3, 4`.execute(read)
  return rows
}

interface Sides {
  readonly parts: RawBuilder<unknown>
  readonly spending: RawBuilder<unknown>
  readonly days: RawBuilder<unknown>
}

/** SQLite does not reorder a CROSS JOIN, so it seeks the rows of each end user and day. */
function onOneNode({ base, throughDay }: Run, { after, firstDay, last }: Group): Sides {
  return {
    parts: sql`WITH RECURSIVE u (id, application_id) AS (
        SELECT id, application_id FROM end_users WHERE id > ${after} AND id <= ${last}),
      modes (mode) AS (SELECT 'live' UNION ALL SELECT 'test'),
      span (day) AS (
        SELECT CAST(${sql.lit(firstDay)} AS BIGINT) WHERE ${sql.lit(firstDay <= throughDay ? 1 : 0)} = 1
        UNION ALL SELECT day + 1 FROM span WHERE day < ${sql.lit(throughDay)})`,
    spending: sql`FROM u CROSS JOIN modes CROSS JOIN key_spending s
      WHERE s.set_number = ${base.set} AND s.run = ${base.run} AND s.application_id = u.application_id
        AND s.mode = modes.mode AND s.end_user_id = u.id`,
    days: sql`FROM u CROSS JOIN modes CROSS JOIN span CROSS JOIN usage_days d
      WHERE d.application_id = u.application_id AND d.mode = modes.mode AND d.day = span.day
        AND d.end_user_id = u.id`,
  }
}

/** Reads ranges of end users, because the primary key of `usage_days` begins with the end user on each node. */
function onNodes({ base, throughDay }: Run, { after, firstDay, last }: Group): Sides {
  return {
    parts: sql``,
    spending: sql`FROM key_spending s WHERE s.set_number = ${base.set} AND s.run = ${base.run}
      AND s.application_id IN (SELECT id FROM applications) AND s.mode IN ('live', 'test')
      AND s.end_user_id > ${after} AND s.end_user_id <= ${last}`,
    days: sql`FROM usage_days d WHERE d.end_user_id > ${after} AND d.end_user_id <= ${last}
      AND d.day BETWEEN ${firstDay} AND ${throughDay}`,
  }
}

/** @returns false, and writes nothing, if the run may not write any more */
async function write(tx: Query, { run, set }: Run, sums: readonly Sums[]): Promise<boolean> {
  const fold = await tx.selectFrom('usage_fold').select('spending_begun').executeTakeFirstOrThrow()
  if (fold.spending_begun !== run) return false
  for (let from = 0; from < sums.length; from += rowsAtOnce) {
    const rows = sums.slice(from, from + rowsAtOnce).map((row) => ({ set_number: set, run, ...row }))
    // oxlint-disable-next-line no-await-in-loop -- nearly always one iteration
    await tx
      .insertInto('key_spending')
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns(['set_number', 'application_id', 'mode', 'end_user_id', 'key_id'])
          .doUpdateSet((eb) => ({
            run: eb.ref('excluded.run'),
            billed_micros: eb.ref('excluded.billed_micros'),
            charge_micros: eb.ref('excluded.charge_micros'),
            week_charge_micros: eb.ref('excluded.week_charge_micros'),
            month_charge_micros: eb.ref('excluded.month_charge_micros'),
          })),
      )
      .execute()
  }
  return true
}

async function finish(tx: Query, { run, set, throughDay }: Run): Promise<void> {
  await tx
    .updateTable('usage_fold')
    .set({ spending_set: set, spending_run: run, spending_day: throughDay })
    .where('spending_begun', '=', run)
    .execute()
}
