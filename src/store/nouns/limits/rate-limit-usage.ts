import type { CountedUses } from '#domain/limits/rate-limit-usage-interface.ts'
import { boundFromText, rateUsesFromText } from '#store/rows/json-columns.ts'
import type { Query } from '#store/sql/database-interface.ts'

export function countedUses(query: Query): CountedUses {
  return {
    async ofEndUser(endUserId, mode) {
      const row = await query
        .selectFrom('rate_uses')
        .select('uses')
        .where('end_user_id', '=', endUserId)
        .where('mode', '=', mode)
        .executeTakeFirst()
      return rateUsesFromText(row?.uses ?? null)
    },
    async ofLines(endUserId, mode) {
      const rows = await query
        .selectFrom('line_rate_uses')
        .select(['line_id', 'uses'])
        .where('end_user_id', '=', endUserId)
        .where('mode', '=', mode)
        .execute()
      return new Map(rows.map(({ line_id, uses }) => [line_id, rateUsesFromText(uses)]))
    },
    async inFlight(endUserId, mode) {
      const rows = await query
        .selectFrom('holds')
        .leftJoin('keys', (join) =>
          join.onRef('keys.id', '=', 'holds.key_id').onRef('keys.end_user_id', '=', 'holds.end_user_id'),
        )
        .select(['holds.bound', 'holds.worst_micros', 'holds.key_id', 'keys.line_id'])
        .where('holds.end_user_id', '=', endUserId)
        .where('holds.mode', '=', mode)
        .execute()
      // On SQLite, the view reads these amounts from JSON, so they are text although the schema declares another type.
      return rows.map(({ bound, key_id, line_id, worst_micros }) => ({
        bound: boundFromText(bound),
        // oxlint-disable-next-line typescript/no-unnecessary-type-conversion
        worstMicros: BigInt(worst_micros),
        lineId: line_id ?? key_id,
      }))
    },
  }
}
