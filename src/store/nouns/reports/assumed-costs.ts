import { sql } from 'kysely'
import type { Mode } from '#domain/application-config.ts'
import type { AssumedCost, DayRange } from '#domain/reports/reports-interface.ts'
import { dayMs } from '#money/periods-and-windows.ts'
import { type Columns, fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import type { Query } from '#store/sql/database-interface.ts'

/**
 * Reads the few calls with assumed rates, through indexes that contain only such calls. Each call counts on the day on
 * which it ended, as in the sums of days.
 */
export async function assumedCosts(
  query: Query,
  { applicationId, fromDay, mode, toDay }: DayRange & { readonly applicationId: string; readonly mode: Mode },
): Promise<readonly AssumedCost[]> {
  const [fromMs, toMs] = [fromDay * dayMs, toDay * dayMs]
  const { rows } = await sql<Columns<AssumedCost>>`
    SELECT alias, count(*) AS calls, sum(assumed_micros) AS assumed_micros FROM (
      SELECT alias, assumed_micros FROM usage_records
        WHERE application_id = ${applicationId} AND mode = ${mode} AND assumed_micros > 0
          AND settled_at_ms >= ${fromMs} AND settled_at_ms < ${toMs}
      UNION ALL
      SELECT coalesce(alias, ''), assumed_micros FROM requests
        WHERE application_id = ${applicationId} AND mode = ${mode} AND assumed_micros > 0
          AND at_ms < ${toMs} AND at_ms + latency_ms >= ${fromMs} AND at_ms + latency_ms < ${toMs}) AS assumed
    GROUP BY alias ORDER BY alias`.execute(query)
  return rows.map(fieldsOf)
}
