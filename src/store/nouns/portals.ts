import { sql, type SqlBool } from 'kysely'
import {
  defaultPortalSettings,
  type PortalLink,
  type Portals,
  type PortalSession,
  type UsageOfDay,
} from '#domain/portal-settings-and-sessions.ts'
import { type Columns, columnsOf, fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import { summed, usageColumns } from '#store/sql/sql-of-figure-columns.ts'
import type { Query } from '#store/sql/database-interface.ts'
import { chargedDays } from '#store/nouns/reports/charges-and-corrections-by-day.ts'
import { applicationOf, usageDaysCondition } from '#store/nouns/reports/sql-condition-for-usage-days.ts'
import { first } from './read-rows-and-pages.ts'

export function portals(query: Query): Portals {
  const daysOf = (
    endUserId: string,
    mode: PortalLink['mode'],
    fromDay: number | null,
    toDay: number | null,
  ) =>
    query
      .selectFrom('usage_days')
      .where('end_user_id', '=', endUserId)
      .where(
        usageDaysCondition<SqlBool>(query, { applicationId: applicationOf(endUserId), mode, fromDay, toDay }),
      )
  return {
    async insertLink(link, hash) {
      await query.deleteFrom('portal_links').where('expires_at_ms', '<=', link.createdAtMs).execute()
      await query
        .insertInto('portal_links')
        .values({ ...columnsOf(link), hash })
        .execute()
    },
    async takeLink(hash, applicationId, nowMs) {
      // Read and delete the link in one statement. A concurrent transaction waits, and then finds no row.
      const row = await query
        .deleteFrom('portal_links')
        .where('hash', '=', hash)
        .where('expires_at_ms', '>', nowMs)
        .$if(applicationId !== null, (some) => some.where('application_id', '=', applicationId ?? ''))
        .returningAll()
        .executeTakeFirst()
      if (row === undefined) return null
      const { hash: _, ...link } = row
      return fieldsOf(link)
    },
    async insertSession(session, hash) {
      await query.deleteFrom('portal_sessions').where('expires_at_ms', '<=', session.createdAtMs).execute()
      await query
        .insertInto('portal_sessions')
        .values({ ...columnsOf(session), hash })
        .execute()
    },
    session: (hash) =>
      first(
        query.selectFrom('portal_sessions').selectAll().where('hash', '=', hash),
        ({ hash: _hash, ...session }): PortalSession => fieldsOf(session),
      ),
    async isSessionThere(id) {
      const row = await query
        .selectFrom('portal_sessions')
        .select('id')
        .where('id', '=', id)
        .executeTakeFirst()
      return row !== undefined
    },
    async touchSession(id, atMs) {
      await query.updateTable('portal_sessions').set({ last_used_at_ms: atMs }).where('id', '=', id).execute()
    },
    async endSession(id) {
      await query.deleteFrom('portal_sessions').where('id', '=', id).execute()
    },
    async endSessionByHash(hash) {
      await query.deleteFrom('portal_sessions').where('hash', '=', hash).execute()
    },
    async endVisits(endUserId) {
      await query.deleteFrom('portal_links').where('end_user_id', '=', endUserId).execute()
      await query.deleteFrom('portal_sessions').where('end_user_id', '=', endUserId).execute()
    },
    async endVisitsOpenedBy(memberId, how) {
      // Only links and sessions that were opened in a session of the member have a label.
      const label = how === 'in_session' ? 'is not' : 'is'
      const tables = ['portal_links', 'portal_sessions'] as const
      for (const table of tables) {
        // oxlint-disable-next-line no-await-in-loop -- the statements of a transaction run one after the other
        await query
          .deleteFrom(table)
          .where('opened_by_id', '=', memberId)
          .$if(how !== 'either', (opened) => opened.where('opened_by_label', label, null))
          .execute()
      }
    },
    async settings(applicationId) {
      const row = await query
        .selectFrom('portal_settings')
        .selectAll()
        .where('application_id', '=', applicationId)
        .executeTakeFirst()
      if (row === undefined) return defaultPortalSettings
      const { end_users_may_mint_keys, key_cap_micros, key_cap_period, key_caps_total_micros } = row
      return {
        endUsersMayMintKeys: end_users_may_mint_keys === 1,
        ...fieldsOf({ key_cap_micros, key_cap_period, key_caps_total_micros }),
      }
    },
    async putSettings(applicationId, settings) {
      const fields = columnsOf(settings)
      await query
        .insertInto('portal_settings')
        .values({ application_id: applicationId, ...fields })
        .onConflict((conflict) => conflict.column('application_id').doUpdateSet(fields))
        .execute()
    },
    async onDemandCeiling(endUserId, mode) {
      const row = await query
        .selectFrom('on_demand_ceilings')
        .select('ceiling_micros')
        .where('end_user_id', '=', endUserId)
        .where('mode', '=', mode)
        .executeTakeFirst()
      return row?.ceiling_micros ?? null
    },
    async setOnDemandCeiling(endUserId, mode, ceilingMicros) {
      const fields = { ceiling_micros: ceilingMicros }
      await query
        .insertInto('on_demand_ceilings')
        .values({ end_user_id: endUserId, mode, ...fields })
        .onConflict((conflict) => conflict.columns(['end_user_id', 'mode']).doUpdateSet(fields))
        .execute()
    },
    async callsInFlight(applicationId, endUserId, mode) {
      const row = await query
        .selectFrom('holds')
        .select((eb) => eb.fn.countAll<number>().as('calls'))
        .where('application_id', '=', applicationId)
        .where('end_user_id', '=', endUserId)
        .where('mode', '=', mode)
        .executeTakeFirstOrThrow()
      return row.calls
    },
    async chargedMicros(endUserId, mode, { fromDay, toDay }) {
      const row = await daysOf(endUserId, mode, fromDay, toDay)
        .select((eb) => eb.fn.sum<bigint | null>('charge_micros').as('charge_micros'))
        .executeTakeFirstOrThrow()
      return row.charge_micros ?? 0n
    },
    async firstUseDay(endUserId, mode) {
      const row = await daysOf(endUserId, mode, null, null)
        .select((eb) => eb.fn.min<number | null>('day').as('day'))
        .executeTakeFirstOrThrow()
      return row.day
    },
    async usageByDay(endUserId, mode, { fromDay, toDay }) {
      const days = chargedDays(
        sql`end_user_id = ${endUserId} AND mode = ${mode}
          AND day >= ${fromDay ?? -1} AND day < ${toDay ?? Number.MAX_SAFE_INTEGER}`,
        usageDaysCondition(query, { applicationId: applicationOf(endUserId), mode, fromDay, toDay }),
      )
      const { rows } = await sql<Columns<UsageOfDay>>`
        SELECT day, alias, ${usageSums} FROM ${days} GROUP BY day, alias ORDER BY day DESC, alias`.execute(
        query,
      )
      return rows.map((row) => fieldsOf(row))
    },
  }
}

const usageSums = sql.raw(summed([...usageColumns, 'charge_micros']))
