import { type RawBuilder, sql } from 'kysely'
import { correctedColumns, figureColumns, listed } from '#store/sql/sql-of-figure-columns.ts'

/** The figures of a correction. Each amount is the change that the correction made. The number of calls is 0. */
const correctionFigures = figureColumns
  .map((column) => `${correctedColumns.includes(column) ? `coalesce(${column}, 0)` : '0'} AS ${column}`)
  .join(', ')

const keys = 'application_id, mode, day, end_user_id, key_id, alias'

/**
 * Corrections as rows with the columns of `usage_days`. Each correction counts on the day it was made
 * (docs/guides/corrections.md).
 */
export const correctionRows = sql.raw(`SELECT ${keys}, ${correctionFigures} FROM call_corrections`)

/**
 * Returns a table expression with the sums of end users by day, key and model name. Corrections are separate rows.
 * Limits and caps read `usage_days` without corrections, because a refund does not make the refunded amount available
 * again under a limit or a cap.
 * @param where a condition on the key columns of both tables
 * @param span a further condition on `usage_days`, used to read the days of a single end user
 * (sql-condition-for-usage-days.ts)
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
