import { sql } from 'kysely'
import type { UsageSum } from '#domain/reports/usage-sum-of-model-name.ts'
import type { UsageSums } from '#domain/store-interface.ts'
import { type Columns, fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import { summed, usageColumns } from '#store/sql/sql-of-figure-columns.ts'
import type { Query } from '#store/sql/database-interface.ts'
import { applicationUsage } from './usage-and-costs-of-application.ts'
import { chargedDays } from './charges-and-corrections-by-day.ts'
import { applicationOf, usageDaysCondition } from './sql-condition-for-usage-days.ts'
import type { Memory } from './hours-without-stored-sums.ts'
import { usageSeries } from './usage-series.ts'

const sums = sql.raw(summed(usageColumns))

export function usage(query: Query, memory: Memory): UsageSums {
  return {
    async byAlias(applicationId, mode, { endUserId, fromDay, toDay }) {
      if (endUserId === null) return applicationUsage(query, { applicationId, mode, fromDay, toDay })
      const days = chargedDays(
        sql`application_id = ${applicationId} AND mode = ${mode} AND end_user_id = ${endUserId}
          AND day >= ${fromDay ?? -1} AND day < ${toDay ?? Number.MAX_SAFE_INTEGER}`,
        usageDaysCondition(query, { applicationId, mode, fromDay, toDay }),
      )
      const { rows } = await sql<Columns<UsageSum> & { alias: string }>`
        SELECT alias, ${sums} FROM ${days} GROUP BY alias ORDER BY alias`.execute(query)
      return rows.map((row) => fieldsOf(row))
    },
    series: (asked) => usageSeries(query, memory, asked),
    async byEndUser(endUserIds, mode) {
      const [one] = endUserIds
      if (one === undefined) return new Map()
      const days = chargedDays(
        sql`end_user_id IN (${sql.join(endUserIds)}) AND mode = ${mode}`,
        usageDaysCondition(query, { applicationId: applicationOf(one), mode, fromDay: null, toDay: null }),
      )
      const { rows } = await sql<Columns<UsageSum> & { end_user_id: string }>`
        SELECT end_user_id, ${sums} FROM ${days} GROUP BY end_user_id`.execute(query)
      return new Map(rows.map(({ end_user_id: endUserId, ...row }) => [endUserId, fieldsOf(row)]))
    },
  }
}
