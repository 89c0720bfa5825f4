import assert from 'node:assert/strict'
import { sql } from 'kysely'
import type { PoolGrant } from '#money/grant.ts'
import type { PoolSource } from '#money/hold.ts'
import { applyPosting } from '#money/posting.ts'
import type { Mode } from '#domain/snapshot.ts'
import type { Balances, LedgerEntry, PoolRecord, PoolUse } from '#domain/store.ts'
import { isPostgres, type Query } from '#store/database.ts'
import { ledgerEntries, ledgerEntriesOfCall } from '#store/ledger/entries.ts'
import { ledgerEntryId } from '#store/ledger/sequence.ts'
import type { LedgerRow, SourceRow } from '#store/schema.ts'
import { lockPerson } from './lock-person.ts'
import { flag, pageOfRows, stringsOf } from './rows.ts'

/** How much of a pool's chain is read to tell what it paid for: more calls than a month of one person has. */
const entriesMax = 100_000
/** SQLite takes 32,766 parameters in one statement; this leaves room and keeps statements few. */
const parametersMax = 5_000

export function balances(query: Query): Balances {
  return {
    lock: (endUserId) => lockPerson(query, endUserId),
    async wallets(endUserIds, mode) {
      if (endUserIds.length === 0) return new Map()
      const rows = await query
        .selectFrom('sources')
        .select(['end_user_id', 'posted', 'held'])
        .where('end_user_id', 'in', endUserIds)
        .where('mode', '=', mode)
        .where('kind', '=', 'wallet')
        .execute()
      return new Map(rows.map((row) => [row.end_user_id, { postedMicros: row.posted, heldMicros: row.held }]))
    },
    async pools(endUserId, mode) {
      const rows = await query
        .selectFrom('sources')
        .selectAll()
        .where('end_user_id', '=', endUserId)
        .where('mode', '=', mode)
        .where('kind', '=', 'pool')
        .orderBy('sequence')
        .execute()
      return rows.map(poolOf)
    },
    async onDemandSpent(endUserId, mode, nowMs) {
      const row = await query
        .selectFrom('sources')
        .select('posted')
        .where('end_user_id', '=', endUserId)
        .where('mode', '=', mode)
        .where('kind', '=', 'on_demand')
        .where('starts_at_ms', '<=', nowMs)
        .where('ends_at_ms', '>', nowMs)
        .executeTakeFirst()
      return row ? -row.posted : 0n
    },
    async ledger(endUserId, mode, source, page) {
      const sources = await sourceNames(query, endUserId, mode)
      const wallet = [...sources].find(([, name]) => name === 'wallet')
      if (source === 'wallet' && !wallet) return { rows: [], next: null }
      const rows = await ledgerEntries(query, {
        endUserId,
        mode,
        sourceId: source === 'wallet' && wallet ? wallet[0] : null,
        before: page.after?.at ?? null,
        limit: page.limit + 1,
      })
      return pageOfRows(
        rows,
        page,
        (row) => ({ at: row.sequence, id: '' }),
        (row) => entryOf(row, sources),
      )
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
        // The chain of one pool is what happened in one of its periods.
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
    async changePlan({ applicationId, id: endUserId }, mode, change, nowMs) {
      for (const { endsAtMs, sourceId } of change.ended) {
        await query
          .updateTable('sources')
          .set({ ends_at_ms: endsAtMs })
          .where('end_user_id', '=', endUserId)
          .where('mode', '=', mode)
          .where('id', '=', sourceId)
          .execute()
      }
      for (const grant of change.granted)
        await grantPool(query, { applicationId, endUserId, mode, nowMs }, grant)
    },
  }
}

interface GrantedTo {
  readonly applicationId: string
  readonly endUserId: string
  readonly mode: Mode
  readonly nowMs: number
}

async function grantPool(
  query: Query,
  { applicationId, endUserId, mode, nowMs }: GrantedTo,
  { bundleId, include, posting, source }: PoolGrant,
): Promise<void> {
  const { posted } = posting === null ? source : applyPosting(source, posting)
  const entry = posting?.entry ?? null
  const sequence = entry === null ? null : await nextSequence(query)
  await query
    .insertInto('sources')
    .values({
      end_user_id: endUserId,
      mode,
      id: source.id,
      kind: 'pool',
      unit: source.unit,
      posted,
      held: 0n,
      last_entry: sequence,
      slug: source.slug,
      display_name: include.displayName,
      currency: source.currency,
      granted: source.granted,
      bundle_id: bundleId,
      models: JSON.stringify(source.models),
      rank_models: source.rank.models,
      is_paid: flag(source.rank.isPaid),
      sequence: source.rank.sequence,
      spillover_to: source.spilloverTo,
      then_on_demand: flag(source.thenOnDemand),
      recurring: flag(include.recurring),
      starts_at_ms: source.startsAtMs,
      ends_at_ms: source.endsAtMs,
    })
    .execute()
  if (entry === null || sequence === null) return
  await query
    .insertInto('ledger')
    .values({
      sequence,
      previous: null,
      end_user_id: endUserId,
      mode,
      application_id: applicationId,
      source_id: source.id,
      kind: entry,
      unit: source.unit,
      amount: posted,
      balance_after: posted,
      call_id: null,
      grant_id: null,
      reason: 'plan change',
      idempotency_key: null,
      created_at_ms: nowMs,
    })
    .execute()
}

/** The next entry's sequence, from where the ledger's writer takes it too. */
async function nextSequence(query: Query): Promise<number> {
  if (isPostgres(query)) {
    // The rest of the block is left out, as a batch of the ledger does.
    const { rows } = await sql<{ sequence: number }>`SELECT nextval('ledger_sequence') AS sequence`.execute(
      query,
    )
    assert(rows[0] !== undefined, 'a sequence has a next number')
    return rows[0].sequence
  }
  const row = await query
    .updateTable('writer_state')
    .set((eb) => ({ ledger_sequence: eb('ledger_sequence', '+', 1) }))
    .where('id', '=', 1)
    .returning('ledger_sequence')
    .executeTakeFirstOrThrow()
  return row.ledger_sequence
}

/** Source id -> what the ledger calls it: `wallet`, `on_demand`, or a pool's slug. */
async function sourceNames(query: Query, endUserId: string, mode: Mode): Promise<Map<string, string>> {
  const rows = await query
    .selectFrom('sources')
    .select(['id', 'kind', 'slug'])
    .where('end_user_id', '=', endUserId)
    .where('mode', '=', mode)
    .execute()
  return new Map(rows.map((row) => [row.id, row.kind === 'pool' ? (row.slug ?? row.id) : row.kind]))
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

function poolOf(row: SourceRow): PoolRecord {
  const { bundle_id, display_name, ends_at_ms, granted, models, rank_models, sequence, slug, starts_at_ms } =
    row
  assert(slug !== null && display_name !== null && bundle_id !== null, 'a pool has a name and a bundle')
  assert(granted !== null && models !== null && rank_models !== null, 'a pool has a grant and models')
  assert(sequence !== null && starts_at_ms !== null, 'a pool has a place and a start')
  const source: PoolSource = {
    kind: 'pool',
    id: row.id,
    posted: row.posted,
    held: row.held,
    slug,
    unit: row.unit,
    currency: row.currency,
    granted,
    rank: {
      models: rank_models,
      endsAtMs: ends_at_ms ?? Number.MAX_SAFE_INTEGER,
      isPaid: row.is_paid === 1,
      sequence,
    },
    models: stringsOf(models),
    spilloverTo: row.spillover_to,
    thenOnDemand: row.then_on_demand === 1,
    startsAtMs: starts_at_ms,
    endsAtMs: ends_at_ms,
  }
  return { source, bundleId: bundle_id, displayName: display_name, recurring: row.recurring === 1 }
}

function entryOf(row: LedgerRow, sources: ReadonlyMap<string, string>): LedgerEntry {
  return {
    id: ledgerEntryId(row.sequence),
    sequence: row.sequence,
    kind: row.kind,
    unit: row.unit,
    amount: row.amount,
    balanceAfter: row.balance_after,
    source: sources.get(row.source_id) ?? row.source_id,
    callId: row.call_id,
    grantId: row.grant_id,
    reason: row.reason,
    createdAtMs: row.created_at_ms,
  }
}
