/**
 * Does the store add up? Every balance is computed again from the ledger, and every invariant of
 * design 3.9 that rows can show is looked at, on one snapshot, without writing and without loading
 * more than a row at a time. It may run beside a server. It changes nothing: a difference is for a
 * person to look at, and an automatic correction would only hide what caused it.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { chargeOf } from '#money/ceiling.ts'
import { costOf } from '#money/cost.ts'
import type { Leg, Quote } from '#money/hold.ts'
import { openConnection, scalar } from './engines/sqlite-connection.ts'
import { legsFromText, quoteFromText, usageFromText } from './ledger/codec.ts'
import { bigintIn, numberOrNullIn, type SqlRow, textIn } from './ledger/row.ts'
import { assertMigrated } from './migrate.ts'

export interface Verification {
  readonly check: string
  /** How many rows were looked at. */
  readonly rows: number
  /** The first difference, and how many more there are; null: all of it adds up. */
  readonly difference: string | null
}

/** One result per check, in a fixed order. @throws when the file cannot be read as this store */
export function verifySqlite(path: string): Verification[] {
  const connection = openConnection(path, 'read')
  try {
    assertMigrated(connection)
    // One transaction: a server that writes meanwhile is not seen, from here to the end.
    connection.exec('BEGIN')
    return [
      fileCheck(connection),
      ...rowChecks.map((check) => runRowCheck(connection, check)),
      ...callChecks(connection),
    ]
  } finally {
    connection.close()
  }
}

interface RowCheck {
  readonly check: string
  readonly rows: string
  /** Answers one row with a `difference` for each thing that is wrong. */
  readonly broken: string
}

/** Source and owner, as a difference names them. */
const source = `source_id || ' of ' || end_user_id || ' (' || mode || ')'`

