import { sql } from 'kysely'
import { dayMs } from '#money/periods-and-windows.ts'
import type { DailyLimit, DailyLimitRows } from '#domain/daily-limits.ts'
import { columnsOf, fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import type { Query } from '#store/sql/database-interface.ts'
import type { DailyLimitRow } from '#store/sql/schema.ts'
import { every } from './read-rows-and-pages.ts'

export function dailyLimits(query: Query): DailyLimitRows {
  return {
    of: (organizationId) =>
      every(
        query
          .selectFrom('daily_limits')
          .selectAll()
          .where('organization_id', '=', organizationId)
          .orderBy('application_id'),
        limitOf,
      ),
    async put(organizationId, { applicationId, ...rest }) {
      const place = { organization_id: organizationId, application_id: applicationId ?? '' }
      if (rest.callsMax === null && rest.spendMaxMicros === null) {
        await query
          .deleteFrom('daily_limits')
          .where('organization_id', '=', place.organization_id)
          .where('application_id', '=', place.application_id)
          .execute()
        return
      }
      const fields = columnsOf(rest)
      await query
        .insertInto('daily_limits')
        .values({ ...place, ...fields })
        .onConflict((conflict) => conflict.columns(['organization_id', 'application_id']).doUpdateSet(fields))
        .execute()
    },
    async use({ applicationId, organizationId }, dayStartsAtMs) {
      const inScope =
        applicationId === null
          ? sql`application_id IN (SELECT id FROM applications WHERE organization_id = ${organizationId})`
          : sql`application_id = ${applicationId}`
      // Read calls in flight before ended calls: a call that ends between the reads is counted twice instead of not at
      // all.
      const held = await sql<{ call_id: string; worst_micros: bigint }>`
        SELECT call_id, worst_micros FROM holds WHERE ${inScope} AND mode = 'live'`.execute(query)
      const charged = await sql<{ calls: number | null; cost_micros: bigint | null }>`
        SELECT sum(calls) AS calls, sum(cost_micros) AS cost_micros FROM usage_days
        WHERE ${inScope} AND mode = 'live' AND day = ${dayStartsAtMs / dayMs}`.execute(query)
      const [sums] = charged.rows
      return {
        calls: sums?.calls ?? 0,
        spentMicros: sums?.cost_micros ?? 0n,
        inFlight: held.rows.map((row) => fieldsOf(row)),
      }
    },
  }
}

function limitOf({ application_id: applicationId, ...row }: DailyLimitRow): DailyLimit {
  const { organization_id: _, ...limit } = row
  return { ...fieldsOf(limit), applicationId: applicationId === '' ? null : applicationId }
}
