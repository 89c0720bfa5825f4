/** Converts database rows of either engine to cells, the ledger's copies of rows (state-types.ts). */
import assert from 'node:assert/strict'
import type { SettleResult } from '#domain/ledger-interface.ts'
import type { Mode } from '#domain/application-config.ts'
import { minOf } from '#money/amount.ts'
import { type Include, includeOf } from '#money/plan-pools.ts'
import type { Quote } from '#money/decision-types.ts'
import type { Paid } from '#money/charge-split-by-payer.ts'
import { isShare } from '#money/payment-sources.ts'
import type { Window } from '#money/periods-and-windows.ts'
import type {
  ApplicationCell,
  BundleCell,
  CreditEntry,
  KeyCell,
  OpenHold,
  Person,
  RunCell,
  SourceCell,
  StoredCall,
  StoredCorrection,
  StoredGrant,
} from './state-types.ts'
import { includeTermsOf, termsSpanOf } from '#store/rows/bundle-include-columns.ts'
import {
  boundFromText,
  endUserLimitsFromText,
  rateRulesFromText,
  rateUsesFromText,
  stringsFromText,
  targetFromText,
  usageFromText,
} from '#store/rows/json-columns.ts'
import { heldTargetFromText } from '#store/rows/held-target-column.ts'
import { bundleIn } from './hour-sums-of-ended-calls.ts'
import { legsFromText } from '#store/rows/legs-column.ts'
import { attemptsFromText } from '#store/rows/failed-attempts-column.ts'
import { ownedPoolOf, poolShareOf, shareOf } from '#store/rows/pool-and-share-rows.ts'
import {
  bigintIn,
  bigintOrNullIn,
  numberIn,
  numberOrNullIn,
  type SqlRow,
  textIn,
  textOrNullIn,
  wordIn,
} from '#store/rows/read-row-strictly.ts'

export function applicationOf(row: SqlRow): ApplicationCell {
  return {
    configVersion: numberIn(row, 'config_version'),
    isArchived: row.archived_at_ms !== null,
    testClockOffsetMs: numberOrNullIn(row, 'test_clock_offset_ms') ?? 0,
    portalTotal: portalTotalOf(row),
  }
}

export function keyOf(id: string, row: SqlRow): KeyCell {
  return {
    id,
    applicationId: textIn(row, 'application_id'),
    endUserId: textIn(row, 'end_user_id'),
    mode: modeOf(row),
    ...lineOfKey(id, row),
    capMicros: bigintOrNullIn(row, 'cap_micros'),
    capPeriod: windowIn(row, 'cap_period'),
    rates: rateRulesFromText(textOrNullIn(row, 'rate_limits')),
    revokedAtMs: numberOrNullIn(row, 'revoked_at_ms'),
    expiresAtMs: numberOrNullIn(row, 'expires_at_ms'),
    lastUsedAtMs: numberOrNullIn(row, 'last_used_at_ms'),
  }
}

/** @param row with `line_id` and `line_actor`, the actor that created the first key of the line */
function lineOfKey(id: string, row: SqlRow): Pick<KeyCell, 'lineId' | 'isPortalLine'> {
  return { lineId: textOrNullIn(row, 'line_id') ?? id, isPortalLine: row.line_actor === 'end_user' }
}

function portalTotalOf(row: SqlRow): ApplicationCell['portalTotal'] {
  const micros = bigintOrNullIn(row, 'key_caps_total_micros')
  return micros === null ? null : { window: windowIn(row, 'key_cap_period'), micros }
}

/**
 * @param names returns the application's aliases, on which the stored rank of a pool depends; called only when a pool
 * is granted
 */
export function bundleOf(
  id: string,
  row: SqlRow,
  includes: readonly SqlRow[],
  names: () => readonly string[],
): BundleCell {
  const allow = stringsFromText(textIn(row, 'allow'))
  const deny = stringsFromText(textIn(row, 'deny'))
  const creditCurrency = textOrNullIn(row, 'credit_currency')
  return {
    id,
    slug: textIn(row, 'bundle_slug'),
    interval: wordIn(row, 'billing_interval', ['month', 'year']),
    spendLimitMicros: bigintOrNullIn(row, 'spend_limit_micros'),
    spendLimitPeriod: windowIn(row, 'spend_limit_period'),
    rates: rateRulesFromText(textOrNullIn(row, 'bundle_rate_limits')),
    includes: {
      live: includesFrom(includes, 'live', { allow, deny, creditCurrency }, names),
      test: includesFrom(includes, 'test', { allow, deny, creditCurrency }, names),
    },
  }
}

