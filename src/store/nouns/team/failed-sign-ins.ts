import {
  type FailedSignInHour,
  type FailedSignIns,
  otherSites,
  sitesPerHourMax,
} from '#domain/people/failed-sign-ins.ts'
import { columnsOf, fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import type { Query } from '#store/sql/database-interface.ts'
import { every } from '#store/nouns/read-rows-and-pages.ts'

export function failedSignIns(query: Query): FailedSignIns {
  return {
    async add(failures) {
      const { hourMs, memberId } = failures
      const known = await query
        .selectFrom('failed_sign_ins')
        .select('site')
        .where('member_id', '=', memberId)
        .where('hour_ms', '=', hourMs)
        .limit(sitesPerHourMax + 1)
        .execute()
      const isOther = known.length >= sitesPerHourMax && known.every(({ site }) => site !== failures.site)
      const row = columnsOf({ ...failures, site: isOther ? otherSites : failures.site })
      // Another process may have added the row of this hour already.
      const added = await query
        .insertInto('failed_sign_ins')
        .values(row)
        .onConflict((conflict) =>
          conflict.columns(['member_id', 'hour_ms', 'site']).doUpdateSet((eb) => ({
            failures: eb('failed_sign_ins.failures', '+', row.failures),
            last_at_ms: row.last_at_ms,
            last_address: row.last_address,
          })),
        )
        .returningAll()
        .executeTakeFirstOrThrow()
      return fieldsOf(added)
    },
    async sums(organizationId, sinceMs) {
      const hours: readonly FailedSignInHour[] = await every(
        query
          .selectFrom('failed_sign_ins')
          .selectAll()
          .where('organization_id', '=', organizationId)
          .where('last_at_ms', '>=', sinceMs)
          .orderBy('last_at_ms'),
        (row) => fieldsOf(row),
      )
      const sums = new Map<
        string,
        { count: number; firstAtMs: number; lastAtMs: number; lastAddress: string }
      >()
      for (const { failures, firstAtMs, lastAddress, lastAtMs, memberId } of hours) {
        const sum = sums.get(memberId) ?? { count: 0, firstAtMs, lastAtMs, lastAddress }
        sums.set(memberId, {
          count: sum.count + failures,
          firstAtMs: Math.min(sum.firstAtMs, firstAtMs),
          lastAtMs,
          lastAddress,
        })
      }
      return sums
    },
    async prune(beforeMs) {
      await query.deleteFrom('failed_sign_ins').where('hour_ms', '<', beforeMs).execute()
    },
  }
}