const rowChecks: readonly RowCheck[] = [
  {
    check: 'every entry follows the one before it of its source',
    rows: 'SELECT count(*) FROM ledger',
    broken: `SELECT 'entry ' || l.sequence || ': balance ' || l.balance_after || ' after ' || l.amount ||
        ' on ' || coalesce(p.balance_after, 0) AS difference
      FROM ledger l LEFT JOIN ledger p ON p.sequence = l.previous
      WHERE l.balance_after <> coalesce(p.balance_after, 0) + l.amount
        OR (l.previous IS NOT NULL AND (p.sequence IS NULL OR p.sequence >= l.sequence
          OR p.end_user_id <> l.end_user_id OR p.mode <> l.mode OR p.source_id <> l.source_id))`,
  },
  {
    check: 'the entries of a source are one chain, and the source names its end',
    rows: 'SELECT count(*) FROM sources',
    broken: `SELECT ${source} || ': ' || note AS difference FROM (
        SELECT l.end_user_id, l.mode, l.source_id, count(*) || ' first entries' AS note
          FROM ledger l WHERE l.previous IS NULL GROUP BY 1, 2, 3 HAVING count(*) > 1
        UNION ALL
        SELECT l.end_user_id, l.mode, l.source_id, 'two entries after ' || l.previous
          FROM ledger l WHERE l.previous IS NOT NULL GROUP BY l.previous HAVING count(*) > 1
        UNION ALL
        SELECT l.end_user_id, l.mode, l.source_id, 'ends at ' || max(l.sequence) || ', the row says ' ||
            coalesce(s.last_entry, 'nothing')
          FROM ledger l LEFT JOIN sources s
            ON s.end_user_id = l.end_user_id AND s.mode = l.mode AND s.id = l.source_id
          GROUP BY 1, 2, 3 HAVING max(l.sequence) IS NOT s.last_entry
        UNION ALL
        SELECT s.end_user_id, s.mode, s.id, 'its newest entry is not there' FROM sources s
          WHERE s.last_entry IS NOT NULL AND NOT EXISTS (SELECT 1 FROM ledger WHERE sequence = s.last_entry))`,
  },
  {
    check: 'every balance is the sum of its ledger',
    rows: 'SELECT count(*) FROM sources',
    broken: `SELECT s.id || ' of ' || s.end_user_id || ' (' || s.mode || '): posted ' || s.posted ||
        ', ledger ' || coalesce(l.amount, 0) AS difference
      FROM sources s LEFT JOIN (
        SELECT end_user_id, mode, source_id, sum(amount) AS amount FROM ledger GROUP BY 1, 2, 3
      ) l ON l.end_user_id = s.end_user_id AND l.mode = s.mode AND l.source_id = s.id
      WHERE s.posted <> coalesce(l.amount, 0)`,
  },
  {
    check: 'entries are in the unit of their source',
    rows: 'SELECT count(*) FROM ledger',
    broken: `SELECT 'entry ' || l.sequence || ' is in ' || l.unit || ', its source in ' || s.unit AS difference
      FROM ledger l JOIN sources s ON s.end_user_id = l.end_user_id AND s.mode = l.mode AND s.id = l.source_id
      WHERE l.unit <> s.unit`,
  },
  {
    check: 'what is held is what calls in flight hold',
    rows: 'SELECT count(*) FROM holds',
    broken: `WITH legs AS (
        SELECT h.end_user_id, h.mode, json_extract(leg.value, '$[0]') AS source_id,
          sum(CAST(json_extract(leg.value, '$[3]') AS INTEGER)) AS amount
        FROM holds h, json_each(h.legs) leg GROUP BY 1, 2, 3)
      SELECT coalesce(s.id, l.source_id) || ' of ' || coalesce(s.end_user_id, l.end_user_id) || ' (' ||
        coalesce(s.mode, l.mode) || '): held ' || coalesce(s.held, 0) || ', calls hold ' ||
        coalesce(l.amount, 0) AS difference
      FROM sources s FULL JOIN legs l
        ON l.end_user_id = s.end_user_id AND l.mode = s.mode AND l.source_id = s.id
      WHERE coalesce(s.held, 0) <> coalesce(l.amount, 0)`,
  },
  {
    check: 'a hold is what its legs add up to',
    rows: 'SELECT count(*) FROM holds',
    broken: `SELECT 'call ' || call_id || ': holds ' || worst_micros || ', legs ' || micros AS difference FROM (
        SELECT h.call_id, h.worst_micros, coalesce((
          SELECT sum(CAST(json_extract(value, '$[4]') AS INTEGER)) FROM json_each(h.legs)), 0) AS micros
        FROM holds h) WHERE worst_micros <> micros`,
  },
  {
    check: 'no pool and no month of on-demand is overdrawn',
    rows: `SELECT count(*) FROM sources WHERE kind <> 'wallet'`,
    broken: `SELECT id || ' of ' || end_user_id || ' (' || mode || '): posted ' || posted || ', held ' || held
        AS difference
      FROM sources WHERE (kind = 'pool' AND posted - held < 0) OR (kind = 'on_demand' AND posted > 0)`,
  },
  {
    check: 'a wallet is below 0 only for a cause',
    rows: `SELECT count(*) FROM sources WHERE kind = 'wallet'`,
    broken: `SELECT s.id || ' of ' || s.end_user_id || ' (' || s.mode || '): ' || s.posted || ' without a cause'
        AS difference
      FROM sources s WHERE s.kind = 'wallet' AND s.posted < 0 AND NOT EXISTS (
        SELECT 1 FROM ledger l
        LEFT JOIN usage_records u ON u.application_id = l.application_id AND u.call_id = l.call_id
        LEFT JOIN quotes q ON q.id = u.quote_id
        WHERE l.end_user_id = s.end_user_id AND l.mode = s.mode AND l.source_id = s.id AND (
          l.kind IN ('reversal', 'adjustment')
          OR json_extract(q.body, '$.policy') IN ('grace', 'complete_message')))`,
  },
  {
    check: 'a call is in flight or has ended',
    rows: 'SELECT count(*) FROM holds',
    broken: `SELECT 'call ' || h.call_id || ' is both' AS difference
      FROM holds h JOIN usage_records u ON u.application_id = h.application_id AND u.call_id = h.call_id`,
  },
  {
    check: 'the day sums are the sums of the usage records',
    rows: 'SELECT count(*) FROM usage_days',
    broken: `WITH records AS (
        SELECT end_user_id, mode, settled_at_ms / 86400000 AS day, key_id, alias, count(*) AS calls,
          sum(input_tokens) AS input_tokens, sum(output_tokens) AS output_tokens,
          sum(cost_micros) AS cost_micros, sum(billed_micros) AS billed_micros,
          sum(charge_micros) AS charge_micros
        FROM usage_records GROUP BY 1, 2, 3, 4, 5)
      SELECT coalesce(d.alias, r.alias) || ' of ' || coalesce(d.end_user_id, r.end_user_id) || ' on day ' ||
        coalesce(d.day, r.day) || ': ' || coalesce(d.calls, 0) || ' calls for ' ||
        coalesce(d.charge_micros, 0) || ', records say ' || coalesce(r.calls, 0) || ' for ' ||
        coalesce(r.charge_micros, 0) AS difference
      FROM usage_days d FULL JOIN records r ON r.end_user_id = d.end_user_id AND r.mode = d.mode
        AND r.day = d.day AND r.key_id = d.key_id AND r.alias = d.alias
      WHERE (d.calls, d.input_tokens, d.output_tokens, d.cost_micros, d.billed_micros, d.charge_micros)
        IS NOT (r.calls, r.input_tokens, r.output_tokens, r.cost_micros, r.billed_micros, r.charge_micros)`,
  },
  {
    check: 'runs have spent what their calls were charged',
    rows: 'SELECT count(*) FROM outcome_runs',
    broken: `WITH records AS (
        SELECT end_user_id, mode, outcome_slug, run_id, sum(charge_micros) AS micros
        FROM usage_records WHERE run_id IS NOT NULL GROUP BY 1, 2, 3, 4)
      SELECT coalesce(o.run_id, r.run_id) || ' of ' || coalesce(o.end_user_id, r.end_user_id) || ': spent ' ||
        coalesce(o.spent_micros, 0) || ', records say ' || coalesce(r.micros, 0) AS difference
      FROM outcome_runs o FULL JOIN records r ON r.end_user_id = o.end_user_id AND r.mode = o.mode
        AND r.outcome_slug = o.outcome_slug AND r.run_id = o.run_id
      WHERE coalesce(o.spent_micros, 0) <> coalesce(r.micros, 0)`,
  },
  {
    check: 'periods of a pool follow each other',
    rows: `SELECT count(*) FROM sources WHERE kind <> 'wallet'`,
    broken: `SELECT id || ' of ' || end_user_id || ' (' || mode || ') starts before ' || before || ' ends'
        AS difference
      FROM (
        SELECT id, end_user_id, mode, starts_at_ms, ends_at_ms,
          lag(ends_at_ms) OVER one AS before_ends, lag(id) OVER one AS before
        FROM sources WHERE kind <> 'wallet' AND ends_at_ms IS NOT NULL
        WINDOW one AS (PARTITION BY end_user_id, mode, kind, bundle_id, slug ORDER BY starts_at_ms, ends_at_ms))
      WHERE starts_at_ms < before_ends OR ends_at_ms < starts_at_ms`,
  },
  {
    check: 'a finished grant reached each of its people once',
    rows: 'SELECT count(*) FROM grants',
    broken: `SELECT 'grant ' || g.id || ': for ' || g.end_users || ', entries ' || count(l.sequence) AS difference
      FROM grants g LEFT JOIN ledger l ON l.grant_id = g.id AND l.application_id = g.application_id
      WHERE g.pending IS NULL GROUP BY g.application_id, g.id HAVING count(l.sequence) <> g.end_users`,
  },
  {
    check: 'the next entry gets a new number',
    rows: 'SELECT 1',
    broken: `SELECT 'entries reach ' || max(sequence) || ', the writer is at ' ||
        (SELECT ledger_sequence FROM writer_state) AS difference
      FROM ledger HAVING max(sequence) > (SELECT ledger_sequence FROM writer_state)`,
  },
]