/** @param account the account's row for that mode; undefined if no row exists yet */
export function personOf(
  endUserId: string,
  mode: Mode,
  row: SqlRow,
  account: SqlRow = noAccount,
  sources: readonly SqlRow[],
): Person {
  const onDemand = {
    isEnabled: account.on_demand_enabled === 1n,
    limitMicros: bigintOrNullIn(account, 'on_demand_limit_micros'),
    untilMs: numberOrNullIn(account, 'on_demand_until_ms'),
    closedUntilMs: numberOrNullIn(account, 'on_demand_closed_until_ms') ?? 0,
  }
  const isRemoved = row.removed_at_ms !== null
  const bundleId = isRemoved
    ? null
    : (textOrNullIn(account, 'own_bundle_id') ?? textOrNullIn(row, 'bundle_id'))
  const ofBothModes = numberIn(row, 'subscribed_at_ms')
  const subscribedAtMs = numberOrNullIn(account, 'subscribed_at_ms') ?? ofBothModes
  const bundleSinceMs = numberOrNullIn(account, 'bundle_since_ms') ?? numberOrNullIn(row, 'bundle_since_ms')
  const cells = sources.map((source) => cellOf(source, onDemand, bundleId))
  const payerId = isRemoved ? null : textOrNullIn(row, 'payer_id')
  return {
    endUserId,
    applicationId: textIn(row, 'application_id'),
    mode,
    isFrozen: row.frozen_at_ms !== null,
    isRemoved,
    bundleId,
    bundleUntilMs: numberOrNullIn(account, 'plan_ends_at_ms') ?? Infinity,
    subscribedAtMs,
    bundleSinceMs: bundleSinceMs ?? subscribedAtMs,
    onDemand,
    payer: payerId === null ? null : { id: payerId, capMicros: bigintOrNullIn(row, 'payer_cap_micros') },
    hasShares: cells.some(({ source }) => isShare(source)),
    limits: endUserLimitsFromText(textOrNullIn(account, 'spend_limits')),
    rates: rateRulesFromText(textOrNullIn(account, 'rate_limits')),
    uses: rateUsesFromText(textOrNullIn(account, 'rate_uses')),
    lineUses: new Map(),
    cells,
    sources: cells.map(({ source }) => source),
    completeUntilMs: -Infinity,
    completeFor: null,
    runs: new Map(),
    spends: new Map(),
  }
}

/**
 * Removes the end user from a plan that has ended by `nowMs`. Call this function before each use, because the end of a
 * plan changes no stored row.
 */
export function personAt(person: Person, nowMs: number): Person {
  if (nowMs >= person.bundleUntilMs) leavePlan(person)
  return person
}

/**
 * The pools of the plan no longer pay for new requests. The rules of plan-pools.ts decide whether these pools lapse or
 * return.
 */
function leavePlan(person: Person): void {
  person.bundleId = null
  person.bundleUntilMs = Infinity
  for (const cell of person.cells) {
    const isOfPlan = cell.pool !== null && cell.pool.bundleId !== null
    if (isOfPlan && cell.source.kind === 'pool') cell.source = { ...cell.source, isSuspended: true }
  }
  person.sources = person.cells.map(({ source }) => source)
  person.completeUntilMs = -Infinity
}

const noAccount: SqlRow = {
  own_bundle_id: null,
  on_demand_limit_micros: null,
  on_demand_until_ms: null,
  on_demand_closed_until_ms: null,
  subscribed_at_ms: null,
  bundle_since_ms: null,
  plan_ends_at_ms: null,
  spend_limits: null,
  rate_limits: null,
  rate_uses: null,
}

export function runOf(slug: string, runId: string, row: SqlRow): RunCell {
  return {
    slug,
    runId,
    status: wordIn(row, 'status', ['running', 'done', 'capped', 'failed']),
    cappedAtMicros: bigintOrNullIn(row, 'capped_at_micros'),
    spentMicros: bigintIn(row, 'spent_micros'),
    calls: numberIn(row, 'calls'),
    startedAtMs: numberIn(row, 'started_at_ms'),
    lastCallAtMs: numberIn(row, 'last_call_at_ms'),
    isNew: false,
    isDirty: false,
  }
}

