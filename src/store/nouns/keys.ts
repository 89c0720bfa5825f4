import { lineOf, type KeyListed, type Keys } from '#domain/end-user-keys.ts'
import { type RawBuilder, sql, type SqlBool } from 'kysely'
import type { Mode } from '#domain/application-config.ts'
import type { KeyFilter, KeySort } from '#domain/list-sorting-and-filters.ts'
import { columnsOf, fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import type { Query } from '#store/sql/database-interface.ts'
import { erased } from '#store/sql/end-user-erasure.ts'
import type { KeyRow } from '#store/sql/schema.ts'
import { rateRulesFromText, rateRulesToText } from '#store/rows/json-columns.ts'
import { tagsFromText, tagsToText } from '#store/rows/tags-columns.ts'
import { applicationOf, usageDaysCondition } from '#store/nouns/reports/sql-condition-for-usage-days.ts'
import { chargedOfLine } from '#store/nouns/reports/sql-of-spending-for-sorting.ts'
import { containsText, every, first, newestFirst } from './read-rows-and-pages.ts'
import { type SortValues, sortedPage } from './sorted-page.ts'

export function keys(query: Query): Keys {
  const listed = query
    .selectFrom('keys')
    .innerJoin('end_users', 'end_users.id', 'keys.end_user_id')
    .selectAll('keys')
    .select('end_users.external_id')
  return {
    async insert({ limits, tags, ...key }, hash) {
      await query
        .insertInto('keys')
        .values({ ...columnsOf(key), rate_limits: rateRulesToText(limits), tags: tagsToText(tags), hash })
        .execute()
    },
    byId: (applicationId, id) =>
      first(listed.where('keys.id', '=', id).where('keys.application_id', '=', applicationId), keyOf),
    // Compare prefixes after selecting the application's keys. Prefixes have no index, because reads by prefix are
    // rare.
    byPrefix: (applicationId, prefix) =>
      every(
        listed.where('keys.application_id', '=', applicationId).where('keys.prefix', '=', prefix).limit(2),
        keyOf,
      ),
    held: (endUserId, mode) =>
      every(
        listed
          .where('keys.end_user_id', '=', endUserId)
          .where('keys.mode', '=', mode)
          .where('keys.revoked_at_ms', 'is', null),
        keyOf,
      ),
    ofPortal: (endUserId, mode) =>
      every(
        listed
          .where('keys.end_user_id', '=', endUserId)
          .where('keys.mode', '=', mode)
          .where((eb) => eb(eb.fn.coalesce('keys.line_actor_type', 'keys.actor_type'), '=', 'end_user')),
        keyOf,
      ),
    list(applicationId, filter, { sorting, ...page }, nowMs) {
      const matching = listed
        .where('keys.application_id', '=', applicationId)
        .where('keys.mode', '=', filter.mode)
        .where(matches(query, filter, nowMs))
      if (sorting === undefined) return newestFirst(matching, page, 'keys.id', keyOf)
      const by = {
        ...keyOrder(query, sorting.by, { applicationId, mode: filter.mode, nowMs }),
        id: 'keys.id',
      }
      return sortedPage(query, matching, by, { ...page, sorting }, keyOf)
    },
    async charged(endUserIds, mode, { fromDay, toDay }) {
      const [one] = endUserIds
      if (one === undefined) return new Map()
      const days = query
        .selectFrom('usage_days')
        .select((eb) => ['end_user_id', 'key_id', eb.fn.sum<bigint>('charge_micros').as('charge_micros')])
        .where('end_user_id', 'in', endUserIds)
        .where(
          usageDaysCondition<SqlBool>(query, { applicationId: applicationOf(one), mode, fromDay, toDay }),
        )
        .groupBy(['end_user_id', 'key_id'])
      const rows = await query
        .selectFrom(days.as('days'))
        .leftJoin('keys', (join) =>
          join.onRef('keys.id', '=', 'days.key_id').onRef('keys.end_user_id', '=', 'days.end_user_id'),
        )
        .select(['days.key_id', 'days.charge_micros', 'keys.line_id'])
        .execute()
      const byLine = new Map<string, bigint>()
      for (const { charge_micros, key_id, line_id } of rows) {
        const line = line_id ?? key_id
        byLine.set(line, (byLine.get(line) ?? 0n) + charge_micros)
      }
      return byLine
    },
    async inFlight(applicationId, endUserIds, mode) {
      if (endUserIds.length === 0) return new Map()
      const rows = await query
        .selectFrom('holds')
        .leftJoin('keys', (join) =>
          join.onRef('keys.id', '=', 'holds.key_id').onRef('keys.end_user_id', '=', 'holds.end_user_id'),
        )
        .select(['holds.key_id', 'holds.worst_micros', 'keys.line_id'])
        .where('holds.application_id', '=', applicationId)
        .where('holds.end_user_id', 'in', endUserIds)
        .where('holds.mode', '=', mode)
        .execute()
      const byLine = new Map<string, { calls: number; heldMicros: bigint }>()
      for (const { key_id, line_id, worst_micros } of rows) {
        const line = line_id ?? key_id
        const { calls, heldMicros } = byLine.get(line) ?? { calls: 0, heldMicros: 0n }
        // On SQLite, the view `holds` reads `worst_micros` from JSON, so it is text although the schema declares
        // another type.
        // oxlint-disable-next-line typescript/no-unnecessary-type-conversion -- see above
        byLine.set(line, { calls: calls + 1, heldMicros: heldMicros + BigInt(worst_micros) })
      }
      return byLine
    },
    async lastUsed(endUserIds, mode) {
      if (endUserIds.length === 0) return new Map()
      const rows = await query
        .selectFrom('keys')
        .select((eb) => ['end_user_id', eb.fn.max<number | null>('last_used_at_ms').as('last_used_at_ms')])
        .where('end_user_id', 'in', endUserIds)
        .where('mode', '=', mode)
        .groupBy('end_user_id')
        .execute()
      return new Map(
        rows.flatMap((row) => (row.last_used_at_ms === null ? [] : [[row.end_user_id, row.last_used_at_ms]])),
      )
    },
    async setCap(key, { capMicros, capPeriod, limits }) {
      const line = lineOf(key)
      await query
        .updateTable('keys')
        .set({ cap_micros: capMicros, cap_period: capPeriod, rate_limits: rateRulesToText(limits) })
        .where('end_user_id', '=', key.endUserId)
        .where((eb) =>
          eb.or([
            eb('id', '=', key.id),
            eb.and([eb.or([eb('id', '=', line), eb('line_id', '=', line)]), eb('revoked_at_ms', 'is', null)]),
          ]),
        )
        .execute()
    },
    async revoke(key, atMs) {
      const ofLine = await query
        .selectFrom('keys')
        .select(['id', 'replaced_by', 'revoked_at_ms', 'expires_at_ms'])
        .where('end_user_id', '=', key.endUserId)
        .where('line_id', '=', lineOf(key))
        .union(
          query
            .selectFrom('keys')
            .select(['id', 'replaced_by', 'revoked_at_ms', 'expires_at_ms'])
            .where('id', '=', lineOf(key)),
        )
        .execute()
      // Follow the predecessors to the end, because an older predecessor may expire later than a newer predecessor.
      const replaced: string[] = []
      for (let next: string | undefined = key.id; next !== undefined;) {
        const before = ofLine.find(({ replaced_by }) => replaced_by === next)
        const isLive =
          before?.revoked_at_ms === null && (before.expires_at_ms === null || before.expires_at_ms > atMs)
        if (before && isLive) replaced.push(before.id)
        next = before?.id
      }
      await query
        .updateTable('keys')
        .set({ revoked_at_ms: atMs })
        .where('id', 'in', [key.id, ...replaced])
        .where('revoked_at_ms', 'is', null)
        .execute()
      return replaced
    },
    async replace(id, { endsAtMs, nowMs, replacedBy }) {
      const { numUpdatedRows } = await query
        .updateTable('keys')
        .set({ replaced_by: replacedBy, expires_at_ms: endsAtMs })
        .where('id', '=', id)
        .where('replaced_by', 'is', null)
        .where('revoked_at_ms', 'is', null)
        .where((eb) => eb.or([eb('expires_at_ms', 'is', null), eb('expires_at_ms', '>', nowMs)]))
        .executeTakeFirstOrThrow()
      return numUpdatedRows > 0n
    },
    async removePerson(person, atMs) {
      const own = query.updateTable('keys').where('end_user_id', '=', person.id)
      const { numUpdatedRows } = await own
        .set({ revoked_at_ms: atMs })
        .where('revoked_at_ms', 'is', null)
        .executeTakeFirstOrThrow()
      await own.set(erased('keys', person)).execute()
      return Number(numUpdatedRows)
    },
  }
}

function matches(
  query: Query,
  { endUserId, search = null, state = null }: KeyFilter,
  nowMs: number,
): RawBuilder<SqlBool> {
  const conditions = [sql<SqlBool>`1 = 1`]
  if (endUserId !== null) conditions.push(sql<SqlBool>`keys.end_user_id = ${endUserId}`)
  if (search !== null) conditions.push(isNamed(query, search))
  const isRevoked = sql<SqlBool>`keys.revoked_at_ms IS NOT NULL`
  const hasExpired = sql<SqlBool>`(keys.expires_at_ms IS NOT NULL AND keys.expires_at_ms <= ${nowMs})`
  if (state === 'revoked') conditions.push(isRevoked)
  if (state === 'expired') conditions.push(sql<SqlBool>`NOT ${isRevoked} AND ${hasExpired}`)
  if (state === 'active') conditions.push(sql<SqlBool>`NOT ${isRevoked} AND NOT ${hasExpired}`)
  return sql<SqlBool>`(${sql.join(conditions, sql` AND `)})`
}

function isNamed(query: Query, search: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`(keys.id = ${search} OR substr(keys.prefix, 1, ${sql.lit(search.length)}) = ${search}
    OR keys.last_four = ${search} OR ${containsText(query, sql.ref('keys.name'), search)})`
}

interface SortedAt {
  readonly applicationId: string
  readonly mode: Mode
  readonly nowMs: number
}

/** A list is sorted by the same values that it shows for each key. */
function keyOrder(query: Query, by: KeySort, at: SortedAt): SortValues {
  switch (by) {
    case 'created':
      return { value: sql.ref('keys.created_at_ms') }
    case 'name':
      return { value: sql.ref('keys.name') }
    // Must be summed in the same way as `charged`.
    case 'spent':
      return chargedOfLine(query, at, at.nowMs)
    // Keys that were never used sort first.
    case 'last_used':
      return { value: sql`coalesce(keys.last_used_at_ms, -1)` }
    default:
      return by satisfies never
  }
}

function keyOf({
  hash: _hash,
  rate_limits: limits,
  tags,
  ...row
}: KeyRow & { external_id: string }): KeyListed {
  return { ...fieldsOf(row), limits: rateRulesFromText(limits), tags: tagsFromText(tags) }
}