function runRowCheck(connection: DatabaseSync, { check, rows, broken }: RowCheck): Verification {
  const found = new Differences()
  for (const row of connection.prepare(broken).iterate()) found.add(String(row.difference))
  return { check, rows: Number(scalar(connection, rows)), difference: found.text() }
}

function fileCheck(connection: DatabaseSync): Verification {
  const found = new Differences()
  for (const row of connection.prepare('PRAGMA integrity_check(10)').iterate()) {
    if (row.integrity_check !== 'ok') found.add(String(row.integrity_check))
  }
  for (const row of connection.prepare('PRAGMA foreign_key_check').iterate()) {
    found.add(`a row of ${String(row.table)} names one of ${String(row.parent)} that is not there`)
  }
  return {
    check: 'the file is whole',
    rows: Number(scalar(connection, 'PRAGMA page_count')),
    difference: found.text(),
  }
}

/** What needs the rules of money/: each usage record rated again, and matched with its debits. */
function callChecks(connection: DatabaseSync): Verification[] {
  const rating = new Differences()
  const debits = new Differences()
  const quotes = new Quotes(connection)
  const entries = new DebitsOfCall(connection)
  const records = connection.prepare('SELECT * FROM usage_records')
  records.setReadBigInts(true)
  let rows = 0
  for (const record of records.iterate()) {
    rows += 1
    const call = textIn(record, 'call_id')
    const legs = legsFromText(textIn(record, 'legs'))
    for (const fault of ratingFaults(record, legs, quotes.get(textIn(record, 'quote_id')))) {
      rating.add(`call ${call}: ${fault}`)
    }
    const fault = entries.fault(record, legs)
    if (fault !== null) debits.add(`call ${call}: ${fault}`)
  }
  const all = Number(scalar(connection, `SELECT count(*) FROM ledger WHERE kind = 'usage_debit'`))
  if (all !== entries.matched) debits.add(`${all} debits on the ledger, ${entries.matched} belong to a call`)
  return [
    { check: 'rating a call again gives the same amounts', rows, difference: rating.text() },
    { check: 'what a call took is on the ledger, source by source', rows, difference: debits.text() },
  ]
}