export function settledOf(row: SqlRow): SettleResult {
  return {
    costMicros: bigintIn(row, 'cost_micros'),
    assumedMicros: bigintOrNullIn(row, 'assumed_micros') ?? 0n,
    billedMicros: bigintIn(row, 'billed_micros'),
    chargeMicros: bigintIn(row, 'charge_micros'),
    overHoldMicros: bigintIn(row, 'over_hold_micros'),
    walletPostedMicros: bigintIn(row, 'wallet_posted_micros'),
  }
}

/** @param row the row of `holds`, with the key line of its key, and with `ceiling_micros` of the outcome of its run */
export function openHoldOf(row: SqlRow, quote: Quote): OpenHold {
  const callId = textIn(row, 'call_id')
  const keyId = textIn(row, 'key_id')
  const slug = textOrNullIn(row, 'outcome_slug')
  const checkpoint = textOrNullIn(row, 'checkpoint')
  return {
    hold: {
      callId,
      quote,
      bound: boundFromText(textIn(row, 'bound')),
      worstMicros: bigintIn(row, 'worst_micros'),
      worstCredits: bigintIn(row, 'worst_credits'),
      legs: legsFromText(textIn(row, 'legs')),
    },
    person: { endUserId: textIn(row, 'end_user_id'), mode: modeOf(row) },
    applicationId: textIn(row, 'application_id'),
    keyId,
    ...lineOfKey(keyId, row),
    outcome:
      slug === null
        ? null
        : { slug, runId: textIn(row, 'run_id'), ceilingMicros: bigintIn(row, 'ceiling_micros') },
    ...heldTargetFromText(textIn(row, 'target')),
    attempts: attemptsIn(textOrNullIn(row, 'attempts')),
    inputEstimate: numberIn(row, 'input_estimate'),
    epoch: numberIn(row, 'epoch'),
    reservedAtMs: numberIn(row, 'reserved_at_ms'),
    dispatchedAtMs: numberOrNullIn(row, 'dispatched_at_ms'),
    checkpoint: checkpoint === null ? null : usageFromText(checkpoint),
    slot: null,
  }
}

function attemptsIn(text: string | null): OpenHold['attempts'] {
  if (text === null) return null
  let costMicros = 0n
  let assumedMicros = 0n
  for (const attempt of attemptsFromText(text)) {
    costMicros += attempt.costMicros
    assumedMicros += attempt.assumedMicros
  }
  return { text, costMicros, assumedMicros }
}

export function storedGrantOf(row: SqlRow): StoredGrant {
  const pending = textOrNullIn(row, 'pending')
  return {
    grantId: textIn(row, 'id'),
    requestHash: textIn(row, 'request_hash'),
    endUsers: numberIn(row, 'end_users'),
    pending: pending === null ? null : stringsFromText(pending),
    done: numberOrNullIn(row, 'done') ?? 0,
    createdAtMs: numberIn(row, 'created_at_ms'),
  }
}

export function storedCallOf(row: SqlRow): StoredCall {
  return {
    keyId: textIn(row, 'key_id'),
    alias: textIn(row, 'alias'),
    accountId: targetFromText(textIn(row, 'target')).accountId,
    bundle: bundleIn(textIn(row, 'trace')),
    outcomeSlug: textOrNullIn(row, 'outcome_slug'),
    runId: textOrNullIn(row, 'run_id'),
    labelsText: textOrNullIn(row, 'tags'),
    isRecovered: row.token_source === 'recovered',
    quoteId: textIn(row, 'quote_id'),
    usage: usageFromText(textIn(row, 'usage')),
    billedMicros: bigintIn(row, 'billed_micros'),
    chargeMicros: bigintIn(row, 'charge_micros'),
    worstMicros: bigintIn(row, 'worst_micros'),
    legs: legsFromText(textIn(row, 'legs')),
    paid: paidIn(row),
  }
}

export function storedCorrectionOf(row: SqlRow): StoredCorrection {
  return {
    number: numberIn(row, 'number'),
    id: textIn(row, 'id'),
    kind: wordIn(row, 'kind', ['refund', 'late_usage']),
    chargeMicros: bigintIn(row, 'charge_micros'),
    billedMicros: bigintIn(row, 'billed_micros'),
    legs: legsFromText(textIn(row, 'legs')),
    paid: paidIn(row),
    idempotencyKey: textOrNullIn(row, 'idempotency_key'),
    requestHash: textOrNullIn(row, 'request_hash'),
  }
}

