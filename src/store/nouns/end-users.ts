import { type RawBuilder, sql, type SqlBool } from 'kysely'
import type { Mode } from '#domain/application-config.ts'
import type { EndUser } from '#domain/end-user-record.ts'
import type { EndUserFilter, EndUserSort } from '#domain/list-sorting-and-filters.ts'
import type { EndUsers } from '#domain/store-interface.ts'
import { columnsOf, fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import type { Query } from '#store/sql/database-interface.ts'
import { lookUps } from '#store/sql/look-up-many-ids-at-once.ts'
import { erased } from '#store/sql/end-user-erasure.ts'
import type { EndUserRow } from '#store/sql/schema.ts'
import { billedOfEndUser } from '#store/nouns/reports/sql-of-spending-for-sorting.ts'
import { containsText, every, first, newestFirst } from './read-rows-and-pages.ts'
import { type SortValues, sortedPage } from './sorted-page.ts'

/** Number of parameters in one statement, far below the 32,766 that SQLite allows. */
const parametersMax = 5_000

export function endUsers(query: Query): EndUsers {
  const all = query.selectFrom('end_users').selectAll()
  const present = all.where('removed_at_ms', 'is', null)
  const evenRemoved = lookUps(async (applicationId, ids) => {
    const found = await every(
      all.where('id', 'in', ids).where('application_id', '=', applicationId),
      endUserOf,
    )
    return new Map(found.map((endUser) => [endUser.id, endUser]))
  })
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
    evenRemoved: async (applicationId, id) => (await evenRemoved(applicationId, id)) ?? null,
    async remove(person, atMs) {
      const { id } = person
      await query
        .updateTable('end_users')
        .set({ ...erased('end_users', person), removed_at_ms: atMs })
        .where('id', '=', id)
        .execute()
      await query
        .updateTable('accounts')
        .set(erased('accounts', person))
        .where('end_user_id', '=', id)
        .execute()
      // The rows of files and batches are kept until the providers have deleted them.
      await query
        .updateTable('files')
        .set({ ...erased('files', person), removed_at_ms: atMs })
        .where('end_user_id', '=', id)
        .execute()
      await query.updateTable('batches').set({ removed_at_ms: atMs }).where('end_user_id', '=', id).execute()
    },
    list(applicationId, filter, { sorting, ...page }, at) {
      const matching = present.where(matches(query, applicationId, filter, at))
      if (sorting === undefined) return newestFirst(matching, page, 'id', endUserOf)
      const by = { ...endUserOrder(sorting.by, applicationId, at), id: 'id' }
      return sortedPage(query, matching, by, { ...page, sorting }, endUserOf)
    },
    async count(applicationId, filter, at) {
      const { people } = await query
        .selectFrom('end_users')
        .select((eb) => eb.fn.countAll<number>().as('people'))
        .where('removed_at_ms', 'is', null)
        .where(matches(query, applicationId, filter, at))
        .executeTakeFirstOrThrow()
      return people
    },
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

/**
 * @param stored the row of an end user; on PostgreSQL with the column `known_by`, which is not a field of an end user
 */
export function endUserOf(stored: EndUserRow & { readonly known_by?: unknown }): EndUser {
  const { known_by: _lane, ...row } = stored
  return { ...fieldsOf(row), bundleSinceMs: row.bundle_since_ms ?? row.subscribed_at_ms }
}

interface At {
  readonly mode: Mode
  readonly nowMs: number
}

function matches(
  query: Query,
  applicationId: string,
  { bundleId, search = null, state = null }: EndUserFilter,
  at: At,
): RawBuilder<SqlBool> {
  const conditions = [sql<SqlBool>`application_id = ${applicationId}`]
  if (bundleId !== null)
    conditions.push(isOn(bundleId, at.mode), sql<SqlBool>`id NOT IN (${endedBy(query, at)})`)
  if (search !== null) conditions.push(isNamed(query, search))
  if (state !== null) conditions.push(state === 'frozen' ? isFrozen : isNotFrozen)
  return sql<SqlBool>`(${sql.join(conditions, sql` AND `)})`
}

const isFrozen = sql<SqlBool>`frozen_at_ms IS NOT NULL`
const isNotFrozen = sql<SqlBool>`frozen_at_ms IS NULL`

/**
 * A list is sorted by the same values that it shows for each end user. Each value is computed only from rows of that
 * end user. For `spent`, one pass over the application's sums adds up the usage of all end users.
 */
function endUserOrder(by: EndUserSort, applicationId: string, { mode, nowMs }: At): SortValues {
  switch (by) {
    case 'created':
      return { value: sql.ref('created_at_ms') }
    case 'name':
      return { value: sql.ref('external_id') }
    // The sum of the wallet and the expiring credit that can be spent now (balances.ts).
    case 'balance':
      return {
        value: sql`(SELECT coalesce(sum(s.posted), 0) FROM sources s
        WHERE s.end_user_id = end_users.id AND s.mode = ${mode} AND (s.kind = 'wallet'
          OR (s.kind = 'pool' AND s.bundle_id IS NULL AND s.ends_at_ms > ${nowMs}
            AND coalesce(s.starts_at_ms, 0) <= ${nowMs})))`,
      }
    case 'spent':
      return billedOfEndUser({ applicationId, mode })
    // End users without usage sort first.
    case 'last_seen':
      return {
        value: sql`(SELECT coalesce(max(k.last_used_at_ms), -1) FROM keys k
        WHERE k.end_user_id = end_users.id AND k.mode = ${mode})`,
      }
    default:
      return by satisfies never
  }
}

/**
 * No index contains parts of names, so the query reads the application's end users, newest first, until a page is full.
 */
function isNamed(query: Query, search: string) {
  const contains = (column: string) => containsText(query, sql.ref(column), search)
  return sql<SqlBool>`(${contains('external_id')} OR ${contains('email')} OR end_users.id = ${search})`
}

/** Includes a plan that has ended. Each mode can have a different plan. */
function isOn(bundleId: string, mode: Mode = 'live') {
  if (mode === 'live') return sql<SqlBool>`end_users.bundle_id = ${bundleId}`
  return sql<SqlBool>`coalesce((SELECT a.bundle_id FROM accounts a
    WHERE a.end_user_id = end_users.id AND a.mode = ${mode}), end_users.bundle_id) = ${bundleId}`
}

function endedBy(query: Query, at: At | undefined) {
  return query
    .selectFrom('accounts')
    .select('end_user_id')
    .where('mode', '=', at?.mode ?? 'live')
    .where('plan_ends_at_ms', '<=', at?.nowMs ?? 0)
}
