/**
 * SQL for the amounts by which lists are sorted by spending. The sums of most days are stored
 * (sum-spending-of-keys.ts), and later days are added. A single statement reads the sums and their state, because the
 * job may replace the sums between two statements.
 *
 * Stored and later sums are separate joins, each grouped by end user. Each shard of a distributed database then sorts
 * its own rows and returns one page. Citus would not divide a UNION among the shards.
 */
import { type RawBuilder, sql, type SqlBool } from 'kysely'
import { isPostgres, type Query } from '#store/sql/database-interface.ts'
import type { Mode } from '#domain/application-config.ts'
import { calendarWindow, dayMs, type Window } from '#money/periods-and-windows.ts'
import type { SortValues } from '#store/nouns/sorted-page.ts'
import { correctionRows } from './charges-and-corrections-by-day.ts'

interface Of {
  readonly applicationId: string
  readonly mode: Mode
}

const isStored = sql`s.set_number = (SELECT spending_set FROM usage_fold WHERE id = 1)
  AND s.run = (SELECT spending_run FROM usage_fold WHERE id = 1)`
const storedDay = sql`(SELECT spending_day FROM usage_fold WHERE id = 1)`

export function billedOfEndUser({ applicationId, mode }: Of): SortValues {
  const isOwn = sql`application_id = ${applicationId} AND mode = ${mode}`
  const part = (name: string, from: RawBuilder<unknown>) => ({
    name,
    rows: sql`SELECT end_user_id, sum(billed_micros) AS micros FROM ${from} GROUP BY end_user_id`,
    isOfRow: sql<SqlBool>`${sql.ref(name)}.end_user_id = end_users.id`,
  })
  return {
    value: sql`coalesce(stored.micros, 0) + coalesce(recent.micros, 0) + coalesce(corrected.micros, 0)`,
    parts: [
      part('stored', sql`key_spending s WHERE ${isStored} AND ${isOwn}`),
      part('recent', sql`usage_days WHERE ${isOwn} AND day > ${storedDay}`),
      part('corrected', sql`(${correctionRows} WHERE ${isOwn}) AS corrections`),
    ],
  }
}

/**
 * Returns, for each row of `keys`, the charges of the key line in the current window of the key's cap.
 *
 * A line belongs to one end user. The end user is in each join on PostgreSQL, because Citus distributes rows by end
 * user. SQLite takes a third less time without the end user.
 */
export function chargedOfLine(query: Query, { applicationId, mode }: Of, nowMs: number): SortValues {
  const isOwn = sql`application_id = ${applicationId} AND mode = ${mode}`
  const withOwner = isPostgres(query)
  const owner = (column: string): RawBuilder<unknown> => (withOwner ? sql`${sql.ref(column)},` : sql``)
  const hasOwner = (one: string, other: string): RawBuilder<unknown> =>
    withOwner ? sql`${sql.ref(one)} = ${sql.ref(other)} AND` : sql``
  const part = (name: string, from: RawBuilder<unknown>, columns: readonly RawBuilder<unknown>[]) => ({
    name,
    rows: sql`SELECT ${owner('k.end_user_id')} coalesce(k.line_id, k.id) AS line_id, ${sql.join(columns)}
      FROM ${from} s JOIN keys k ON ${hasOwner('k.end_user_id', 's.end_user_id')} k.id = s.key_id
      GROUP BY ${owner('k.end_user_id')} coalesce(k.line_id, k.id)`,
    isOfRow: sql<SqlBool>`${hasOwner(`${name}.end_user_id`, 'keys.end_user_id')}
      ${sql.ref(name)}.line_id = coalesce(keys.line_id, keys.id)`,
  })
  const firstDay = (window: Window): RawBuilder<unknown> =>
    sql.lit(calendarWindow(window, nowMs).startsAtMs / dayMs)
  // If the clock was set back, stored sums may include days after today. Such sums are not used.
  const isUsed = sql`${storedDay} < ${firstDay('day')}`
  const storedIn = (window: Window, column: string): RawBuilder<unknown> =>
    sql`sum(CASE WHEN ${storedDay} >= ${firstDay(window)} THEN ${sql.ref(`s.${column}`)} ELSE 0 END) AS ${sql.ref(window)}`
  const recentIn = (window: Window): RawBuilder<unknown> =>
    sql`sum(CASE WHEN day >= ${firstDay(window)} THEN charge_micros ELSE 0 END) AS ${sql.ref(window)}`
  const windows = ['day', 'week', 'month', 'total'] as const
  return {
    value: sql`CASE keys.cap_period WHEN 'day' THEN coalesce(recent.day, 0) ${sql.join(
      (['week', 'month'] as const).map(
        (window) =>
          sql`WHEN ${sql.lit(window)} THEN coalesce(${sql.ref(`stored.${window}`)}, 0) + coalesce(${sql.ref(`recent.${window}`)}, 0)`,
      ),
      sql` `,
    )} ELSE coalesce(stored.total, 0) + coalesce(recent.total, 0) END`,
    parts: [
      part('stored', sql`(SELECT * FROM key_spending s WHERE ${isStored} AND ${isUsed} AND ${isOwn})`, [
        storedIn('week', 'week_charge_micros'),
        storedIn('month', 'month_charge_micros'),
        storedIn('total', 'charge_micros'),
      ]),
      // Add up the recent days of all keys before the join, because each key has several rows. Otherwise PostgreSQL
      // also looks up one key after another, because it does not know how few rows these days have.
      part(
        'recent',
        sql`(SELECT ${owner('end_user_id')} key_id, ${sql.join(windows.map(recentIn))} FROM usage_days
          WHERE ${isOwn} AND day > CASE WHEN ${isUsed} THEN ${storedDay} ELSE -1 END GROUP BY ${owner('end_user_id')} key_id)`,
        windows.map((window) => sql`sum(${sql.ref(`s.${window}`)}) AS ${sql.ref(window)}`),
      ),
    ],
  }
}
