import type { UsageSums } from '#domain/store.ts'
import { fieldsOf } from '#store/sql/columns.ts'
import type { Query } from '#store/sql/database.ts'
import { applicationUsage } from './application-usage.ts'
import { every } from './paging.ts'
import { usageSeries } from './usage-series.ts'

export function usage(query: Query): UsageSums {
  const sums = query
    .selectFrom('usage_days')
    .select((eb) => [
      eb.fn.sum<number>('calls').as('calls'),
      eb.fn.sum<number>('input_tokens').as('input_tokens'),
      eb.fn.sum<number>('output_tokens').as('output_tokens'),
      eb.fn.sum<bigint>('billed_micros').as('billed_micros'),
      eb.fn.sum<bigint>('over_hold_micros').as('over_hold_micros'),
    ])
  return {
    async byAlias(applicationId, mode, { endUserId, fromDay, toDay }) {
      if (endUserId === null) return applicationUsage(query, { applicationId, mode, fromDay, toDay })
      const byAlias = sums
        .select('alias')
        .where('application_id', '=', applicationId)
        .where('mode', '=', mode)
        .where('end_user_id', '=', endUserId)
        .$if(fromDay !== null, (some) => some.where('day', '>=', fromDay ?? 0))
        .$if(toDay !== null, (some) => some.where('day', '<', toDay ?? 0))
        .groupBy('alias')
        .orderBy('alias')
      return every(byAlias, fieldsOf)
    },
    series: (asked) => usageSeries(query, asked),
    async byEndUser(endUserIds, mode) {
      if (endUserIds.length === 0) return new Map()
      const rows = await sums
        .select('end_user_id')
        .where('end_user_id', 'in', endUserIds)
        .where('mode', '=', mode)
        .groupBy('end_user_id')
        .execute()
      return new Map(rows.map(({ end_user_id: endUserId, ...row }) => [endUserId, fieldsOf(row)]))
    },
  }
}