function paidIn(row: SqlRow): Paid | null {
  if (row.paid_plan_micros === null) return null
  return {
    planMicros: bigintIn(row, 'paid_plan_micros'),
    walletMicros: bigintIn(row, 'paid_wallet_micros'),
    giftMicros: bigintIn(row, 'paid_gift_micros'),
    onDemandMicros: bigintIn(row, 'on_demand_micros'),
    overdraftMicros: bigintIn(row, 'overdraft_micros'),
  }
}

export function creditEntryOf(row: SqlRow): CreditEntry {
  return {
    sequence: numberIn(row, 'sequence'),
    kind: wordIn(row, 'kind', ledgerKinds),
    amount: bigintIn(row, 'amount'),
    grantId: textOrNullIn(row, 'grant_id'),
    idempotencyKey: textIn(row, 'idempotency_key'),
  }
}

const ledgerKinds = ['topup', 'grant', 'usage_debit', 'refund', 'reversal', 'adjustment'] as const

function cellOf(row: SqlRow, onDemand: Person['onDemand'], bundleId: string | null): SourceCell {
  const { pool, source } = sourceOf(row, onDemand, bundleId)
  return { source, lastEntry: numberOrNullIn(row, 'last_entry'), pool, isNew: false, isDirty: false }
}

/** @param row the row of `sources` for a month of on-demand usage, or for a share in a payer's wallet */
export function monthCellOf(row: SqlRow, onDemand: Person['onDemand']): SourceCell {
  return cellOf(row, onDemand, null)
}

function sourceOf(
  row: SqlRow,
  onDemand: Person['onDemand'],
  bundleId: string | null,
): Pick<SourceCell, 'source' | 'pool'> {
  const kind = wordIn(row, 'kind', ['wallet', 'pool', 'team', 'on_demand'])
  if (kind === 'pool') {
    const { source, ...pool } = ownedPoolOf(row, bundleId)
    return { source, pool }
  }
  const balance = { id: textIn(row, 'id'), posted: bigintIn(row, 'posted'), held: bigintIn(row, 'held') }
  if (kind === 'wallet') {
    const all = balance.posted > 0n ? balance.posted : 0n
    // Limit the granted part to the wallet's balance. Processes of the previous release change the balance without
    // changing the granted part.
    const given = minOf(bigintOrNullIn(row, 'given') ?? all, all)
    return { source: { kind, ...balance, given }, pool: null }
  }
  if (kind === 'team' && textOrNullIn(row, 'payer_id') !== null) {
    const period = { startsAtMs: numberIn(row, 'starts_at_ms'), endsAtMs: numberOrNullIn(row, 'ends_at_ms') }
    return { source: poolShareOf(balance, period), pool: null }
  }
  const [startsAtMs, endsAtMs] = [numberIn(row, 'starts_at_ms'), numberIn(row, 'ends_at_ms')]
  if (kind === 'team') return { source: shareOf(balance, { startsAtMs, endsAtMs }), pool: null }
  return { source: { kind, ...balance, ...onDemand, startsAtMs, endsAtMs }, pool: null }
}

function includesFrom(
  rows: readonly SqlRow[],
  mode: Mode,
  bundle: Parameters<typeof includeOf>[1],
  names: () => readonly string[],
): Include[] {
  const includes: Include[] = []
  for (const row of rows) {
    const terms = { ...includeTermsOf(row), ...termsSpanOf(row, mode) }
    const isPayable = terms.unit === 'micros' || bundle.creditCurrency !== null
    assert(
      isPayable || terms.untilMs !== null,
      `include ${terms.slug} is in credits, and its bundle has no currency`,
    )
    // If a bundle no longer has a credit currency, older versions of its pools in credits grant nothing.
    if (isPayable) includes.push(includeOf(terms, bundle, names))
  }
  return includes
}

function modeOf(row: SqlRow): Mode {
  return wordIn(row, 'mode', ['live', 'test'])
}

function windowIn(row: SqlRow, name: string): Window {
  return wordIn(row, name, ['day', 'week', 'month', 'total'])
}
