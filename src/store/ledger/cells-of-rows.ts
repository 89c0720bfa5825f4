/** Cells from rows, whichever engine they come from. */
import assert from 'node:assert/strict'
import type { SettleResult } from '#domain/ledger.ts'
import type { Mode } from '#domain/application-config.ts'
import { type Include, includeOf } from '#money/grant.ts'
import type { Quote, RunStatus, Source, Unit } from '#money/hold.ts'
import type { Interval, Window } from '#money/period.ts'
import type {
  ApplicationCell,
  BundleCell,
  KeyCell,
  OpenHold,
  Person,
  RunCell,
  SourceCell,
  StoredGrant,
} from './cells.ts'
import {
  boundFromText,
  legsFromText,
  limitsFromText,
  stringsFromText,
  usageFromText,
} from '#store/rows/json-columns.ts'
import {
  bigintIn,
  bigintOrNullIn,
  flagIn,
  numberIn,
  numberOrNullIn,
  type SqlRow,
  textIn,
  textOrNullIn,
} from '#store/rows/sql-row.ts'

export function applicationOf(row: SqlRow): ApplicationCell {
  return { configVersion: numberIn(row, 'config_version'), isArchived: row.archived_at_ms !== null }
}

export function keyOf(id: string, row: SqlRow): KeyCell {
  return {
    id,
    applicationId: textIn(row, 'application_id'),
    endUserId: textIn(row, 'end_user_id'),
    mode: oneOfIn(row, 'mode', modes),
    capMicros: bigintOrNullIn(row, 'cap_micros'),
    capPeriod: oneOfIn(row, 'cap_period', windows),
    revokedAtMs: numberOrNullIn(row, 'revoked_at_ms'),
    expiresAtMs: numberOrNullIn(row, 'expires_at_ms'),
    lastUsedAtMs: numberOrNullIn(row, 'last_used_at_ms'),
  }
}

/** @param names of the application; asked for when a pool is granted, which counts them into its frozen rank */
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
    interval: oneOfIn(row, 'billing_interval', intervals),
    spendLimitMicros: bigintOrNullIn(row, 'spend_limit_micros'),
    spendLimitPeriod: oneOfIn(row, 'spend_limit_period', windows),
    includes: includes.map((include) => includeFrom(include, { allow, deny, creditCurrency }, names)),
  }
}

/** @param account its row for that mode; undefined: none yet */
export function personOf(
  endUserId: string,
  mode: Mode,
  row: SqlRow,
  account: SqlRow | undefined,
  sources: readonly SqlRow[],
): Person {
  const onDemand = {
    isEnabled: account?.on_demand_enabled === 1n,
    limitMicros: account === undefined ? null : bigintOrNullIn(account, 'on_demand_limit_micros'),
  }
  const bundleId = textOrNullIn(row, 'bundle_id')
  const subscribedAtMs = numberIn(row, 'subscribed_at_ms')
  const cells = sources.map((source) => cellOf(source, onDemand, bundleId))
  return {
    endUserId,
    applicationId: textIn(row, 'application_id'),
    mode,
    isFrozen: row.frozen_at_ms !== null,
    isRemoved: row.removed_at_ms !== null,
    bundleId,
    subscribedAtMs,
    bundleSinceMs: numberOrNullIn(row, 'bundle_since_ms') ?? subscribedAtMs,
    onDemand,
    cells,
    sources: cells.map(({ source }) => source),
    completeUntilMs: -Infinity,
    completeFor: null,
    runs: new Map(),
    spends: new Map(),
  }
}

export function runOf(slug: string, runId: string, row: SqlRow): RunCell {
  return {
    slug,
    runId,
    status: oneOfIn(row, 'status', runStatuses),
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
    billedMicros: bigintIn(row, 'billed_micros'),
    chargeMicros: bigintIn(row, 'charge_micros'),
    overHoldMicros: bigintIn(row, 'over_hold_micros'),
    walletPostedMicros: bigintIn(row, 'wallet_posted_micros'),
  }
}

/** @param row of `holds`, with the `ceiling_micros` of the outcome that the call's run is of */
export function openHoldOf(row: SqlRow, quote: Quote): OpenHold {
  const callId = textIn(row, 'call_id')
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
      limits: limitsFromText(textIn(row, 'limits')),
    },
    person: { endUserId: textIn(row, 'end_user_id'), mode: oneOfIn(row, 'mode', modes) },
    applicationId: textIn(row, 'application_id'),
    keyId: textIn(row, 'key_id'),
    outcome:
      slug === null
        ? null
        : { slug, runId: textIn(row, 'run_id'), ceilingMicros: bigintIn(row, 'ceiling_micros') },
    targetText: textIn(row, 'target'),
    inputEstimate: numberIn(row, 'input_estimate'),
    epoch: numberIn(row, 'epoch'),
    reservedAtMs: numberIn(row, 'reserved_at_ms'),
    dispatchedAtMs: numberOrNullIn(row, 'dispatched_at_ms'),
    checkpoint: checkpoint === null ? null : usageFromText(checkpoint),
    slot: null,
  }
}

