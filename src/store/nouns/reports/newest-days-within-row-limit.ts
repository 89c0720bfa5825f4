import type { Mode } from '#domain/application-config.ts'
import { isDistributed, type Query } from '#store/sql/database-interface.ts'

interface Span {
  readonly applicationId: string
  readonly mode: Mode
  /** Inclusive. */
  readonly fromDay: number
  /** Exclusive. */
  readonly toDay: number
}

/**
 * Counts rows of `usage_days` from the newest day backward, and returns the day at which the count exceeds `rowsMax`.
 * Null if the whole range has at most `rowsMax` rows.
 *
 * With an offset, each shard of a distributed database would send `rowsMax` rows to the coordinator. The shards
 * therefore count their rows by day. The queries cover one day, then the two days before, then the four days before,
 * and so on.
 */
export async function dayAfterRows(query: Query, span: Span, rowsMax: number): Promise<number | null> {
  if (!isDistributed(query)) {
    const row = await rowsOf(query, span)
      .select('day')
      .orderBy('day', 'desc')
      .limit(1)
      .offset(rowsMax)
      .executeTakeFirst()
    return row?.day ?? null
  }
  let rows = 0
  let { toDay } = span
  for (let days = 1; toDay > span.fromDay; days *= 2) {
    const fromDay = Math.max(span.fromDay, toDay - days)
    // oxlint-disable-next-line no-await-in-loop -- earlier days are read only if they are needed
    const counts = await rowsOf(query, { ...span, fromDay, toDay })
      .select(({ fn }) => ['day', fn.countAll<number>().as('count')])
      .groupBy('day')
      .orderBy('day', 'desc')
      .execute()
    for (const { count, day } of counts) {
      rows += count
      if (rows > rowsMax) return day
    }
    toDay = fromDay
  }
  return null
}

function rowsOf(query: Query, { applicationId, fromDay, mode, toDay }: Span) {
  return query
    .selectFrom('usage_days')
    .where('application_id', '=', applicationId)
    .where('mode', '=', mode)
    .where('day', '>=', fromDay)
    .where('day', '<', toDay)
}
