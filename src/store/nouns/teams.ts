import { sql } from 'kysely'
import type { EndUser } from '#domain/end-user-record.ts'
import type { Team } from '#domain/billing/team-record.ts'
import type { Teams } from '#domain/billing/teams-interface.ts'
import type { TeamSource } from '#money/decision-types.ts'
import { calendarWindow } from '#money/periods-and-windows.ts'
import { sharedSourceId, teamPoolSourceId, teamSourceId, walletId } from '#money/payment-sources.ts'
import { rateRulesFromText, rateRulesToText } from '#store/rows/json-columns.ts'
import { shareOf } from '#store/rows/pool-and-share-rows.ts'
import { columnsOf, fieldsOf } from '#store/sql/convert-records-and-rows.ts'
import { isDistributed, isPostgres, type Query } from '#store/sql/database-interface.ts'
import type { TeamRow } from '#store/sql/schema.ts'
import { hashOfText } from '#store/sql/postgres-text-hash.ts'
import { endUserOf } from './end-users.ts'
import { lockPerson } from './lock-end-user.ts'
import { every, first, newestFirst } from './read-rows-and-pages.ts'

/** SQL expression for the payer in a share's ID `team/<payer>/<month>`, as in the index `sources_of_team`. */
const payerOfShare = sql<string>`substr(id, 6, length(id) - 13)`

export function teams(query: Query): Teams {
  const all = query.selectFrom('teams').selectAll()
  return {
    async put({ limits, ...rest }) {
      const row = { ...columnsOf(rest), rate_limits: rateRulesToText(limits) }
      const { display_name, rate_limits } = row
      await query
        .insertInto('teams')
        .values(row)
        .onConflict((conflict) => conflict.column('id').doUpdateSet({ display_name, rate_limits }))
        .execute()
    },
    bySlug: (applicationId, slug) =>
      first(all.where('application_id', '=', applicationId).where('slug', '=', slug), teamOf),
    ofPayer: (payerId) => first(all.where('payer_id', '=', payerId), teamOf),
    list: (applicationId, page) =>
      newestFirst(all.where('application_id', '=', applicationId), page, 'id', teamOf),
    async whole(applicationId) {
      const rows = await query
        .selectFrom('teams')
        .innerJoin('end_users', 'end_users.id', 'teams.payer_id')
        .selectAll('teams')
        .select('end_users.external_id')
        .where('teams.application_id', '=', applicationId)
        .orderBy('teams.slug')
        .execute()
      return rows.map(({ external_id: payer, ...row }) => ({ team: teamOf(row), payer }))
    },
    async slugs(applicationId) {
      const found = query.selectFrom('teams').select(['payer_id', 'slug'])
      const rows = await found.where('application_id', '=', applicationId).execute()
      return new Map(rows.map(({ payer_id, slug }) => [payer_id, slug]))
    },
    limited: (applicationId) =>
      every(all.where('application_id', '=', applicationId).where('rate_limits', 'is not', null), teamOf),
    async remove({ id, payerId }) {
      await query.deleteFrom('teams').where('id', '=', id).execute()
      // Lock the members in ID order, as batches of the ledger do, so that this transaction and a batch never deadlock.
      if (isPostgres(query)) await lockMembers(query, payerId)
      await query
        .updateTable('end_users')
        .set({ payer_id: null, payer_cap_micros: null })
        .where('payer_id', '=', payerId)
        .execute()
    },
    async lock({ id }) {
      const own = query.selectFrom('teams').select('id').where('id', '=', id)
      // On SQLite, the transaction already excludes other writers.
      const row = await (isPostgres(query) ? own.forUpdate() : own).executeTakeFirst()
      return row !== undefined
    },
    lockEndUser: async ({ applicationId, id }) => {
      await lockPerson(query, id)
      const found = query.selectFrom('end_users').selectAll().where('application_id', '=', applicationId)
      return first(found.where('id', '=', id).where('removed_at_ms', 'is', null), endUserOf)
    },
    async payableBy(payerId) {
      if (!isDistributed(query)) return () => true
      const { rows } = await sql<{ hash_from: number; hash_to: number }>`
        SELECT hash_from, hash_to FROM shard_groups`.execute(query)
      const groupOf = (id: string): number => {
        const hash = hashOfText(id)
        return rows.findIndex(({ hash_from, hash_to }) => hash_from <= hash && hash <= hash_to)
      }
      const group = groupOf(payerId)
      return (endUserId) => groupOf(endUserId) === group
    },
    async setMember(id, payer) {
      await query
        .updateTable('end_users')
        .set({ payer_id: payer?.id ?? null, payer_cap_micros: payer?.capMicros ?? null })
        .where('id', '=', id)
        .execute()
    },
    async counts(of) {
      if (of.length === 0) return new Map()
      const rows = await query
        .selectFrom('end_users')
        .select('payer_id')
        .select((eb) => eb.fn.countAll<number>().as('members'))
        .where(
          'payer_id',
          'in',
          of.map(({ payerId }) => payerId),
        )
        .groupBy('payer_id')
        .execute()
      return new Map(rows.map(({ members, payer_id }) => [payer_id ?? '', members]))
    },
    members: ({ payerId }, page) =>
      newestFirst(
        query.selectFrom('end_users').selectAll().where('payer_id', '=', payerId),
        page,
        'id',
        endUserOf,
      ),
    async spending(payerIds, mode, nowMs) {
      if (payerIds.length === 0) return []
      const { startsAtMs } = calendarWindow('month', nowMs)
      const rows = await query
        .selectFrom('sources')
        .select(['end_user_id', 'posted', 'held', payerOfShare.as('payer_id')])
        .where('kind', '=', 'team')
        .where(payerOfShare, 'in', payerIds)
        .where('mode', '=', mode)
        .where('starts_at_ms', '=', startsAtMs)
        .execute()
      return rows.map(({ end_user_id: endUserId, held: heldMicros, payer_id: payerId, posted }) => ({
        payerId,
        endUserId,
        spentMicros: -posted,
        heldMicros,
      }))
    },
    async poolSpending(payerId, mode, poolIds) {
      if (poolIds.length === 0) return []
      const rows = await query
        .selectFrom('sources')
        .select(['end_user_id', 'id', 'posted', 'held'])
        .where('payer_id', '=', payerId)
        .where('mode', '=', mode)
        .where(
          'id',
          'in',
          poolIds.map((poolId) => teamPoolSourceId(payerId, poolId)),
        )
        .execute()
      return rows.map(({ end_user_id: endUserId, held: heldMicros, id, posted }) => ({
        payerId,
        endUserId,
        poolId: sharedSourceId(id),
        spentMicros: -posted,
        heldMicros,
      }))
    },
    share: (endUser, mode, nowMs) => shareIn(query, endUser, { mode, nowMs }),
  }
}

