import type { Mode } from '#domain/application-config.ts'
import type {
  ExpiringCredit,
  LedgerEntry,
  PoolUse,
  Wallet,
} from '#domain/billing/balances-and-ledger-entries.ts'
import { creditPrefix, sharedSourceId, teamPoolSourceId } from '#money/payment-sources.ts'
import type { Balances } from '#domain/store-interface.ts'
import type { Query } from '#store/sql/database-interface.ts'
import { ledgerEntries, ledgerEntriesOfCall } from './ledger-entries.ts'
import { ledgerEntryId } from '#store/rows/ledger-entry-id.ts'
import { invoiceOfEntry } from '#store/rows/key-of-month-clearing.ts'
import {
  endUserLimitsFromText,
  endUserLimitsToText,
  rateRulesFromText,
  rateRulesToText,
} from '#store/rows/json-columns.ts'
import { ownedPoolOf } from '#store/rows/pool-and-share-rows.ts'
import { flag } from '#store/sql/convert-records-and-rows.ts'
import { lookUps } from '#store/sql/look-up-many-ids-at-once.ts'
import type { LedgerRow, SourceRow } from '#store/sql/schema.ts'
import { pageOfRows } from './read-rows-and-pages.ts'

/** An end user's calls of a month write fewer entries to one pool. */
const entriesMax = 100_000
/** Number of parameters in one statement, far below the 32,766 that SQLite allows. */
const parametersMax = 5_000

export function balances(query: Query): Balances {
  const poolsOf = lookUps(async (mode: Mode, endUserIds) => {
    const rows = await query
      .selectFrom('sources')
      .selectAll()
      .where('end_user_id', 'in', endUserIds)
      .where('mode', '=', mode)
      .where('kind', '=', 'pool')
      .orderBy('sequence')
      .execute()
    return Map.groupBy(rows, (row) => row.end_user_id)
  })
  return {
    async wallets(endUserIds, mode, nowMs) {
      if (endUserIds.length === 0) return new Map()
      const rows = await query
        .selectFrom('sources')
        .select(['end_user_id', 'id', 'kind', 'posted', 'held', 'starts_at_ms', 'ends_at_ms'])
        .where('end_user_id', 'in', endUserIds)
        .where('mode', '=', mode)
        .where((eb) =>
          eb.or([
            eb('kind', '=', 'wallet'),
            eb.and([eb('kind', '=', 'pool'), eb('bundle_id', 'is', null), eb('ends_at_ms', '>', nowMs)]),
          ]),
        )
        .orderBy('ends_at_ms')
        .orderBy('id')
        .execute()
      const byEndUser = Map.groupBy(rows, (row) => row.end_user_id)
      return new Map([...byEndUser].map(([endUserId, sources]) => [endUserId, walletOf(sources, nowMs)]))
    },
    async pools(endUserId, mode, planId) {
      const rows = (await poolsOf(mode, endUserId)) ?? []
      return rows.map((row) => ownedPoolOf(row, planId))
    },
    async onDemandSpent(endUserId, mode, nowMs) {
      const month = await onDemandMonth(query, endUserId, mode, nowMs)
      return month ? -month.posted : 0n
    },
    async onDemandHeld(endUserId, mode, nowMs) {
      const month = await onDemandMonth(query, endUserId, mode, nowMs)
      return month?.held ?? 0n
    },
    async withOnDemand(endUserIds, mode) {
      if (endUserIds.length === 0) return new Set()
      const rows = await query
        .selectFrom('accounts')
        .select('end_user_id')
        .where('end_user_id', 'in', endUserIds)
        .where('mode', '=', mode)
        .where('on_demand_enabled', '=', 1)
        .execute()
      return new Set(rows.map((row) => row.end_user_id))
    },
    async ledger(endUserId, mode, source, page) {
      const sources = await sourceNames(query, endUserId, mode)
      const wallet = [...sources].find(([, name]) => name.source === 'wallet')
      if (source === 'wallet' && !wallet) return { rows: [], next: null }
      const rows = await ledgerEntries(query, {
        endUserId,
        mode,
        sourceId: source === 'wallet' && wallet ? wallet[0] : null,
        before: page.after?.at ?? null,
        limit: page.limit + 1,
      })
      const references = await referencesOf(query, rows)
      return pageOfRows(
        rows,
        page,
        (row) => ({ at: row.sequence, id: '' }),
        (row) => entryOf(row, sources, references),
      )
    },
    async sourceNames(endUserId, mode) {
      const sources = await sourceNames(query, endUserId, mode)
      return new Map([...sources].map(([id, { source }]) => [id, source]))
    },
    async ledgerOfCall(applicationId, callId) {
      const rows = await ledgerEntriesOfCall(query, applicationId, callId)
      const [first] = rows
      if (!first) return []
      const sources = await sourceNames(query, first.end_user_id, first.mode)
      return rows.map((row) => entryOf(row, sources))
    },
    async onDemand(endUserId, mode) {
      const row = await query
        .selectFrom('accounts')
        .selectAll()
        .where('end_user_id', '=', endUserId)
        .where('mode', '=', mode)
        .executeTakeFirst()
      return { isEnabled: row?.on_demand_enabled === 1, limitMicros: row?.on_demand_limit_micros ?? null }
    },
    limits: (endUserIds, mode) => limitsIn(query, endUserIds, mode, 'spend_limits', endUserLimitsFromText),
    rates: (endUserIds, mode) => limitsIn(query, endUserIds, mode, 'rate_limits', rateRulesFromText),
    async setLimits(endUserId, mode, limits, rates = []) {
      const fields = { spend_limits: endUserLimitsToText(limits), rate_limits: rateRulesToText(rates) }
      await query
        .insertInto('accounts')
        .values({ end_user_id: endUserId, mode, on_demand_enabled: 0, ...fields })
        .onConflict((conflict) => conflict.columns(['end_user_id', 'mode']).doUpdateSet(fields))
        .execute()
    },
    async setOnDemand(endUserId, mode, { isEnabled, limitMicros }) {
      const fields = { on_demand_enabled: flag(isEnabled), on_demand_limit_micros: limitMicros }
      await query
        .insertInto('accounts')
        .values({ end_user_id: endUserId, mode, ...fields })
        .onConflict((conflict) => conflict.columns(['end_user_id', 'mode']).doUpdateSet(fields))
        .execute()
    },
    async poolUse(endUserId, mode, sourceIds) {
      const uses: PoolUse[] = []
      for (const sourceId of sourceIds) {
        // Read the entries pool by pool, because the entries of a pool cover only one period.
        const entries = await ledgerEntries(query, {
          endUserId,
          mode,
          sourceId,
          before: null,
          limit: entriesMax,
        })
        const amounts = new Map<string, bigint>()
        for (let from = 0; from < entries.length; from += parametersMax) {
          const some = entries.slice(from, from + parametersMax).filter((entry) => entry.call_id !== null)
          const aliases = await aliasesOfCalls(query, some)
          for (const { amount, call_id } of some) {
            const alias = aliases.get(call_id ?? '')
            if (alias !== undefined) amounts.set(alias, (amounts.get(alias) ?? 0n) - amount)
          }
        }
        for (const [alias, amount] of amounts) uses.push({ sourceId, alias, amount })
      }
      return uses
    },
  }
}

