/** Cells from rows. Runs when a person, key, bundle or application is met for the first time. */
import assert from 'node:assert/strict'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { SettleResult } from '#domain/ledger.ts'
import type { Mode } from '#domain/snapshot.ts'
import type { GrantedPool, Include } from '#money/grant.ts'
import type { Quote, RunStatus, Source } from '#money/hold.ts'
import { isAllowed } from '#money/pattern.ts'
import type { Interval, Window } from '#money/period.ts'
import type { Unit } from '#money/hold.ts'
import type {
  ApplicationCell,
  BundleCell,
  GrantTerms,
  KeyCell,
  OpenHold,
  Person,
  RunCell,
  SourceCell,
  StoredGrant,
} from './book.ts'
import {
  boundFromText,
  legsFromText,
  limitsFromText,
  quoteFromText,
  stringsFromText,
  usageFromText,
} from './codec.ts'
import {
  bigintIn,
  bigintOrNullIn,
  flagIn,
  numberIn,
  numberOrNullIn,
  type SqlRow,
  textIn,
  textOrNullIn,
} from './sqlite-row.ts'

export class SqliteLoad {
  readonly #application: StatementSync
  readonly #key: StatementSync
  readonly #bundle: StatementSync
  readonly #includes: StatementSync
  readonly #aliases: StatementSync
  readonly #person: StatementSync
  readonly #sources: StatementSync
  readonly #pools: StatementSync
  readonly #run: StatementSync
  readonly #spent: StatementSync
  readonly #spentByKey: StatementSync
  readonly #settled: StatementSync
  readonly #holds: StatementSync
  readonly #ceiling: StatementSync
  readonly #quote: StatementSync
  readonly #grantByKey: StatementSync
  readonly #grantById: StatementSync
  readonly #entry: StatementSync

