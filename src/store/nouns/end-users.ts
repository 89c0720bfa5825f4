import type { EndUser, EndUsers } from '#domain/store.ts'
import type { Query } from '#store/sql/database.ts'
import type { EndUserRow } from '#store/sql/schema.ts'
import { isAfter, pageOfRows } from './paging.ts'

/** SQLite takes 32,766 parameters in one statement; this leaves room and keeps statements few. */
const parametersMax = 5_000

export function endUsers(query: Query): EndUsers {
  const present = query.selectFrom('end_users').selectAll().where('removed_at_ms', 'is', null)
  return {
    async put(endUser) {
      const row = rowOf(endUser)
      await query
        .insertInto('end_users')
        .values(row)
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet({
            email: row.email,
            bundle_id: row.bundle_id,
            subscribed_at_ms: row.subscribed_at_ms,
            bundle_since_ms: row.bundle_since_ms,
            frozen_at_ms: row.frozen_at_ms,
            removed_at_ms: row.removed_at_ms,
          }),
        )
        .execute()
    },
    async byId(applicationId, id) {
      const row = await present
        .where('id', '=', id)
        .where('application_id', '=', applicationId)
        .executeTakeFirst()
      return row ? endUserOf(row) : null
    },
    async byExternalId(applicationId, externalId) {
      const row = await present
        .where('application_id', '=', applicationId)
        .where('external_id', '=', externalId)
        .executeTakeFirst()
      return row ? endUserOf(row) : null
    },
    async removed(applicationId, externalId) {
      const row = await query
        .selectFrom('end_users')
        .selectAll()
        .where('application_id', '=', applicationId)
        .where('external_id', '=', externalId)
        .where('removed_at_ms', 'is not', null)
        .executeTakeFirst()
      return row ? endUserOf(row) : null
    },
    async list(applicationId, { bundleId }, page) {
      const rows = await present
        .where('application_id', '=', applicationId)
        .$if(bundleId !== null, (all) => all.where('bundle_id', '=', bundleId))
        .where(isAfter(page, 'created_at_ms', 'id'))
        .orderBy('created_at_ms', 'desc')
        .orderBy('id', 'desc')
        .limit(page.limit + 1)
        .execute()
      return pageOfRows(rows, page, (row) => ({ at: row.created_at_ms, id: row.id }), endUserOf)
    },
    async byExternalIds(applicationId, externalIds) {
      const found: EndUser[] = []
      for (let from = 0; from < externalIds.length; from += parametersMax) {
        const rows = await present
          .where('application_id', '=', applicationId)
          .where('external_id', 'in', externalIds.slice(from, from + parametersMax))
          .execute()
        found.push(...rows.map(endUserOf))
      }
      return found
    },
    async ids(applicationId, bundleId) {
      const rows = await query
        .selectFrom('end_users')
        .select('id')
        .where('application_id', '=', applicationId)
        .where('removed_at_ms', 'is', null)
        .$if(bundleId !== null, (all) => all.where('bundle_id', '=', bundleId))
        .orderBy('id')
        .execute()
      return rows.map((row) => row.id)
    },
  }
}

function rowOf(endUser: EndUser): EndUserRow {
  return {
    id: endUser.id,
    application_id: endUser.applicationId,
    external_id: endUser.externalId,
    email: endUser.email,
    bundle_id: endUser.bundleId,
    subscribed_at_ms: endUser.subscribedAtMs,
    bundle_since_ms: endUser.bundleSinceMs,
    frozen_at_ms: endUser.frozenAtMs,
    removed_at_ms: endUser.removedAtMs,
    created_at_ms: endUser.createdAtMs,
  }
}

function endUserOf(row: EndUserRow): EndUser {
  return {
    id: row.id,
    applicationId: row.application_id,
    externalId: row.external_id,
    email: row.email,
    bundleId: row.bundle_id,
    subscribedAtMs: row.subscribed_at_ms,
    bundleSinceMs: row.bundle_since_ms ?? row.subscribed_at_ms,
    frozenAtMs: row.frozen_at_ms,
    removedAtMs: row.removed_at_ms,
    createdAtMs: row.created_at_ms,
  }
}
