/** Cells from rows. Runs when a person, key, bundle or application is met for the first time. */
import assert from 'node:assert/strict'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { SettleResult } from '#domain/ledger.ts'
import type { Mode } from '#domain/application-config.ts'
import type { Quote } from '#money/hold.ts'
import type {
  ApplicationCell,
  BundleCell,
  GrantTerms,
  KeyCell,
  OpenHold,
  Person,
  RunCell,
  StoredGrant,
} from '#store/ledger/book.ts'
import {
  applicationOf,
  bundleOf,
  keyOf,
  openHoldOf,
  personOf,
  runOf,
  settledOf,
  storedGrantOf,
} from '#store/ledger/cells-of-rows.ts'
import { quoteFromText } from '#store/rows/json-columns.ts'
import { bigintIn, numberIn, textIn, textOrNullIn } from '#store/rows/sql-row.ts'

export class SqliteLoad {
  readonly #application: StatementSync
  readonly #key: StatementSync
  readonly #bundle: StatementSync
  readonly #includes: StatementSync
  readonly #aliases: StatementSync
  readonly #person: StatementSync
  readonly #account: StatementSync
  readonly #sources: StatementSync
  readonly #run: StatementSync
  readonly #spent: StatementSync
  readonly #spentByKey: StatementSync
  readonly #settled: StatementSync
  readonly #holds: StatementSync
  readonly #slotsCount: StatementSync
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
      `SELECT application_id, bundle_id, subscribed_at_ms, bundle_since_ms, frozen_at_ms, removed_at_ms
       FROM end_users WHERE id = ?`,
    )
    this.#account = prepare('SELECT * FROM accounts WHERE end_user_id = ? AND mode = ?')
    this.#sources = prepare(
      `SELECT * FROM sources WHERE end_user_id = ? AND mode = ?
         AND (ends_at_ms IS NULL OR ends_at_ms > ? OR (kind = 'pool' AND posted > 0) OR held > 0)`,
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
    this.#holds = prepare(
      `SELECT h.*, c.slot FROM holds h
       JOIN (SELECT slot, c.value ->> 0 AS call_id FROM hold_slots, json_each(calls) c) c USING (call_id)`,
    )
    this.#slotsCount = prepare('SELECT coalesce(max(slot) + 1, 0) AS slots FROM hold_slots')
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
    return row === undefined ? null : applicationOf(row)
  }

  key(id: string): KeyCell | null {
    const row = this.#key.get(id)
    return row === undefined ? null : keyOf(id, row)
  }

  bundle(id: string): BundleCell | null {
    const row = this.#bundle.get(id)
    if (row === undefined) return null
    const rows = this.#includes.all(id)
    const names = rows.length === 0 ? [] : this.#aliases.all(textIn(row, 'application_id'))
    return bundleOf(id, row, rows, () => names.map((alias) => textIn(alias, 'name')))
  }

  person(endUserId: string, mode: Mode, nowMs: number): Person | null {
    const row = this.#person.get(endUserId)
    if (row === undefined) return null
    const account = this.#account.get(endUserId, mode)
    return personOf(endUserId, mode, row, account, this.#sources.all(endUserId, mode, nowMs))
  }

  ownerOf(endUserId: string): string | null {
    const row = this.#person.get(endUserId)
    return row === undefined ? null : textIn(row, 'application_id')
  }

  run({ endUserId, mode }: Person, slug: string, runId: string): RunCell | null {
    const row = this.#run.get(endUserId, mode, slug, runId)
    return row === undefined ? null : runOf(slug, runId, row)
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
    return row === undefined ? null : settledOf(row)
  }

  /** Every call in flight: at start, and after a batch that failed. */
  holds(quoteOf: (id: string) => Quote): { readonly open: OpenHold; readonly slot: number }[] {
    return this.#holds.all().map((row) => {
      const slug = textOrNullIn(row, 'outcome_slug')
      const ceiling = slug === null ? null : this.#ceilingOf(textIn(row, 'application_id'), slug)
      const open = openHoldOf(row, quoteOf(textIn(row, 'quote_id')), ceiling)
      return { open, slot: numberIn(row, 'slot') }
    })
  }

  /** One more than the highest slot there is for calls in flight. */
  slotsCount(): number {
    const row = this.#slotsCount.get()
    assert(row !== undefined, 'a count is a row')
    return numberIn(row, 'slots')
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
    return row === undefined ? null : storedGrantOf(row)
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