function ratingFaults(record: SqlRow, legs: readonly Leg[], quote: Quote): string[] {
  const usage = usageFromText(textIn(record, 'usage'))
  const worstMicros = bigintIn(record, 'worst_micros')
  const cost = costOf(usage, quote.cost).amount
  const billed = costOf(usage, quote.sell).amount
  const used = quote.basis === 'sell_price' ? billed : cost
  // Credits are bounded by the same share of the hold, which the row does not keep: micros decide.
  const charge = chargeOf({ micros: used, credits: 0n }, { quote, worstMicros, worstCredits: 0n }).micros
  const paid = legs.reduce((sum, leg) => sum + leg.micros, 0n)
  const faults: string[] = []
  const expect = (name: string, stored: bigint, rated: bigint): void => {
    if (stored !== rated) faults.push(`${name} ${stored}, rated again ${rated}`)
  }
  expect('cost', bigintIn(record, 'cost_micros'), cost)
  expect('billed', bigintIn(record, 'billed_micros'), billed)
  expect('charge', bigintIn(record, 'charge_micros'), charge)
  expect('over hold', bigintIn(record, 'over_hold_micros'), used > worstMicros ? used - worstMicros : 0n)
  expect('legs', paid, charge)
  return faults
}

class DebitsOfCall {
  matched = 0
  readonly #entries: StatementSync

  constructor(connection: DatabaseSync) {
    this.#entries = connection.prepare(
      `SELECT source_id, kind, amount FROM ledger WHERE sequence >= ? AND sequence < ? AND call_id = ?`,
    )
    this.#entries.setReadBigInts(true)
  }

  /** Null: each source gave on the ledger what its legs say. */
  fault(record: SqlRow, legs: readonly Leg[]): string | null {
    const owed = new Map<string, bigint>()
    for (const { sourceId, amount } of legs) owed.set(sourceId, (owed.get(sourceId) ?? 0n) + amount)
    const first = numberOrNullIn(record, 'first_entry')
    if (first !== null) {
      for (const entry of this.#entries.all(first, first + legs.length, textIn(record, 'call_id'))) {
        if (textIn(entry, 'kind') !== 'usage_debit') continue
        this.matched += 1
        const sourceId = textIn(entry, 'source_id')
        owed.set(sourceId, (owed.get(sourceId) ?? 0n) + bigintIn(entry, 'amount'))
      }
    }
    for (const [sourceId, left] of owed) {
      if (left !== 0n) return `${sourceId} owes the ledger ${left}`
    }
    return null
  }
}

class Quotes {
  readonly #body: StatementSync
  readonly #known = new Map<string, Quote>()

  constructor(connection: DatabaseSync) {
    this.#body = connection.prepare('SELECT body FROM quotes WHERE id = ?')
  }

  get(id: string): Quote {
    let quote = this.#known.get(id)
    if (quote === undefined) {
      const row = this.#body.get(id)
      if (row === undefined) throw new Error(`quote ${id} of a usage record is not stored`)
      quote = quoteFromText(id, textIn(row, 'body'))
      if (this.#known.size >= 10_000) this.#known.clear()
      this.#known.set(id, quote)
    }
    return quote
  }
}

/** The first one, and how many there were. */
class Differences {
  #first: string | null = null
  #count = 0

  add(difference: string): void {
    this.#first ??= difference
    this.#count += 1
  }

  text(): string | null {
    return this.#count > 1 ? `${this.#first} (and ${this.#count - 1} more)` : this.#first
  }
}
