/**
 * Rows of an end user, key, bundle or application are read when they are first used. Calls in flight are read at the
 * start and after a failed batch. In the SQL, `:name` is a field of the `Need`.
 */
import assert from 'node:assert/strict'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { portalLines, wholePerson } from '#store/ledger/state-types.ts'
import { type Need, rolloverKeptMs, valueOf } from '#store/ledger/rows-that-operation-needs.ts'
import type { SqlRow } from '#store/rows/read-row-strictly.ts'
import { hasWaiting } from './buffered-balances.ts'

export type SqliteNeed =
  | Need
  | { readonly kind: 'holds' }
  /** May also contain calls that have ended. */
  | { readonly kind: 'hold_slots' }
  /** The row contains a single call of a slot, as JSON. */
  | { readonly kind: 'hold_text'; readonly slot: number; readonly callId: string }
  /** The highest slot that has a row, plus one. */
  | { readonly kind: 'slots' }
  | { readonly kind: 'settled'; readonly applicationId: string; readonly callId: string }
  /**
   * The numbers of the writer's last batch, of the last ledger entry, and of the last batch whose sums are in
   * `usage_days`. The row also contains the last day in the stored sums of applications, and the current cycle of the
   * balance slots (buffered-balances.ts). `has_waiting` states whether a balance slot of the current cycle has entries.
   */
  | { readonly kind: 'state' }
  /** The slots with sums that are not in `usage_days` yet, in the order in which they were filled. */
  | { readonly kind: 'day_slots' }

const includeColumns = `bundle_id, slug, display_name, unit, amount, price_micros, then_on_demand, recurring,
      spillover_to, models, position, since_ms, since_test_ms, is_undated, rollover_percent, rollover_periods, member_cap`

const daysOfApplication = `application_id = (SELECT application_id FROM end_users WHERE id = :endUserId)
      AND mode = :mode AND day >= :fromDay AND day < coalesce(:toDay, ${Number.MAX_SAFE_INTEGER})`

