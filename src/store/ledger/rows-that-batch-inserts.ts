/**
 * SQLite and PostgreSQL bind values by position, so each table's columns and values are declared together, in the same
 * order.
 */
import assert from 'node:assert/strict'
import { countNames, moneyNames, recordValues } from '#domain/sums-of-request-figures.ts'
import type { RequestRecord } from '#domain/ledger-interface.ts'
import type { Quote } from '#money/decision-types.ts'
import { payerOf } from '#money/payment-sources.ts'
import type {
  GrantTerms,
  NewCorrection,
  NewEntry,
  NewRequest,
  NewUsageRecord,
  Person,
  ReversalSum,
  RunCell,
  SourceCell,
} from './state-types.ts'
import { added, figureColumns, recordColumns } from '#store/sql/sql-of-figure-columns.ts'
import { labelsIn } from '#store/rows/labels-of-calls.ts'
import { quoteToText, rateUsesToText, targetToText, usageToText } from '#store/rows/json-columns.ts'
import { legsToText } from '#store/rows/legs-column.ts'
import { tagsToText } from '#store/rows/tags-columns.ts'
import { dayOf, type StoredDaySum } from './day-sums-of-batch.ts'

export type RowValue = string | number | bigint | null

export interface NewRow<Of extends readonly unknown[]> {
  readonly table: string
  /** Separated by white space. A plus sign after a name marks an integer column; all other columns are text. */
  readonly columns: string
  /** The ON CONFLICT clause, in the syntax of both engines. If omitted, an existing row with the key is an error. */
  readonly onConflict?: string
  readonly values: (...of: Of) => RowValue[]
}

export function columnsOf(columns: string): { name: string; isInteger: boolean }[] {
  const marked = columns.trim().split(/\s+/)
  return marked.map((column) => ({ name: column.replace('+', ''), isInteger: column.endsWith('+') }))
}

export const quoteRow: NewRow<[Quote]> = {
  table: 'quotes',
  columns: 'id body',
  // The ID is a hash of the content, so an existing row with this ID has the same content.
  onConflict: 'ON CONFLICT DO NOTHING',
  values: (quote) => [quote.id, quoteToText(quote)],
}

export const entryRow: NewRow<[sequence: number, NewEntry]> = {
  table: 'ledger',
  columns: `sequence+ previous+ end_user_id mode application_id source_id kind unit amount+ balance_after+ call_id
    grant_id reason idempotency_key created_at_ms+ given+`,
  values: (sequence, entry) => [
    sequence,
    entry.cell.lastEntry,
    entry.person.endUserId,
    entry.person.mode,
    entry.person.applicationId,
    entry.cell.source.id,
    entry.kind,
    entry.unit,
    entry.amount,
    entry.cell.source.posted,
    entry.callId,
    entry.grantId,
    entry.reason,
    entry.idempotencyKey,
    entry.atMs,
    entry.given,
  ],
}

function integers(columns: readonly string[]): string {
  return columns.map((column) => `${column}+`).join(' ')
}

const wentColumns = 'http_status+ error_code at_ms+ latency_ms+ first_byte_ms+ trace tags'

function wentValues(record: RequestRecord): RowValue[] {
  return [
    whole(record.httpStatus),
    record.errorCode,
    whole(record.atMs),
    whole(record.latencyMs),
    record.firstByteMs === null ? null : whole(record.firstByteMs),
    record.trace,
    tagsToText(labelsIn(record)),
  ]
}

export const usageRow: NewRow<[NewUsageRecord]> = {
  table: 'usage_records',
  columns: `application_id call_id end_user_id key_id mode alias target streamed+
    ${integers(recordColumns)} usage token_source assumed_micros+ worst_micros+
    wallet_posted_micros+ legs quote_id outcome_slug run_id settled_at_ms+ first_entry+ wire ${wentColumns} attempts
    disputed+`,
  values: (record) => {
    const { open, usage, result, went } = record
    const { hold, person, outcome } = open
    return [
      open.applicationId,
      hold.callId,
      person.endUserId,
      open.keyId,
      person.mode,
      hold.bound.alias,
      open.targetText,
      went.streamed ? 1 : 0,
      ...recordValues(record),
      usageToText(usage),
      record.tokenSource,
      result.assumedMicros,
      hold.worstMicros,
      result.walletPostedMicros,
      record.legsText,
      hold.quote.id,
      outcome === null ? null : outcome.slug,
      outcome === null ? null : outcome.runId,
      record.atMs,
      record.firstEntry,
      went.wire,
      ...wentValues(went),
      record.attempts === null ? null : record.attempts.text,
      record.isDisputed === null ? null : record.isDisputed ? 1 : 0,
    ]
  },
}

