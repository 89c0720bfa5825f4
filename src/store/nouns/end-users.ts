import { sql } from 'kysely'
import type { Mode } from '#domain/application-config.ts'
import type { EndUser } from '#domain/records.ts'
import type { EndUsers } from '#domain/store.ts'
import { columnsOf, fieldsOf } from '#store/sql/columns.ts'
import type { Query } from '#store/sql/database.ts'
import type { EndUserRow } from '#store/sql/schema.ts'
import { every, first, newestFirst } from './paging.ts'

/** SQLite takes 32,766 parameters in one statement; this leaves room and keeps statements few. */
const parametersMax = 5_000

export function endUsers(query: Query): EndUsers {
  const all = query.selectFrom('end_users').selectAll()
  const present = all.where('removed_at_ms', 'is', null)
  return {
    async put({ id, applicationId, externalId, createdAtMs, ...rest }) {
      const fields = columnsOf(rest)
      await query
        .insertInto('end_users')
        .values({ ...columnsOf({ id, applicationId, externalId, createdAtMs }), ...fields })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(fields))
        .execute()
    },
    byId: (applicationId, id) =>
      first(present.where('id', '=', id).where('application_id', '=', applicationId), endUserOf),
    byExternalId: (applicationId, externalId) =>
      first(
        present.where('application_id', '=', applicationId).where('external_id', '=', externalId),
        endUserOf,
      ),
    evenRemoved: (applicationId, id) =>
      first(all.where('id', '=', id).where('application_id', '=', applicationId), endUserOf),
    async remove(id, atMs) {
      await query
        .updateTable('end_users')
        .set({ external_id: id, email: null, bundle_id: null, removed_at_ms: atMs })
        .where('id', '=', id)
        .execute()
      await query.updateTable('accounts').set({ bundle_id: null }).where('end_user_id', '=', id).execute()
    },
    list: (applicationId, { at, bundleId, search = null }, page) =>
      newestFirst(
        present
          .where('application_id', '=', applicationId)
          .$if(bundleId !== null, (some) => some.where(isOn(bundleId ?? '', at?.mode)))
          .$if(at !== undefined, (some) => some.where('id', 'not in', endedBy(query, at)))
          .$if(search !== null, (some) => some.where(isNamed(search ?? ''))),
        page,
        'id',
        endUserOf,
      ),
    async byExternalIds(applicationId, externalIds) {
      const found: EndUser[] = []
      for (let from = 0; from < externalIds.length; from += parametersMax) {
        const some = externalIds.slice(from, from + parametersMax)
        const those = present.where('application_id', '=', applicationId).where('external_id', 'in', some)
        found.push(...(await every(those, endUserOf)))
      }
      return found
    },
    async countOn(applicationId, bundleId) {
      const { people } = await query
        .selectFrom('end_users')
        .select((eb) => eb.fn.countAll<number>().as('people'))
        .where('application_id', '=', applicationId)
        .where((eb) => eb.or([eb('bundle_id', '=', bundleId), isOn(bundleId, 'test')]))
        .where('removed_at_ms', 'is', null)
        .executeTakeFirstOrThrow()
      return people
    },
    ids: (applicationId, bundle) =>
      every(
        query
          .selectFrom('end_users')
          .select('id')
          .where('application_id', '=', applicationId)
          .where('removed_at_ms', 'is', null)
          .$if(bundle !== null, (some) =>
            some
              .where(isOn(bundle?.id ?? '', bundle?.mode))
              .where('id', 'not in', endedBy(query, bundle ?? undefined)),
          )
          .orderBy('id'),
        ({ id }) => id,
      ),
  }
}

function endUserOf(row: EndUserRow): EndUser {
  return { ...fieldsOf(row), bundleSinceMs: row.bundle_since_ms ?? row.subscribed_at_ms }
}

/** There is no index on parts of names: the application's people are read, newest first, until a page is full. */
function isNamed(search: string) {
  const pattern = `%${search.toLowerCase().replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  return sql<boolean>`(lower(external_id) LIKE ${pattern} ESCAPE '\\' OR lower(email) LIKE ${pattern} ESCAPE '\\')`
}

/** Whether they were put on that bundle last, in that mode; test mode may have a plan of its own. */
function isOn(bundleId: string, mode: Mode = 'live') {
  if (mode === 'live') return sql<boolean>`end_users.bundle_id = ${bundleId}`
  return sql<boolean>`coalesce((SELECT a.bundle_id FROM accounts a
    WHERE a.end_user_id = end_users.id AND a.mode = ${mode}), end_users.bundle_id) = ${bundleId}`
}

/** Ids of the people whose plan has ended by then in that mode. */
function endedBy(query: Query, at: { readonly mode: Mode; readonly nowMs: number } | undefined) {
  return query
    .selectFrom('accounts')
    .select('end_user_id')
    .where('mode', '=', at?.mode ?? 'live')
    .where('plan_ends_at_ms', '<=', at?.nowMs ?? 0)
}
