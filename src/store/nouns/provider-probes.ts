import { sql } from 'kysely'
import type { ProbeRecord, Probes } from '#domain/health/provider-probes.ts'
import { columnsOf, fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import type { Query } from '#store/sql/database-interface.ts'
import { lookUps } from '#store/sql/look-up-many-ids-at-once.ts'
import { every } from './read-rows-and-pages.ts'

export function probes(query: Query): Probes {
  const of = (organizationId: string) =>
    query.selectFrom('probes').where('organization_id', '=', organizationId)
  const newestFailed = lookUps(async (organizationId, accountIds) => {
    const ids = of(organizationId)
      .select((eb) => eb.fn.max('id').as('id'))
      .where('account_id', 'in', accountIds)
      .where('error_code', 'is not', null)
      .groupBy('account_id')
    const rows = await of(organizationId).selectAll().where('id', 'in', ids).execute()
    return new Map(rows.map((row): [string, ProbeRecord] => [row.account_id, fieldsOf(row)]))
  })
  return {
    async insert(probe) {
      await query.insertInto('probes').values(columnsOf(probe)).execute()
    },
    newest: (organizationId) =>
      every(
        of(organizationId)
          .selectAll()
          // The newest probe of an account has the highest ID, because IDs sort by time.
          .where(
            'id',
            'in',
            of(organizationId)
              .select((eb) => eb.fn.max('id').as('id'))
              .groupBy('account_id'),
          )
          .orderBy('account_id'),
        (row): ProbeRecord => fieldsOf(row),
      ),
    newestFailed: async (organizationId, accountId) =>
      (await newestFailed(organizationId, accountId)) ?? null,
    async costMicros(organizationId, fromMs, toMs) {
      const row = await of(organizationId)
        .select(sql<bigint | null>`sum(cost_micros)`.as('cost_micros'))
        .where('created_at_ms', '>=', fromMs)
        .where('created_at_ms', '<', toMs)
        .executeTakeFirst()
      return row?.cost_micros ?? 0n
    },
  }
}