export const requestRow: NewRow<[NewRequest]> = {
  table: 'requests',
  columns: `application_id call_id mode end_user_id key_id alias target wire streamed+ status
    ${wentColumns} attempts cost_micros+ assumed_micros+`,
  // Keep the first of two records with the same ID, so that a conflict does not stop the ledger.
  onConflict: 'ON CONFLICT DO NOTHING',
  values: ({ attempts, record }) => [
    record.applicationId,
    record.callId,
    record.mode,
    record.endUserId,
    record.keyId,
    // Replace U+0000: PostgreSQL cannot store it in text, and a client may send any text as the alias.
    record.alias === null ? null : record.alias.replaceAll('\0', '\ufffd'),
    record.target === null ? null : targetToText(record.target),
    record.wire,
    record.streamed ? 1 : 0,
    record.status,
    ...wentValues(record),
    attempts === null ? null : attempts.text,
    attempts === null ? null : attempts.costMicros,
    attempts === null ? null : attempts.assumedMicros,
  ],
}

export const dayRow: NewRow<[StoredDaySum]> = {
  table: 'usage_days',
  columns: `end_user_id mode day+ key_id alias application_id ${integers(figureColumns)}`,
  onConflict: `ON CONFLICT (end_user_id, mode, day, key_id, alias) DO UPDATE SET
    ${added('usage_days', figureColumns)}`,
  values: (sum) => [
    sum.endUserId,
    sum.mode,
    sum.day,
    sum.keyId,
    sum.alias,
    sum.applicationId,
    ...countNames.map((name) => sum[name]),
    ...moneyNames.map((name) => sum[name]),
  ],
}

export const runRow: NewRow<[Person, RunCell]> = {
  table: 'outcome_runs',
  columns: `status capped_at_micros+ spent_micros+ calls+ last_call_at_ms+ end_user_id mode outcome_slug run_id application_id
    started_at_ms+`,
  values: ({ endUserId, mode, applicationId }, run) => [
    run.status,
    run.cappedAtMicros,
    run.spentMicros,
    run.calls,
    run.lastCallAtMs,
    endUserId,
    mode,
    run.slug,
    run.runId,
    applicationId,
    run.startedAtMs,
  ],
}

export const rateUseRow: NewRow<[Person]> = {
  table: 'rate_uses',
  columns: 'end_user_id mode uses',
  onConflict: 'ON CONFLICT (end_user_id, mode) DO UPDATE SET uses = excluded.uses',
  values: ({ endUserId, mode, uses }) => [endUserId, mode, rateUsesToText(uses)],
}

export const lineRateUseRow: NewRow<[Person, lineId: string]> = {
  table: 'line_rate_uses',
  columns: 'end_user_id mode line_id uses',
  onConflict: 'ON CONFLICT (end_user_id, mode, line_id) DO UPDATE SET uses = excluded.uses',
  values: ({ endUserId, lineUses, mode }, lineId) => [
    endUserId,
    mode,
    lineId,
    rateUsesToText(lineUses.get(lineId) ?? []),
  ],
}

export const grantRow: NewRow<[GrantTerms, endUsers: number, pending: readonly string[] | null]> = {
  table: 'grants',
  columns: `application_id id mode kind amount_micros+ reason idempotency_key request_hash end_users+ pending
    starts_at_ms+ expires_at_ms+ created_at_ms+ payment_reference reverses`,
  values: (terms, endUsers, pending) => [
    terms.applicationId,
    terms.grantId,
    terms.mode,
    terms.kind,
    terms.amountMicros,
    terms.reason,
    terms.idempotencyKey,
    terms.requestHash,
    endUsers,
    pending === null ? null : JSON.stringify(pending),
    terms.startsAtMs ?? null,
    terms.expiresAtMs ?? null,
    terms.nowMs,
    terms.paymentReference ?? null,
    terms.reverses ?? null,
  ],
}

