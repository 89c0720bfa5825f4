/**
 * A single statement reads all needed rows of one kind. A need describes rows by the values of some fields. The
 * statement's parameters are arrays of these values for all needs. Each row of the result contains the number of its
 * need. Columns are listed one by one, because a prepared `SELECT *` fails after a migration has added a column.
 */
import { portalLines, wholePerson } from '#store/ledger/state-types.ts'
import { type Need, type PersonKey, valueOf } from '#store/ledger/rows-that-operation-needs.ts'
import type { SqlRow } from '#store/rows/read-row-strictly.ts'
import type { Sent } from './send-statements-together.ts'
import {
  chargedCallByPrimaryKey,
  onceForEachRow,
  oneOf,
  onShard,
  type Places,
} from './sql-for-sharded-tables.ts'

/** End users are missing here, because the lock has already read their rows. */
export type PostgresNeed =
  | Exclude<Need, { readonly kind: 'person' }>
  | { readonly kind: 'hold'; readonly endUserId: string; readonly callId: string }
  | ({ readonly kind: 'holds_of' } & PersonKey)
  | { readonly kind: 'settled'; readonly endUserId: string; readonly callId: string }

/** Thrown if a decision needs rows that are not loaded. The caller loads the rows and repeats all decisions. */
export class Missing extends Error {
  readonly need: PostgresNeed

  constructor(need: PostgresNeed) {
    super(`not loaded: ${nameOf(need)}`)
    this.need = need
  }
}

export class PostgresRows {
  readonly #found = new Map<string, SqlRow[]>()
  readonly #places: Places

  constructor(places: Places = null) {
    this.#places = places
  }

  /** @throws Missing */
  of(need: PostgresNeed): readonly SqlRow[] {
    const rows = this.#found.get(nameOf(need))
    if (rows === undefined) throw new Missing(need)
    return rows
  }

  /** Empty if no rows were read for the need. */
  found(need: PostgresNeed): readonly SqlRow[] {
    return this.#found.get(nameOf(need)) ?? []
  }

  has(need: PostgresNeed): boolean {
    return this.#found.has(nameOf(need))
  }

  add(need: PostgresNeed, rows: SqlRow[]): void {
    this.#found.set(nameOf(need), rows)
  }

