import { type RawBuilder, sql } from 'kysely'
import { correctedColumns, figureColumns, listed } from '#store/sql/sql-of-figure-columns.ts'

/** Each amount is the change that the correction made. The number of calls is 0. */
const correctionFigures = figureColumns
  .map((column) => `${correctedColumns.includes(column) ? `coalesce(${column}, 0)` : '0'} AS ${column}`)
  .join(', ')

const keys = 'application_id, mode, day, end_user_id, key_id, alias'

/** Each correction counts on the day it was made (docs/guides/corrections.md). */
export const correctionRows = sql.raw(`SELECT ${keys}, ${correctionFigures} FROM call_corrections`)

/**
 * The sums of end users by day, key and model name, with corrections as separate rows. Limits and caps read
 * `usage_days` without corrections, because a refund does not make the refunded amount available again.
 * @param where a condition on the key columns of both tables
 * @param span a condition on `usage_days` for the days of a single end user (sql-condition-for-usage-days.ts)
 */
export function chargedDays(
  where: RawBuilder<unknown>,
  span: RawBuilder<unknown> = sql`1 = 1`,
): RawBuilder<unknown> {
  return sql`(
    SELECT ${sql.raw(`${keys}, ${listed(figureColumns)}`)} FROM usage_days WHERE ${where} AND ${span}
    UNION ALL
    ${correctionRows} WHERE ${where}) AS days`
}