/** Null if the end user is in no team. */
export async function shareIn(
  query: Query,
  { id: endUserId, payerCapMicros: capMicros, payerId }: Pick<EndUser, 'id' | 'payerId' | 'payerCapMicros'>,
  { mode, nowMs }: { readonly mode: TeamMode; readonly nowMs: number },
): Promise<TeamSource | null> {
  if (payerId === null) return null
  const { endsAtMs, startsAtMs } = calendarWindow('month', nowMs)
  const id = teamSourceId(payerId, startsAtMs)
  const rows = await query
    .selectFrom('sources')
    .innerJoin('end_users', 'end_users.id', 'sources.end_user_id')
    .select(['sources.end_user_id', 'sources.posted', 'sources.held', 'sources.given'])
    .select(['end_users.frozen_at_ms', 'end_users.removed_at_ms'])
    .where('sources.mode', '=', mode)
    .where((eb) =>
      eb.or([
        eb.and([eb('sources.end_user_id', '=', payerId), eb('sources.id', '=', walletId)]),
        eb.and([eb('sources.end_user_id', '=', endUserId), eb('sources.id', '=', id)]),
      ]),
    )
    .execute()
  const wallet = rows.find((row) => row.end_user_id === payerId)
  const own = rows.find((row) => row.end_user_id === endUserId)
  return {
    ...shareOf(
      { id, posted: own?.posted ?? 0n, held: own?.held ?? 0n },
      { startsAtMs, endsAtMs: endsAtMs ?? Infinity },
    ),
    isOpen: wallet !== undefined && wallet.frozen_at_ms === null && wallet.removed_at_ms === null,
    capMicros,
    wallet: { posted: wallet?.posted ?? 0n, held: wallet?.held ?? 0n, given: wallet?.given ?? 0n },
  }
}

/** Whether the payer has or may get pools that members can use. The first request in a period grants the pools. */
export async function sharesPools(query: Query, payerId: string, mode: TeamMode): Promise<boolean> {
  const row = await query
    .selectFrom('end_users as u')
    .leftJoin('accounts as a', (join) => join.onRef('a.end_user_id', '=', 'u.id').on('a.mode', '=', mode))
    .select('u.id')
    .where('u.id', '=', payerId)
    .where((eb) =>
      eb.or([
        eb.exists(
          eb
            .selectFrom('bundle_includes as n')
            .select('n.slug')
            .where('n.member_cap', 'is not', null)
            .where((of) => of('n.bundle_id', '=', of.fn.coalesce('a.bundle_id', 'u.bundle_id'))),
        ),
        eb.exists(
          eb
            .selectFrom('sources as s')
            .select('s.id')
            .whereRef('s.end_user_id', '=', 'u.id')
            .where('s.mode', '=', mode)
            .where('s.member_cap', 'is not', null)
            .where('s.posted', '>', 0n),
        ),
      ]),
    )
    .executeTakeFirst()
  return row !== undefined
}

async function lockMembers(query: Query, payerId: string): Promise<void> {
  const inOrder = query.selectFrom('end_users').select('id').orderBy('id')
  const members = inOrder.where('payer_id', '=', payerId)
  if (!isDistributed(query)) {
    await members.forNoKeyUpdate().execute()
    return
  }
  // Select the members by ID: a distributed database locks rows only by their IDs, all on one shard.
  const ids = (await members.execute()).map(({ id }) => id)
  await inOrder
    .where('id', '=', sql<string>`ANY(${ids}::text[])`)
    .forNoKeyUpdate()
    .execute()
}

type TeamMode = Parameters<Teams['share']>[1]

function teamOf({ rate_limits: limits, ...row }: TeamRow): Team {
  return { ...fieldsOf(row), limits: rateRulesFromText(limits) }
}
