import { type RawBuilder, sql } from 'kysely'
import type { Mode } from '#domain/application-config.ts'
import type { Counts, Money } from '#domain/sums-of-request-figures.ts'
import type { UsageSum } from '#domain/reports/usage-sum-of-model-name.ts'
import { type Columns, fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import { figureColumns, listed, type MoneyColumns, summed } from '#store/sql/sql-of-figure-columns.ts'
import type { Query } from '#store/sql/database-interface.ts'
import { correctionRows } from './charges-and-corrections-by-day.ts'

export interface UsageQuery {
  readonly applicationId: string
  readonly mode: Mode
  /** Days since 1970 (UTC). `fromDay` is inclusive; null means no start. `toDay` is exclusive; null means no end. */
  readonly fromDay: number | null
  readonly toDay: number | null
}

/**
 * Returns the usage of all end users, by model name. Reads `application_days`, and the rows of the end users for days
 * without a stored sum (usage-sums-by-day.ts).
 */
export async function applicationUsage(
  query: Query,
  asked: UsageQuery,
): Promise<(UsageSum & Counts & Money)[]> {
  const { rows } = await sql<Columns<Counts> & MoneyColumns & { alias: string }>`
    SELECT alias, ${sql.raw(summed(figureColumns))} FROM ${await applicationDays(query, asked)} GROUP BY alias ORDER BY alias`.execute(
    query,
  )
  return rows.map((row) => fieldsOf(row))
}

export async function applicationCosts(
  query: Query,
  applicationIds: readonly string[],
  mode: Mode,
): Promise<ReadonlyMap<string, bigint>> {
  const isOf = sql`application_id IN (${sql.join(applicationIds)})`
  const columns = { names: 'application_id', figures: ['cost_micros'] }
  const days = await daysOf(query, isOf, { mode, fromDay: null, toDay: null }, columns)
  const { rows } = await sql<{ application_id: string; cost_micros: bigint }>`
    SELECT application_id, sum(cost_micros) AS cost_micros FROM ${days} GROUP BY application_id`.execute(
    query,
  )
  return new Map(rows.map((row) => [row.application_id, row.cost_micros]))
}

/** Corrections are separate rows, so a day and model name may have several rows. */
export function applicationDays(
  query: Query,
  { applicationId, ...asked }: UsageQuery,
): Promise<RawBuilder<unknown>> {
  const columns = { names: 'day, alias', figures: figureColumns }
  return daysOf(query, sql`application_id = ${applicationId}`, asked, columns)
}

async function daysOf(
  query: Query,
  isOf: RawBuilder<unknown>,
  { fromDay, mode, toDay }: Omit<UsageQuery, 'applicationId'>,
  { figures, names }: { readonly names: string; readonly figures: readonly string[] },
): Promise<RawBuilder<unknown>> {
  const from = fromDay ?? -1
  const to = toDay ?? Number.MAX_SAFE_INTEGER
  // The last summed day only increases, and stored sums do not change. This read is therefore right even if another day
  // is summed meanwhile.
  const fold = await query.selectFrom('usage_fold').select('through_day').executeTakeFirstOrThrow()
  const folded = Math.min(to, fold.through_day + 1)
  const open = Math.max(from, folded)
  const columns = sql.raw(`${names}, ${listed(figures)}`)
  // The rows of end users are grouped, so that the nodes of a distributed database send only sums.
  return sql`(
    SELECT ${columns} FROM application_days
      WHERE ${isOf} AND mode = ${mode} AND day >= ${from} AND day < ${folded}
    UNION ALL
    SELECT ${sql.raw(`${names}, ${summed(figures)}`)} FROM usage_days
      WHERE ${isOf} AND mode = ${mode} AND day >= ${open} AND day < ${to}
      GROUP BY ${sql.raw(names)}
    UNION ALL
    SELECT ${columns} FROM (${correctionRows}
      WHERE ${isOf} AND mode = ${mode} AND day >= ${from} AND day < ${to}) AS corrections) AS days`
}