  constructor(connection: DatabaseSync) {
    const prepare = (sql: string): StatementSync => {
      const statement = connection.prepare(sql)
      statement.setReadBigInts(true)
      return statement
    }
    this.#application = prepare('SELECT config_version, archived_at_ms FROM applications WHERE id = ?')
    this.#key = prepare(
      `SELECT application_id, end_user_id, mode, cap_micros, cap_period, last_used_at_ms, revoked_at_ms,
         expires_at_ms FROM keys WHERE id = ?`,
    )
    this.#bundle = prepare(
      `SELECT application_id, slug, billing_interval, spend_limit_micros, spend_limit_period,
         credit_currency, allow, deny FROM bundles WHERE id = ?`,
    )
    this.#includes = prepare('SELECT * FROM bundle_includes WHERE bundle_id = ? ORDER BY position, slug')
    this.#aliases = prepare('SELECT name FROM aliases WHERE application_id = ?')
    this.#person = prepare(
      `SELECT u.application_id, u.bundle_id, u.subscribed_at_ms, u.frozen_at_ms, u.removed_at_ms,
         a.on_demand_enabled, a.on_demand_limit_micros
       FROM end_users u LEFT JOIN accounts a ON a.end_user_id = u.id AND a.mode = ? WHERE u.id = ?`,
    )
    this.#sources = prepare(
      `SELECT * FROM sources WHERE end_user_id = ? AND mode = ?
         AND (ends_at_ms IS NULL OR ends_at_ms > ? OR held > 0)`,
    )
    this.#pools = prepare(
      `SELECT slug, bundle_id, starts_at_ms, recurring, sequence FROM sources
       WHERE end_user_id = ? AND mode = ? AND kind = 'pool'`,
    )
    this.#run = prepare(
      `SELECT * FROM outcome_runs WHERE end_user_id = ? AND mode = ? AND outcome_slug = ? AND run_id = ?`,
    )
    const sum = `SELECT coalesce(sum(charge_micros), 0) AS charge_micros FROM usage_days
       WHERE end_user_id = ? AND mode = ? AND day >= ? AND day < ?`
    this.#spent = prepare(sum)
    this.#spentByKey = prepare(`${sum} AND key_id = ?`)
    this.#settled = prepare(
      `SELECT cost_micros, billed_micros, charge_micros, over_hold_micros, wallet_posted_micros
       FROM usage_records WHERE application_id = ? AND call_id = ?`,
    )
    this.#holds = prepare('SELECT * FROM holds')
    this.#ceiling = prepare('SELECT ceiling_micros FROM outcomes WHERE application_id = ? AND slug = ?')
    this.#quote = prepare('SELECT body FROM quotes WHERE id = ?')
    this.#grantByKey = prepare(
      'SELECT * FROM grants WHERE application_id = ? AND mode = ? AND idempotency_key = ?',
    )
    this.#grantById = prepare('SELECT * FROM grants WHERE application_id = ? AND id = ?')
    this.#entry = prepare(
      'SELECT 1 AS found FROM ledger WHERE end_user_id = ? AND mode = ? AND idempotency_key = ?',
    )
  }

  application(id: string): ApplicationCell | null {
    const row = this.#application.get(id)
    if (row === undefined) return null
    return { configVersion: numberIn(row, 'config_version'), isArchived: row.archived_at_ms !== null }
  }

  key(id: string): KeyCell | null {
    const row = this.#key.get(id)
    if (row === undefined) return null
    return {
      id,
      applicationId: textIn(row, 'application_id'),
      endUserId: textIn(row, 'end_user_id'),
      mode: modeOf(row),
      capMicros: bigintOrNullIn(row, 'cap_micros'),
      capPeriod: windowOf(textIn(row, 'cap_period')),
      revokedAtMs: numberOrNullIn(row, 'revoked_at_ms'),
      expiresAtMs: numberOrNullIn(row, 'expires_at_ms'),
      lastUsedAtMs: numberOrNullIn(row, 'last_used_at_ms'),
    }
  }

  bundle(id: string): BundleCell | null {
    const row = this.#bundle.get(id)
    if (row === undefined) return null
    const rows = this.#includes.all(id)
    // Names are counted when a pool is granted: their number is part of the pool's frozen rank.
    const names = rows.length === 0 ? [] : this.#aliases.all(textIn(row, 'application_id'))
    const allow = stringsFromText(textIn(row, 'allow'))
    const deny = stringsFromText(textIn(row, 'deny'))
    return {
      id,
      slug: textIn(row, 'slug'),
      interval: intervalOf(textIn(row, 'billing_interval')),
      spendLimitMicros: bigintOrNullIn(row, 'spend_limit_micros'),
      spendLimitPeriod: windowOf(textIn(row, 'spend_limit_period')),
      includes: rows.map((include) => {
        const own = textOrNullIn(include, 'models')
        const models = own === null ? allow : stringsFromText(own)
        const modelCount = names.filter((name) => isAllowed(textIn(name, 'name'), models, deny)).length
        return includeOf(include, models, modelCount, textOrNullIn(row, 'credit_currency'))
      }),
    }
  }

  person(endUserId: string, mode: Mode, nowMs: number): Person | null {
    const row = this.#person.get(mode, endUserId)
    if (row === undefined) return null
    const onDemand = {
      isEnabled: row.on_demand_enabled === 1n,
      limitMicros: bigintOrNullIn(row, 'on_demand_limit_micros'),
    }
    const cells = this.#sources.all(endUserId, mode, nowMs).map((source) => cellOf(source, onDemand))
    return {
      endUserId,
      applicationId: textIn(row, 'application_id'),
      mode,
      isFrozen: row.frozen_at_ms !== null,
      isRemoved: row.removed_at_ms !== null,
      bundleId: textOrNullIn(row, 'bundle_id'),
      subscribedAtMs: numberIn(row, 'subscribed_at_ms'),
      onDemand,
      cells,
      sources: cells.map(({ source }) => source),
      completeUntilMs: -Infinity,
      completeFor: null,
      runs: new Map(),
      spends: new Map(),
    }
  }

  grantedPools({ endUserId, mode }: Person): { pools: GrantedPool[]; nextSequence: number } {
    let nextSequence = 1
    const pools = this.#pools.all(endUserId, mode).map((row) => {
      nextSequence = Math.max(nextSequence, numberIn(row, 'sequence') + 1)
      return {
        slug: textIn(row, 'slug'),
        bundleId: textIn(row, 'bundle_id'),
        startsAtMs: numberIn(row, 'starts_at_ms'),
        recurring: flagIn(row, 'recurring'),
      }
    })
    return { pools, nextSequence }
  }

  run({ endUserId, mode }: Person, slug: string, runId: string): RunCell | null {
    const row = this.#run.get(endUserId, mode, slug, runId)
    if (row === undefined) return null
    return {
      slug,
      runId,
      status: runStatusOf(textIn(row, 'status')),
      spentMicros: bigintIn(row, 'spent_micros'),
      calls: numberIn(row, 'calls'),
      startedAtMs: numberIn(row, 'started_at_ms'),
      lastCallAtMs: numberIn(row, 'last_call_at_ms'),
      isNew: false,
      isDirty: false,
    }
  }

  spent({ endUserId, mode }: Person, keyId: string | null, fromDay: number, toDay: number | null): bigint {
    const to = toDay ?? Number.MAX_SAFE_INTEGER
    const row =
      keyId === null
        ? this.#spent.get(endUserId, mode, fromDay, to)
        : this.#spentByKey.get(endUserId, mode, fromDay, to, keyId)
    assert(row !== undefined, 'a sum is a row')
    return bigintIn(row, 'charge_micros')
  }

  settled(applicationId: string, callId: string): SettleResult | null {
    const row = this.#settled.get(applicationId, callId)
    if (row === undefined) return null
    return {
      costMicros: bigintIn(row, 'cost_micros'),
      billedMicros: bigintIn(row, 'billed_micros'),
      chargeMicros: bigintIn(row, 'charge_micros'),
      overHoldMicros: bigintIn(row, 'over_hold_micros'),
      walletPostedMicros: bigintIn(row, 'wallet_posted_micros'),
    }
  }

  /** Every call in flight: at start, and after a batch that failed. */
  holds(quoteOf: (id: string) => Quote): OpenHold[] {
    return this.#holds.all().map((row) => {
      const applicationId = textIn(row, 'application_id')
      const slug = textOrNullIn(row, 'outcome_slug')
      const checkpoint = textOrNullIn(row, 'checkpoint')
      return {
        hold: {
          callId: textIn(row, 'call_id'),
          quote: quoteOf(textIn(row, 'quote_id')),
          bound: boundFromText(textIn(row, 'bound')),
          worstMicros: bigintIn(row, 'worst_micros'),
          worstCredits: bigintIn(row, 'worst_credits'),
          legs: legsFromText(textIn(row, 'legs')),
          limits: limitsFromText(textIn(row, 'limits')),
        },
        person: { endUserId: textIn(row, 'end_user_id'), mode: modeOf(row) },
        applicationId,
        keyId: textIn(row, 'key_id'),
        outcome:
          slug === null
            ? null
            : { slug, runId: textIn(row, 'run_id'), ceilingMicros: this.#ceilingOf(applicationId, slug) },
        targetText: textIn(row, 'target'),
        inputEstimate: numberIn(row, 'input_estimate'),
        epoch: numberIn(row, 'epoch'),
        reservedAtMs: numberIn(row, 'reserved_at_ms'),
        dispatchedAtMs: numberOrNullIn(row, 'dispatched_at_ms'),
        checkpoint: checkpoint === null ? null : usageFromText(checkpoint),
      }
    })
  }

  quote(id: string): Quote {
    const row = this.#quote.get(id)
    assert(row !== undefined, `quote ${id} is stored`)
    return quoteFromText(id, textIn(row, 'body'))
  }

  grant({ applicationId, mode, idempotencyKey, grantId }: GrantTerms): StoredGrant | null {
    const row =
      idempotencyKey === null
        ? this.#grantById.get(applicationId, grantId)
        : this.#grantByKey.get(applicationId, mode, idempotencyKey)
    if (row === undefined) return null
    const pending = textOrNullIn(row, 'pending')
    return {
      grantId: textIn(row, 'id'),
      requestHash: textIn(row, 'request_hash'),
      endUsers: numberIn(row, 'end_users'),
      pending: pending === null ? null : stringsFromText(pending),
    }
  }

  hasEntry({ endUserId, mode }: Person, idempotencyKey: string): boolean {
    return this.#entry.get(endUserId, mode, idempotencyKey) !== undefined
  }

  #ceilingOf(applicationId: string, slug: string): bigint {
    const row = this.#ceiling.get(applicationId, slug)
    assert(row !== undefined, `outcome ${slug} is stored`)
    return bigintIn(row, 'ceiling_micros')
  }
}

