import { sql } from 'kysely'
import type { Bills, IssuedBill, SettledCalls } from '#domain/billing/organization-bills.ts'
import { billInputFromText, billInputToText } from '#store/rows/bill-input-column.ts'
import { columnsOf, fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import type { Query } from '#store/sql/database-interface.ts'
import type { BillRow } from '#store/sql/schema.ts'
import { every } from '#store/nouns/read-rows-and-pages.ts'

export function bills(query: Query): Bills {
  return {
    tierChanges: (organizationId) =>
      every(
        query
          .selectFrom('tier_changes')
          .select(['from_day', 'tier'])
          .where('organization_id', '=', organizationId)
          .orderBy('from_day'),
        fieldsOf,
      ),
    async setTier(organizationId, today, change, nowMs) {
      await query
        .deleteFrom('tier_changes')
        .where('organization_id', '=', organizationId)
        .where('from_day', '>', today)
        .execute()
      if (change === null) return
      const fields = columnsOf({ tier: change.tier, setAtMs: nowMs })
      await query
        .insertInto('tier_changes')
        .values({ ...columnsOf({ organizationId, fromDay: change.fromDay }), ...fields })
        .onConflict((conflict) => conflict.columns(['organization_id', 'from_day']).doUpdateSet(fields))
        .execute()
    },
    async settledCalls(organizationId, fromDay, toDay) {
      // Older days are read from stored sums, and the newest days are added up from calls, as in
      // usage-and-costs-of-application.ts.
      const fold = await query.selectFrom('usage_fold').select('through_day').executeTakeFirstOrThrow()
      const folded = Math.min(toDay, fold.through_day + 1)
      const open = Math.max(fromDay, folded)
      const { rows } = await sql<SettledCalls>`
        SELECT day, sum(calls) AS calls FROM (
          SELECT d.day, d.calls FROM applications a JOIN application_days d
            ON d.application_id = a.id AND d.mode = 'live' AND d.day >= ${fromDay} AND d.day < ${folded}
            WHERE a.organization_id = ${organizationId}
          UNION ALL
          SELECT d.day, d.calls FROM applications a JOIN usage_days d
            ON d.application_id = a.id AND d.mode = 'live' AND d.day >= ${open} AND d.day < ${toDay}
            WHERE a.organization_id = ${organizationId}) AS days
        GROUP BY day ORDER BY day`.execute(query)
      return rows.map(({ calls, day }) => ({ calls, day }))
    },
    issued: (organizationId) =>
      every(
        query
          .selectFrom('bills')
          .selectAll()
          .where('organization_id', '=', organizationId)
          .orderBy('month', 'desc'),
        billOf,
      ),
    async issue({ input, ...bill }) {
      const inserted = await query
        .insertInto('bills')
        .values({ ...columnsOf(bill), input: billInputToText(input) })
        .onConflict((conflict) => conflict.columns(['organization_id', 'month']).doNothing())
        .returning('month')
        .executeTakeFirst()
      return inserted !== undefined
    },
  }
}

function billOf({ input, ...row }: BillRow): IssuedBill {
  return { ...fieldsOf(row), input: billInputFromText(input) }
}
