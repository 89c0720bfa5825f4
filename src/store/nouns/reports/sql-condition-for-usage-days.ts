import { type RawBuilder, sql } from 'kysely'
import type { Mode } from '#domain/application-config.ts'
import { isDistributed, type Query } from '#store/sql/database-interface.ts'

export interface DaySpan {
  readonly applicationId: string | RawBuilder<unknown>
  readonly mode: Mode
  /** Days since 1970 (UTC). `fromDay` is inclusive; null means no start. `toDay` is exclusive; null means no end. */
  readonly fromDay: number | null
  readonly toDay: number | null
}

/**
 * SQL condition for the rows of one end user in `usage_days`.
 *
 * On the embedded store, the key of `usage_days` begins with application, mode and day. The rows of one commit
 * therefore share pages. On that store, a range of days would read the rows of all end users. The condition is
 * therefore a list of days. The list has only days from the application's first to its last day with usage. The list is
 * finite, and misses no charge even if a clock was wrong.
 *
 * On a distributed database, the key begins with the end user's ID, so the condition is a range of days.
 */
export function usageDaysCondition<Type = unknown>(
  query: Query,
  { applicationId, fromDay, mode, toDay }: DaySpan,
): RawBuilder<Type> {
  const within = sql<Type>`application_id = ${applicationId} AND mode = ${mode}
    AND day >= ${fromDay ?? -1} AND day < ${toDay ?? Number.MAX_SAFE_INTEGER}`
  if (isDistributed(query)) return within
  return sql<Type>`${within} AND day IN (
    WITH RECURSIVE span (day, last) AS (
      SELECT (SELECT min(day) FROM usage_days WHERE ${within}), (SELECT max(day) FROM usage_days WHERE ${within})
      UNION ALL SELECT day + 1, last FROM span WHERE day < last)
    SELECT day FROM span)`
}

export function applicationOf(endUserId: string): RawBuilder<unknown> {
  return sql`(SELECT application_id FROM end_users WHERE id = ${endUserId})`
}