function cellOf(row: SqlRow, onDemand: Person['onDemand']): SourceCell {
  const isPool = textIn(row, 'kind') === 'pool'
  return {
    source: sourceOf(row, onDemand),
    lastEntry: numberOrNullIn(row, 'last_entry'),
    pool: isPool
      ? {
          bundleId: textIn(row, 'bundle_id'),
          displayName: textIn(row, 'display_name'),
          recurring: flagIn(row, 'recurring'),
        }
      : null,
    isNew: false,
    isDirty: false,
  }
}

function sourceOf(row: SqlRow, onDemand: Person['onDemand']): Source {
  const balance = { id: textIn(row, 'id'), posted: bigintIn(row, 'posted'), held: bigintIn(row, 'held') }
  const kind = textIn(row, 'kind')
  if (kind === 'wallet') return { kind, ...balance }
  const startsAtMs = numberIn(row, 'starts_at_ms')
  if (kind === 'on_demand') {
    return { kind, ...balance, ...onDemand, startsAtMs, endsAtMs: numberIn(row, 'ends_at_ms') }
  }
  assert(kind === 'pool', 'a source is of a kind')
  const endsAtMs = numberOrNullIn(row, 'ends_at_ms')
  return {
    kind,
    ...balance,
    slug: textIn(row, 'slug'),
    unit: unitOf(textIn(row, 'unit')),
    currency: textOrNullIn(row, 'currency'),
    granted: bigintIn(row, 'granted'),
    rank: {
      models: numberIn(row, 'rank_models'),
      endsAtMs: endsAtMs ?? Number.MAX_SAFE_INTEGER,
      isPaid: flagIn(row, 'is_paid'),
      sequence: numberIn(row, 'sequence'),
    },
    models: stringsFromText(textIn(row, 'models')),
    spilloverTo: textOrNullIn(row, 'spillover_to'),
    thenOnDemand: flagIn(row, 'then_on_demand'),
    startsAtMs,
    endsAtMs,
  }
}