async function onDemandMonth(
  query: Query,
  endUserId: string,
  mode: Mode,
  nowMs: number,
): Promise<Pick<SourceRow, 'posted' | 'held'> | undefined> {
  return await query
    .selectFrom('sources')
    .select(['posted', 'held'])
    .where('end_user_id', '=', endUserId)
    .where('mode', '=', mode)
    .where('kind', '=', 'on_demand')
    .where('starts_at_ms', '<=', nowMs)
    .where('ends_at_ms', '>', nowMs)
    .executeTakeFirst()
}

async function limitsIn<Limits>(
  query: Query,
  endUserIds: readonly string[],
  mode: Mode,
  column: 'spend_limits' | 'rate_limits',
  fromText: (text: string | null) => Limits,
): Promise<Map<string, Limits>> {
  if (endUserIds.length === 0) return new Map()
  const rows = await query
    .selectFrom('accounts')
    .select(['end_user_id', `${column} as limits`])
    .where('end_user_id', 'in', endUserIds)
    .where('mode', '=', mode)
    .where(column, 'is not', null)
    .execute()
  return new Map(rows.map((row) => [row.end_user_id, fromText(row.limits)]))
}

function walletOf(
  sources: readonly Pick<SourceRow, 'id' | 'kind' | 'posted' | 'held' | 'starts_at_ms' | 'ends_at_ms'>[],
  nowMs: number,
): Wallet {
  const sum = { postedMicros: 0n, heldMicros: 0n, lastingMicros: 0n }
  const expiring: ExpiringCredit[] = []
  for (const { ends_at_ms, held, id, kind, posted, starts_at_ms } of sources) {
    const startsAtMs = starts_at_ms ?? 0
    if (kind === 'wallet' || startsAtMs <= nowMs) {
      sum.postedMicros += posted
      sum.heldMicros += held
    }
    if (kind === 'wallet') sum.lastingMicros += posted - held
    else if (posted > 0n) {
      const grantId = id.slice(creditPrefix.length)
      expiring.push({
        grantId,
        postedMicros: posted,
        heldMicros: held,
        startsAtMs,
        endsAtMs: ends_at_ms ?? 0,
      })
    }
  }
  return { ...sum, expiring }
}