  /** Each statement comes with the function that takes its rows. */
  reading(needs: Iterable<PostgresNeed>): { statement: Sent; take: (rows: readonly SqlRow[]) => void }[] {
    const byKind = new Map<PostgresNeed['kind'], Map<string, PostgresNeed>>()
    for (const need of needs) {
      const name = nameOf(need)
      if (this.#found.has(name)) continue
      const some = byKind.get(need.kind)
      if (some === undefined) byKind.set(need.kind, new Map([[name, need]]))
      else some.set(name, need)
    }
    return [...byKind].map(([kind, some]) => {
      const names = [...some.keys()]
      return {
        statement: statementFor(kind, [...some.values()], this.#places),
        take: (rows) => {
          for (const name of names) this.#found.set(name, [])
          for (const row of rows) this.#found.get(names[Number(row.i) - 1] ?? '')?.push(row)
        },
      }
    })
  }
}

function nameOf(need: PostgresNeed): string {
  let name: string = need.kind
  for (const field of preparedFor(need.kind).fields) name += `\n${valueOf(need, field)}`
  return name
}

/** Every column of `holds`, the ceiling of the run's outcome, and the key line of the key. */
const hold = `h.call_id, h.application_id, h.end_user_id, h.key_id, h.mode, h.quote_id, h.bound,
  h.worst_micros, h.worst_credits, h.legs, h.outcome_slug, h.run_id, h.target, h.input_estimate,
  h.epoch, h.reserved_at_ms, h.dispatched_at_ms, h.checkpoint, h.attempts, o.ceiling_micros,
  k.line_id, coalesce(k.line_actor_type, k.actor_type) AS line_actor`
const ceilingAndLine = `LEFT JOIN outcomes o ON o.application_id = ${oneOf('h.application_id')} AND o.slug = h.outcome_slug
      LEFT JOIN keys k ON k.end_user_id = w.end_user_id AND k.id = h.key_id`

const includeColumns = `bundle_id, slug, display_name, unit, amount, price_micros, then_on_demand, recurring,
        spillover_to, models, position, since_ms, since_test_ms, is_undated, rollover_percent, rollover_periods, member_cap`

const grantColumns = 'o.id, o.request_hash, o.end_users, o.pending, o.done, o.created_at_ms'

/** Table `w` contains one row for each need, with the columns that `fields` lists. */
const kinds: { readonly [kind in PostgresNeed['kind']]: { readonly fields: string; readonly text: string } } =
  {
    application: {
      fields: 'id text',
      text: `SELECT w.i, a.config_version, a.archived_at_ms, a.test_clock_offset_ms, p.key_caps_total_micros,
        p.key_cap_period, coalesce(c.number, 0) AS bundle_changes
      FROM w JOIN applications a ON a.id = w.id LEFT JOIN portal_settings p ON p.application_id = a.id
      LEFT JOIN bundle_changes c ON c.application_id = a.id`,
    },
    key: {
      fields: 'id text, end_user_id text',
      text: `SELECT w.i, k.application_id, k.end_user_id, k.mode, k.cap_micros, k.cap_period,
        k.rate_limits, k.last_used_at_ms, k.revoked_at_ms, k.expires_at_ms, k.line_id,
        coalesce(k.line_actor_type, k.actor_type) AS line_actor
      FROM w JOIN keys k ON k.end_user_id = w.end_user_id AND k.id = w.id`,
    },
    bundle: {
      fields: 'id text',
      text: `SELECT w.i, b.application_id, b.slug AS bundle_slug, b.billing_interval, b.spend_limit_micros,
        b.spend_limit_period, b.rate_limits AS bundle_rate_limits, b.credit_currency, b.allow, b.deny, n.slug, n.display_name, n.unit, n.amount,
        n.price_micros, n.then_on_demand, n.recurring, n.spillover_to, n.models, n.since_ms, n.since_test_ms,
        n.until_ms, n.until_test_ms, n.is_undated, n.rollover_percent, n.rollover_periods, n.member_cap
      FROM w JOIN bundles b ON b.id = w.id LEFT JOIN (
        SELECT ${includeColumns}, NULL::int8 AS until_ms, NULL::int8 AS until_test_ms FROM bundle_includes
        UNION ALL SELECT ${includeColumns}, until_ms, until_test_ms FROM past_includes
      ) n ON n.bundle_id = b.id
      ORDER BY w.i, n.position, n.slug, n.since_ms`,
    },
    aliases: {
      fields: 'application_id text',
      text: `SELECT w.i, a.name FROM w JOIN aliases a ON a.application_id = w.application_id`,
    },
    owner: {
      fields: 'end_user_id text',
      text: `SELECT w.i, u.application_id FROM w JOIN end_users u ON u.id = w.end_user_id`,
    },
    sources: {
      fields: 'end_user_id text, mode text',
      text: `SELECT w.i, a.on_demand_enabled, a.on_demand_limit_micros, a.on_demand_until_ms,
        a.on_demand_closed_until_ms, a.subscribed_at_ms, a.bundle_since_ms, a.plan_ends_at_ms, a.spend_limits,
        a.rate_limits, r.uses AS rate_uses, a.bundle_id AS own_bundle_id,
        s.id, s.kind, s.unit, s.posted, s.held, s.given,
        s.last_entry, s.slug, s.display_name, s.currency, s.granted, s.withheld, s.expired, s.bundle_id, s.models,
        s.rank_models, s.price_micros, s.sequence, s.spillover_to, s.then_on_demand, s.recurring,
        s.rollover_percent, s.rollover_periods, s.rolled, s.member_cap, s.payer_id, s.starts_at_ms, s.ends_at_ms
      FROM w LEFT JOIN accounts a ON a.end_user_id = w.end_user_id AND a.mode = w.mode
      LEFT JOIN rate_uses r ON r.end_user_id = w.end_user_id AND r.mode = w.mode
      LEFT JOIN sources s ON s.end_user_id = w.end_user_id AND s.mode = w.mode
      ORDER BY w.i, s.id`,
    },
    source: {
      fields: 'source_id text, end_user_id text, mode text',
      text: `SELECT w.i, s.id, s.kind, s.posted, s.held, s.last_entry, s.payer_id, s.starts_at_ms, s.ends_at_ms
      FROM w JOIN sources s ON s.end_user_id = w.end_user_id AND s.mode = w.mode AND s.id = w.source_id`,
    },
    hold: {
      fields: 'end_user_id text, call_id text',
      text: `SELECT w.i, ${hold}
      FROM w JOIN holds h ON h.end_user_id = ${oneOf('w.end_user_id')} AND h.call_id = w.call_id ${ceilingAndLine}`,
    },
    holds_of: {
      fields: 'end_user_id text, mode text',
      text: `SELECT w.i, ${hold}
      FROM w JOIN holds h ON h.end_user_id = ${oneOf('w.end_user_id')} AND h.mode = w.mode ${ceilingAndLine}`,
    },
    quote: {
      fields: 'id text',
      text: `SELECT w.i, q.body FROM w JOIN quotes q ON q.id = w.id`,
    },
    settled: {
      fields: 'end_user_id text, call_id text',
      text: `SELECT w.i, u.application_id, u.cost_micros, u.assumed_micros, u.billed_micros, u.charge_micros, u.over_hold_micros,
        u.wallet_posted_micros
      FROM w JOIN usage_records u ON ${chargedCallByPrimaryKey}`,
    },
    run: {
      fields: 'slug text, run_id text, end_user_id text, mode text',
      text: `SELECT w.i, r.status, r.capped_at_micros, r.spent_micros, r.calls, r.started_at_ms, r.last_call_at_ms
      FROM w JOIN outcome_runs r ON r.end_user_id = w.end_user_id AND r.mode = w.mode
        AND r.outcome_slug = w.slug AND r.run_id = w.run_id`,
    },
    line_uses: {
      fields: 'line_id text, end_user_id text, mode text',
      text: `SELECT w.i, u.uses FROM w JOIN line_rate_uses u ON u.end_user_id = w.end_user_id AND u.mode = w.mode
        AND u.line_id = w.line_id`,
    },
    spent: {
      fields: 'spender text, from_day int8, to_day int8, end_user_id text, mode text',
      text: `SELECT w.i, coalesce(sum(d.charge_micros), 0) AS charge_micros
      FROM w LEFT JOIN LATERAL (
        SELECT array_agg(line.id) AS keys FROM (
          SELECT k.id FROM keys k WHERE k.end_user_id = w.end_user_id AND k.id = w.spender
          UNION ALL SELECT k.id FROM keys k WHERE k.end_user_id = w.end_user_id AND k.line_id = w.spender
          UNION ALL SELECT k.id FROM keys k WHERE w.spender = '${portalLines}' AND k.end_user_id = w.end_user_id
            AND k.mode = w.mode AND coalesce(k.line_actor_type, k.actor_type) = 'end_user'
        ) line
      ) of ON w.spender <> '${wholePerson}'
      LEFT JOIN usage_days d ON d.end_user_id = w.end_user_id AND d.mode = w.mode
        AND d.day >= w.from_day AND (w.to_day IS NULL OR d.day < w.to_day)
        AND (w.spender = '${wholePerson}' OR d.key_id = ANY (of.keys))
      GROUP BY w.i`,
    },
    grant: {
      fields: 'application_id text, mode text, grant_id text, idempotency_key text, payment_reference text',
      // With OR instead of UNION, PostgreSQL would use the indexes without their first column, the application.
      text: `SELECT w.i, g.id, g.request_hash, g.end_users, g.pending, g.done, g.created_at_ms
      FROM w JOIN LATERAL (
        SELECT ${grantColumns} FROM grants o
        WHERE o.application_id = w.application_id AND o.id = w.grant_id AND w.idempotency_key IS NULL
          AND w.payment_reference IS NULL
        UNION SELECT ${grantColumns} FROM grants o
        WHERE o.application_id = w.application_id AND o.mode = w.mode AND o.idempotency_key = w.idempotency_key
        UNION SELECT ${grantColumns} FROM grants o
        WHERE o.application_id = w.application_id AND o.mode = w.mode AND o.payment_reference = w.payment_reference
      ) g ON true`,
    },
    credits: {
      fields: 'end_user_id text, mode text',
      text: `SELECT w.i, l.sequence, l.kind, l.amount, l.grant_id, l.idempotency_key
      FROM w JOIN LATERAL (
        SELECT e.sequence, e.kind, e.amount, e.grant_id, e.idempotency_key FROM ledger e
        WHERE e.end_user_id = w.end_user_id AND e.mode = w.mode AND e.idempotency_key IS NOT NULL
          AND e.source_id = 'wallet' ${onceForEachRow}
      ) l ON true`,
    },
    charged_call: {
      fields: 'application_id text, end_user_id text, call_id text',
      text: `SELECT w.i, u.key_id, u.alias, u.target,
      CASE WHEN substr(u.trace, 1, 2) = '["' THEN substr(u.trace, 1, 80) ELSE u.trace END AS trace, u.outcome_slug, u.run_id, u.tags, u.token_source, u.quote_id,
      u.usage, u.billed_micros, u.charge_micros, u.worst_micros, u.legs, u.paid_plan_micros, u.paid_wallet_micros,
      u.paid_gift_micros, u.on_demand_micros, u.overdraft_micros
      FROM w JOIN usage_records u ON ${chargedCallByPrimaryKey}
        AND (u.application_id = w.application_id) IS TRUE`,
    },
    corrections: {
      fields: 'application_id text, end_user_id text, call_id text',
      text: `SELECT w.i, c.number, c.id, c.kind, c.charge_micros, c.billed_micros, c.legs, c.paid_plan_micros, c.paid_wallet_micros,
      c.paid_gift_micros, c.on_demand_micros, c.overdraft_micros, c.idempotency_key, c.request_hash
      FROM w JOIN call_corrections c ON c.end_user_id = w.end_user_id AND c.application_id = w.application_id
        AND c.call_id = w.call_id
      ORDER BY w.i, c.number`,
    },
    entry: {
      fields: 'idempotency_key text, end_user_id text, mode text',
      text: `SELECT w.i, 1 AS found
      FROM w JOIN LATERAL (
        SELECT 1 FROM ledger l WHERE l.end_user_id = w.end_user_id AND l.mode = w.mode
          AND l.idempotency_key = w.idempotency_key ${onceForEachRow}
      ) found ON true`,
    },
  }

interface Prepared {
  /** The fields by which a need's rows are found, in the order of the statement's array parameters. */
  readonly fields: readonly string[]
  readonly text: string
}

const prepared = new Map<PostgresNeed['kind'], Prepared>()

function statementFor(kind: PostgresNeed['kind'], needs: readonly PostgresNeed[], places: Places): Sent {
  const { fields, text } = preparedFor(kind)
  const values = fields.map((field) => needs.map((need) => valueOf(need, field)))
  return onShard({ name: `load_${kind}`, text, values }, places)
}

function preparedFor(kind: PostgresNeed['kind']): Prepared {
  const known = prepared.get(kind)
  if (known !== undefined) return known
  const columns = kinds[kind].fields.split(', ').map((column) => column.split(' '))
  const names = columns.map(([name = '']) => name)
  const arrays = columns.map(([, type = ''], at) => `$${at + 1}::${type}[]`)
  const made: Prepared = {
    // For example, column `end_user_id` is read from the field `endUserId`.
    fields: names.map((name) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())),
    text: `WITH w AS (SELECT * FROM unnest(${arrays.join(', ')}) WITH ORDINALITY AS w(${names.join(', ')}, i))
      ${kinds[kind].text}`,
  }
  prepared.set(kind, made)
  return made
}
