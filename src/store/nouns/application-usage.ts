import { type RawBuilder, sql } from 'kysely'
import type { Mode } from '#domain/application-config.ts'
import type { UsageSum } from '#domain/records.ts'
import { type Columns, fieldsOf } from '#store/sql/columns.ts'
import type { Query } from '#store/sql/database.ts'

export interface UsageQuery {
  readonly applicationId: string
  readonly mode: Mode
  /** Days since 1970 (UTC): the first is included, the last is not; null: without end. */
  readonly fromDay: number | null
  readonly toDay: number | null
}

type Sums = Columns<UsageSum & { costMicros: bigint }>

/**
 * The usage of all people of an application, by alias. Days that are over are summed up in
 * `application_days`; the last two or three are summed from the rows of the people.
 */
export async function applicationUsage(
  query: Query,
  asked: UsageQuery,
): Promise<(UsageSum & { readonly costMicros: bigint })[]> {
  const { rows } = await sql<Sums>`
    SELECT alias, sum(calls) AS calls, sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
      sum(cost_micros) AS cost_micros, sum(billed_micros) AS billed_micros,
      sum(over_hold_micros) AS over_hold_micros
    FROM ${await applicationDays(query, asked)} GROUP BY alias ORDER BY alias`.execute(query)
  return rows.map((row) => fieldsOf(row))
}

/** The sums of an application by day and name, some rows for the same: as a table of a statement. */
export async function applicationDays(
  query: Query,
  { applicationId, fromDay, mode, toDay }: UsageQuery,
): Promise<RawBuilder<unknown>> {
  const from = fromDay ?? -1
  const to = toDay ?? Number.MAX_SAFE_INTEGER
  // The folded day only rises, and folded sums stay: a fold in between changes no sum.
  const fold = await query.selectFrom('usage_fold').select('through_day').executeTakeFirstOrThrow()
  const folded = Math.min(to, fold.through_day + 1)
  const open = Math.max(from, folded)
  const columns = sql`day, alias, calls, input_tokens, output_tokens, cost_micros, billed_micros,
    over_hold_micros, charge_micros`
  return sql`(
    SELECT ${columns} FROM application_days
      WHERE application_id = ${applicationId} AND mode = ${mode} AND day >= ${from} AND day < ${folded}
    UNION ALL
    SELECT ${columns} FROM usage_days
      WHERE application_id = ${applicationId} AND mode = ${mode} AND day >= ${open} AND day < ${to}) AS days`
}