export const correctionRow: NewRow<[NewCorrection]> = {
  table: 'call_corrections',
  columns: `application_id call_id number+ id kind end_user_id mode key_id alias bundle account_id outcome_slug run_id
    tags charge_micros+ billed_micros+ cost_micros+ paid_plan_micros+ paid_wallet_micros+ paid_gift_micros+
    on_demand_micros+ overdraft_micros+ legs entries usage reason actor idempotency_key request_hash
    created_at_ms+ day+`,
  values: (correction) => {
    const { call, paid, person, usage } = correction
    return [
      correction.applicationId,
      correction.callId,
      correction.number,
      correction.id,
      correction.kind,
      person.endUserId,
      person.mode,
      call.keyId,
      call.alias,
      call.bundle,
      call.accountId,
      call.outcomeSlug,
      call.runId,
      call.labelsText,
      correction.chargeMicros,
      correction.billedMicros,
      correction.costMicros,
      paid === null ? null : paid.planMicros,
      paid === null ? null : paid.walletMicros,
      paid === null ? null : paid.giftMicros,
      paid === null ? null : paid.onDemandMicros,
      paid === null ? null : paid.overdraftMicros,
      legsToText(correction.legs),
      JSON.stringify(correction.entries),
      usage === null ? null : usageToText(usage),
      correction.reason,
      correction.actor,
      correction.idempotencyKey,
      correction.requestHash,
      correction.atMs,
      dayOf(correction.atMs),
    ]
  },
}

export const reversalRow: NewRow<[ReversalSum]> = {
  table: 'grant_reversals',
  columns: 'application_id id grant_id reversed_micros+ end_users+',
  // A large grant is reversed in several batches, whose amounts add up in one row.
  onConflict: `ON CONFLICT (application_id, id) DO UPDATE SET
    reversed_micros = grant_reversals.reversed_micros + excluded.reversed_micros,
    end_users = grant_reversals.end_users + excluded.end_users`,
  values: (sum) => [sum.applicationId, sum.id, sum.grantId, sum.micros, sum.endUsers],
}

export const sourceRow: NewRow<[Person, SourceCell]> = {
  table: 'sources',
  columns: `end_user_id mode id kind unit posted+ held+ last_entry+ slug display_name currency granted+ withheld+
    expired+ bundle_id models rank_models+ price_micros+ sequence+ spillover_to then_on_demand+ recurring+
    rollover_percent+ rollover_periods+ rolled+ member_cap+ payer_id starts_at_ms+ ends_at_ms+ given+`,
  values: ({ endUserId, mode }, { source, lastEntry, pool }) => {
    const { id, kind, posted, held } = source
    if (source.kind !== 'pool') {
      const [startsAtMs, endsAtMs] =
        source.kind === 'wallet' ? [null, null] : [source.startsAtMs, source.endsAtMs]
      const given = source.kind === 'wallet' ? source.given : null
      const ofPools = Array.from({ length: 18 }, () => null)
      const payerId = source.kind === 'team_pool' ? payerOf(id) : null
      return [
        endUserId,
        mode,
        id,
        source.kind === 'team_pool' ? 'team' : kind,
        'micros',
        posted,
        held,
        lastEntry,
        ...ofPools,
        payerId,
        startsAtMs,
        endsAtMs,
        given,
      ]
    }
    assert(pool !== null, `pool ${id} of ${endUserId} has no terms`)
    const { rank } = source
    return [
      endUserId,
      mode,
      id,
      kind,
      source.unit,
      posted,
      held,
      lastEntry,
      source.slug,
      pool.displayName,
      source.currency,
      source.granted,
      source.withheld,
      source.expired,
      pool.bundleId,
      JSON.stringify(source.models),
      rank.models,
      pool.priceMicros,
      rank.sequence,
      source.spilloverTo,
      source.thenOnDemand ? 1 : 0,
      pool.recurring ? 1 : 0,
      pool.rollover?.percent ?? null,
      pool.rollover?.periodsMax ?? null,
      pool.rolled === 0 ? null : pool.rolled,
      source.memberCap,
      null,
      source.startsAtMs,
      source.endsAtMs,
      null,
    ]
  },
}

/** Rounds a number that does not count money. A clock may return fractions, and the settle must not fail. */
function whole(value: number): number {
  return Number.isFinite(value) ? Math.round(value) : 0
}
