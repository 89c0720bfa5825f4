import type { UsageSums } from '#domain/store.ts'
import type { Query } from '#store/sql/database.ts'
import { applicationUsage } from './application-usage.ts'

export function usage(query: Query): UsageSums {
  return {
    async byAlias(applicationId, mode, { endUserId, fromDay, toDay }) {
      if (endUserId === null) return applicationUsage(query, { applicationId, mode, fromDay, toDay })
      const rows = await query
        .selectFrom('usage_days')
        .select('alias')
        .select((eb) => [
          eb.fn.sum<number>('calls').as('calls'),
          eb.fn.sum<number>('input_tokens').as('input_tokens'),
          eb.fn.sum<number>('output_tokens').as('output_tokens'),
          eb.fn.sum<bigint>('billed_micros').as('billed_micros'),
          eb.fn.sum<bigint>('over_hold_micros').as('over_hold_micros'),
        ])
        .where('application_id', '=', applicationId)
        .where('mode', '=', mode)
        .where('end_user_id', '=', endUserId)
        .$if(fromDay !== null, (all) => all.where('day', '>=', fromDay ?? 0))
        .$if(toDay !== null, (all) => all.where('day', '<', toDay ?? 0))
        .groupBy('alias')
        .orderBy('alias')
        .execute()
      return rows.map((row) => ({
        alias: row.alias,
        calls: row.calls,
        inputTokens: row.input_tokens,
        outputTokens: row.output_tokens,
        billedMicros: row.billed_micros,
        overHoldMicros: row.over_hold_micros,
      }))
    },
    async byEndUser(endUserIds, mode) {
      if (endUserIds.length === 0) return new Map()
      const rows = await query
        .selectFrom('usage_days')
        .select('end_user_id')
        .select((eb) => [
          eb.fn.sum<number>('calls').as('calls'),
          eb.fn.sum<number>('input_tokens').as('input_tokens'),
          eb.fn.sum<number>('output_tokens').as('output_tokens'),
          eb.fn.sum<bigint>('billed_micros').as('billed_micros'),
          eb.fn.sum<bigint>('over_hold_micros').as('over_hold_micros'),
        ])
        .where('end_user_id', 'in', endUserIds)
        .where('mode', '=', mode)
        .groupBy('end_user_id')
        .execute()
      return new Map(
        rows.map((row) => [
          row.end_user_id,
          {
            calls: row.calls,
            inputTokens: row.input_tokens,
            outputTokens: row.output_tokens,
            billedMicros: row.billed_micros,
            overHoldMicros: row.over_hold_micros,
          },
        ]),
      )
    },
  }
}