type SourceName = Pick<LedgerEntry, 'source' | 'poolName' | 'planName'>

/**
 * By the source's ID. The ID of a pool contains the ID of its bundle and the start of the period in milliseconds. In
 * the returned names, `source` is unique among the sources of one end user.
 */
async function sourceNames(query: Query, endUserId: string, mode: Mode): Promise<Map<string, SourceName>> {
  const rows = await query
    .selectFrom('sources as s')
    .leftJoin('bundles as b', 'b.id', 's.bundle_id')
    .select(['s.id', 's.kind', 's.slug', 's.recurring', 's.rolled', 's.starts_at_ms', 's.bundle_id'])
    .select('s.payer_id')
    .select(['s.display_name as pool_name', 'b.slug as bundle', 'b.display_name as plan_name'])
    .where('s.end_user_id', '=', endUserId)
    .where('s.mode', '=', mode)
    .execute()
  const names = new Map<string, SourceName>()
  const ofPayers = new Map<string, Map<string, SourceName>>()
  for (const row of rows) {
    const { bundle, bundle_id, id, kind, payer_id, recurring, rolled, slug, starts_at_ms } = row
    if (payer_id !== null) {
      // oxlint-disable-next-line no-await-in-loop -- an end user has few payers
      const ofPayer = ofPayers.get(payer_id) ?? (await sourceNames(query, payer_id, mode))
      ofPayers.set(payer_id, ofPayer)
      const pool = ofPayer.get(sharedSourceId(id))
      const source = pool === undefined ? id : teamPoolSourceId(payer_id, pool.source)
      names.set(id, { poolName: null, planName: null, ...pool, source })
      continue
    }
    if (kind !== 'pool' || bundle_id === null) {
      names.set(id, { source: id, poolName: null, planName: null })
      continue
    }
    const of = `${bundle ?? bundle_id}/${slug}`
    const isOfPeriod = recurring === 1 || rolled !== null
    const period = isOfPeriod ? `/${new Date(starts_at_ms ?? 0).toISOString().slice(0, 10)}` : ''
    const carried = rolled === null ? '' : `/rolled-${rolled}`
    names.set(id, { source: of + period + carried, poolName: row.pool_name, planName: row.plan_name })
  }
  return names
}

async function aliasesOfCalls(query: Query, entries: readonly LedgerRow[]): Promise<Map<string, string>> {
  const [first] = entries
  if (!first) return new Map()
  const rows = await query
    .selectFrom('usage_records')
    .select(['call_id', 'alias'])
    .where('application_id', '=', first.application_id)
    .where(
      'call_id',
      'in',
      entries.map((entry) => entry.call_id ?? ''),
    )
    .execute()
  return new Map(rows.map((row) => [row.call_id, row.alias]))
}

/** By the ID of the top-up. */
async function referencesOf(query: Query, entries: readonly LedgerRow[]): Promise<Map<string, string>> {
  const topUps = entries.filter(({ kind }) => kind === 'topup')
  const [first] = topUps
  if (!first) return new Map()
  const rows = await query
    .selectFrom('grants')
    .select(['id', 'payment_reference'])
    .where('application_id', '=', first.application_id)
    .where(
      'id',
      'in',
      topUps.map((entry) => entry.grant_id ?? ''),
    )
    .execute()
  return new Map(
    rows.flatMap((row) => (row.payment_reference === null ? [] : [[row.id, row.payment_reference]])),
  )
}

function entryOf(
  row: LedgerRow,
  sources: ReadonlyMap<string, SourceName>,
  references: ReadonlyMap<string, string> = new Map(),
): LedgerEntry {
  return {
    id: ledgerEntryId(row.sequence),
    sequence: row.sequence,
    kind: row.kind,
    unit: row.unit,
    amount: row.amount,
    balanceAfter: row.balance_after,
    ...(sources.get(row.source_id) ?? { source: row.source_id, poolName: null, planName: null }),
    callId: row.call_id,
    grantId: row.grant_id,
    invoiceId: invoiceOfEntry(row),
    paymentReference: references.get(row.grant_id ?? '') ?? null,
    reason: row.reason,
    createdAtMs: row.created_at_ms,
  }
}