const statements: { readonly [kind in SqliteNeed['kind']]: string } = {
  application: `SELECT a.config_version, a.archived_at_ms, a.test_clock_offset_ms, p.key_caps_total_micros,
      p.key_cap_period
    FROM applications a LEFT JOIN portal_settings p ON p.application_id = a.id WHERE a.id = :id`,
  key: `SELECT application_id, end_user_id, mode, cap_micros, cap_period, rate_limits, last_used_at_ms,
      revoked_at_ms, expires_at_ms, line_id, coalesce(line_actor_type, actor_type) AS line_actor FROM keys
    WHERE id = :id AND end_user_id = :endUserId`,
  bundle: `SELECT b.application_id, b.slug AS bundle_slug, b.billing_interval, b.spend_limit_micros,
      b.spend_limit_period, b.rate_limits AS bundle_rate_limits, b.credit_currency, b.allow, b.deny, n.slug, n.display_name, n.unit, n.amount,
      n.price_micros, n.then_on_demand, n.recurring, n.spillover_to, n.models, n.since_ms, n.since_test_ms,
      n.until_ms, n.until_test_ms, n.is_undated, n.rollover_percent, n.rollover_periods, n.member_cap
    FROM bundles b LEFT JOIN (
      SELECT ${includeColumns}, NULL AS until_ms, NULL AS until_test_ms FROM bundle_includes WHERE bundle_id = :id
      UNION ALL SELECT ${includeColumns}, until_ms, until_test_ms FROM past_includes WHERE bundle_id = :id
    ) n ON n.bundle_id = b.id
    WHERE b.id = :id ORDER BY n.position, n.slug, n.since_ms`,
  aliases: 'SELECT name FROM aliases WHERE application_id = :applicationId',
  person: `SELECT application_id, bundle_id, subscribed_at_ms, bundle_since_ms, frozen_at_ms, removed_at_ms,
      payer_id, payer_cap_micros
    FROM end_users WHERE id = :endUserId`,
  owner: 'SELECT application_id FROM end_users WHERE id = :endUserId',
  sources: `SELECT a.on_demand_enabled, a.on_demand_limit_micros, a.on_demand_until_ms,
      a.on_demand_closed_until_ms, a.subscribed_at_ms, a.bundle_since_ms, a.plan_ends_at_ms, a.spend_limits,
      a.rate_limits, r.uses AS rate_uses, a.bundle_id AS own_bundle_id, s.*
    FROM (SELECT :endUserId AS end_user_id, :mode AS mode) w
    LEFT JOIN accounts a ON a.end_user_id = w.end_user_id AND a.mode = w.mode
    LEFT JOIN rate_uses r ON r.end_user_id = w.end_user_id AND r.mode = w.mode
    LEFT JOIN sources s ON s.end_user_id = w.end_user_id AND s.mode = w.mode
      AND (s.ends_at_ms IS NULL OR s.ends_at_ms > :nowMs OR (s.kind = 'pool' AND s.posted > 0) OR s.held > 0
        OR (s.rollover_periods IS NOT NULL AND s.ends_at_ms > :nowMs - ${rolloverKeptMs}))`,
  source: `SELECT * FROM sources WHERE end_user_id = :endUserId AND mode = :mode AND id = :sourceId`,
  quote: 'SELECT body FROM quotes WHERE id = :id',
  run: `SELECT status, capped_at_micros, spent_micros, calls, started_at_ms, last_call_at_ms FROM outcome_runs
    WHERE end_user_id = :endUserId AND mode = :mode AND outcome_slug = :slug AND run_id = :runId`,
  line_uses: `SELECT uses FROM line_rate_uses
    WHERE end_user_id = :endUserId AND mode = :mode AND line_id = :lineId`,
  // SQLite seeks the rows of each day in the time range (nouns/reports/sql-condition-for-usage-days.ts).
  spent: `SELECT coalesce(sum(charge_micros), 0) AS charge_micros FROM usage_days
    WHERE ${daysOfApplication} AND end_user_id = :endUserId AND day IN (
      WITH RECURSIVE span (day, last) AS (
        SELECT (SELECT min(day) FROM usage_days WHERE ${daysOfApplication}),
          (SELECT max(day) FROM usage_days WHERE ${daysOfApplication})
        UNION ALL SELECT day + 1, last FROM span WHERE day < last)
      SELECT day FROM span) AND (:spender = '${wholePerson}' OR key_id IN (
        SELECT id FROM keys WHERE id = :spender
        UNION ALL SELECT id FROM keys WHERE line_id = :spender
        UNION ALL SELECT id FROM keys WHERE :spender = '${portalLines}' AND end_user_id = :endUserId
          AND mode = :mode AND coalesce(line_actor_type, actor_type) = 'end_user'))`,
  grant: `SELECT id, request_hash, end_users, pending, done, created_at_ms FROM grants
      WHERE application_id = :applicationId AND id = :grantId AND :idempotencyKey IS NULL AND :paymentReference IS NULL
    UNION ALL SELECT id, request_hash, end_users, pending, done, created_at_ms FROM grants
      WHERE application_id = :applicationId AND mode = :mode AND idempotency_key = :idempotencyKey
    UNION ALL SELECT id, request_hash, end_users, pending, done, created_at_ms FROM grants
      WHERE application_id = :applicationId AND mode = :mode AND payment_reference = :paymentReference`,
  credits: `SELECT sequence, kind, amount, grant_id, idempotency_key FROM ledger
    WHERE end_user_id = :endUserId AND mode = :mode AND idempotency_key IS NOT NULL AND source_id = 'wallet'`,
  charged_call: `SELECT key_id, alias, target,
      CASE WHEN substr(trace, 1, 2) = '["' THEN substr(trace, 1, 80) ELSE trace END AS trace, outcome_slug, run_id, tags, token_source, quote_id,
      usage, billed_micros, charge_micros, worst_micros, legs, paid_plan_micros, paid_wallet_micros,
      paid_gift_micros, on_demand_micros, overdraft_micros
    FROM usage_records
    WHERE application_id = :applicationId AND call_id = :callId AND end_user_id = :endUserId`,
  corrections: `SELECT number, id, kind, charge_micros, billed_micros, legs, paid_plan_micros, paid_wallet_micros,
      paid_gift_micros, on_demand_micros, overdraft_micros, idempotency_key, request_hash
    FROM call_corrections WHERE application_id = :applicationId AND call_id = :callId ORDER BY number`,
  entry: `SELECT 1 FROM ledger
    WHERE end_user_id = :endUserId AND mode = :mode AND idempotency_key = :idempotencyKey`,
  holds: `SELECT h.*, o.ceiling_micros, k.line_id, coalesce(k.line_actor_type, k.actor_type) AS line_actor
    FROM holds h LEFT JOIN keys k ON k.id = h.key_id
    LEFT JOIN outcomes o ON o.application_id = h.application_id AND o.slug = h.outcome_slug`,
  // Do not join this query with `holds`: SQLite would read all slots again for each call.
  hold_slots: 'SELECT slot, c.value ->> 0 AS call_id FROM hold_slots, json_each(calls) c',
  hold_text: `SELECT c.value AS text FROM hold_slots, json_each(calls) c
    WHERE slot = :slot AND c.value ->> 0 = :callId`,
  slots: 'SELECT coalesce(max(slot) + 1, 0) AS slots FROM hold_slots',
  settled: `SELECT cost_micros, assumed_micros, billed_micros, charge_micros, over_hold_micros, wallet_posted_micros
    FROM usage_records WHERE application_id = :applicationId AND call_id = :callId`,
  state: `SELECT batch, ledger_sequence, days_through, through_day,
      (SELECT cycle FROM source_slots WHERE slot = 0) AS source_cycle, (${hasWaiting}) AS has_waiting
    FROM writer_state, usage_fold`,
  day_slots: `SELECT slot, days FROM writer_slots
    WHERE batch > (SELECT max(days_through) FROM writer_slots) ORDER BY batch, slot`,
}

interface Prepared {
  readonly statement: StatementSync
  /** In the order of the SQL parameters. */
  readonly fields: readonly string[]
}

export class SqliteLoad {
  readonly #prepared = new Map<string, Prepared>()

  constructor(connection: DatabaseSync) {
    for (const [kind, sql] of Object.entries(statements)) {
      const fields = [...new Set(sql.match(/(?<=:)\w+/g))]
      // Bind by position, because binding by name looks up each name every time.
      const statement = connection.prepare(
        sql.replaceAll(/:(\w+)/g, (_, field: string) => `?${1 + fields.indexOf(field)}`),
      )
      statement.setReadBigInts(true)
      this.#prepared.set(kind, { statement, fields })
    }
  }

  rows(need: SqliteNeed): SqlRow[] {
    const prepared = this.#prepared.get(need.kind)
    assert(prepared !== undefined, `no statement reads ${need.kind}`)
    return prepared.statement.all(...prepared.fields.map((field) => valueOf(need, field)))
  }
}