function includeOf(
  row: SqlRow,
  models: readonly string[],
  modelCount: number,
  creditCurrency: string | null,
): Include {
  const unit = unitOf(textIn(row, 'unit'))
  assert(unit === 'micros' || creditCurrency !== null, 'an include in credits is of a bundle with a currency')
  return {
    slug: textIn(row, 'slug'),
    displayName: textIn(row, 'display_name'),
    unit,
    currency: unit === 'credits' ? creditCurrency : null,
    amount: bigintIn(row, 'amount'),
    priceMicros: bigintOrNullIn(row, 'price_micros'),
    thenOnDemand: flagIn(row, 'then_on_demand'),
    recurring: flagIn(row, 'recurring'),
    spilloverTo: textOrNullIn(row, 'spillover_to'),
    models,
    modelCount,
  }
}

function modeOf(row: SqlRow): Mode {
  const mode = textIn(row, 'mode')
  assert(mode === 'live' || mode === 'test', 'a row is of a mode')
  return mode
}

function unitOf(text: string): Unit {
  assert(text === 'micros' || text === 'credits', 'a source has a unit')
  return text
}

function windowOf(text: string): Window {
  assert(text === 'day' || text === 'week' || text === 'month' || text === 'total', 'a ceiling has a period')
  return text
}

function intervalOf(text: string): Interval {
  assert(text === 'month' || text === 'year', 'a bundle has an interval')
  return text
}

function runStatusOf(text: string): RunStatus {
  assert(
    text === 'running' || text === 'done' || text === 'capped' || text === 'failed',
    'a run has a status',
  )
  return text
}