export function storedGrantOf(row: SqlRow): StoredGrant {
  const pending = textOrNullIn(row, 'pending')
  return {
    grantId: textIn(row, 'id'),
    requestHash: textIn(row, 'request_hash'),
    endUsers: numberIn(row, 'end_users'),
    pending: pending === null ? null : stringsFromText(pending),
  }
}

function cellOf(row: SqlRow, onDemand: Person['onDemand'], bundleId: string | null): SourceCell {
  const isPool = textIn(row, 'kind') === 'pool'
  return {
    source: sourceOf(row, onDemand, bundleId),
    lastEntry: numberOrNullIn(row, 'last_entry'),
    pool: isPool
      ? {
          bundleId: textIn(row, 'bundle_id'),
          displayName: textIn(row, 'display_name'),
          recurring: flagIn(row, 'recurring'),
          priceMicros: bigintOrNullIn(row, 'price_micros'),
        }
      : null,
    isNew: false,
    isDirty: false,
  }
}

function sourceOf(row: SqlRow, onDemand: Person['onDemand'], bundleId: string | null): Source {
  const balance = { id: textIn(row, 'id'), posted: bigintIn(row, 'posted'), held: bigintIn(row, 'held') }
  const kind = textIn(row, 'kind')
  if (kind === 'wallet') return { kind, ...balance }
  const startsAtMs = numberIn(row, 'starts_at_ms')
  if (kind === 'on_demand') {
    return { kind, ...balance, ...onDemand, startsAtMs, endsAtMs: numberIn(row, 'ends_at_ms') }
  }
  assert(kind === 'pool', `source ${balance.id} is of the unknown kind ${kind}`)
  const endsAtMs = numberOrNullIn(row, 'ends_at_ms')
  const priceMicros = bigintOrNullIn(row, 'price_micros')
  return {
    kind,
    ...balance,
    slug: textIn(row, 'slug'),
    unit: oneOfIn(row, 'unit', units),
    currency: textOrNullIn(row, 'currency'),
    granted: bigintIn(row, 'granted'),
    withheld: bigintIn(row, 'withheld'),
    expired: bigintIn(row, 'expired'),
    isSuspended: row.bundle_id !== bundleId,
    rank: {
      models: numberIn(row, 'rank_models'),
      endsAtMs: endsAtMs ?? Number.MAX_SAFE_INTEGER,
      isPaid: priceMicros !== null && priceMicros > 0n,
      sequence: numberIn(row, 'sequence'),
    },
    models: stringsFromText(textIn(row, 'models')),
    spilloverTo: textOrNullIn(row, 'spillover_to'),
    thenOnDemand: flagIn(row, 'then_on_demand'),
    startsAtMs,
    endsAtMs,
  }
}

function includeFrom(
  row: SqlRow,
  bundle: Parameters<typeof includeOf>[1],
  names: () => readonly string[],
): Include {
  const unit = oneOfIn(row, 'unit', units)
  assert(
    unit === 'micros' || bundle.creditCurrency !== null,
    `include ${textIn(row, 'slug')} is in credits, and its bundle has no currency`,
  )
  const models = textOrNullIn(row, 'models')
  const terms = {
    slug: textIn(row, 'slug'),
    displayName: textIn(row, 'display_name'),
    unit,
    amount: bigintIn(row, 'amount'),
    priceMicros: bigintOrNullIn(row, 'price_micros'),
    thenOnDemand: flagIn(row, 'then_on_demand'),
    recurring: flagIn(row, 'recurring'),
    spilloverTo: textOrNullIn(row, 'spillover_to'),
    models: models === null ? null : stringsFromText(models),
  }
  return includeOf(terms, bundle, names)
}

/** A text of a closed set. */
function oneOfIn<T extends string>(row: SqlRow, name: string, values: readonly T[]): T {
  const text = textIn(row, name)
  const value = values.find((known) => known === text)
  assert(value !== undefined, `${name} is ${text}, and not ${values.join(' or ')}`)
  return value
}

const modes: readonly Mode[] = ['live', 'test']
const units: readonly Unit[] = ['micros', 'credits']
const windows: readonly Window[] = ['day', 'week', 'month', 'total']
const intervals: readonly Interval[] = ['month', 'year']
const runStatuses: readonly RunStatus[] = ['running', 'done', 'capped', 'failed']
