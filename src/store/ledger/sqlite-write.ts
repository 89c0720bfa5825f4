/** The rows that a batch writes. Prepared once, bound by position, one statement per row. */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { RequestRecord } from '#domain/ledger.ts'
import type { Quote } from '#money/hold.ts'
import type { GrantTerms, HoldSlot, NewEntry, NewUsageRecord, Person, RunCell, SourceCell } from './book.ts'
import { quoteToText, usageToText } from './codec.ts'
import type { DaySum } from './day-sums.ts'
import { sourceValues } from './source-row.ts'
import { openHoldsToText } from './sqlite-holds.ts'

/** Called before each statement, by what it writes: tests make it throw (sqlite.ts). */
export type Step = (point: WritePoint) => void
export type WritePoint =
  | 'quote'
  | 'hold'
  | 'ledger'
  | 'usage'
  | 'request'
  | 'grant'
  | 'source'
  | 'day'
  | 'run'
  | 'key'
  | 'state'

export class SqliteWrite {
  readonly #step: Step
  readonly #quote: StatementSync
  readonly #holdSlot: StatementSync
  readonly #entry: StatementSync
  readonly #usage: StatementSync
  readonly #request: StatementSync
  readonly #addSource: StatementSync
  readonly #changeSource: StatementSync
  readonly #day: StatementSync
  readonly #addRun: StatementSync
  readonly #changeRun: StatementSync
  readonly #key: StatementSync
  readonly #addGrant: StatementSync
  readonly #finishGrant: StatementSync
  readonly #state: StatementSync

  constructor(connection: DatabaseSync, step: Step) {
    this.#step = step
    const insert = (table: string, columns: string, rest = ''): StatementSync => {
      const places = columns.replaceAll(/\w+/g, '?')
      return connection.prepare(`INSERT INTO ${table} (${columns}) VALUES (${places}) ${rest}`)
    }
    this.#quote = insert('quotes', 'id, body', 'ON CONFLICT DO NOTHING')
    this.#holdSlot = connection.prepare('INSERT OR REPLACE INTO hold_slots (slot, calls) VALUES (?, ?)')
    this.#entry = insert(
      'ledger',
      `sequence, previous, end_user_id, mode, application_id, source_id, kind, unit, amount, balance_after,
       call_id, grant_id, reason, idempotency_key, created_at_ms`,
    )
    this.#usage = insert(
      'usage_records',
      `application_id, call_id, end_user_id, key_id, mode, alias, target, streamed, input_tokens,
       output_tokens, usage, token_source, cost_micros, billed_micros, charge_micros, over_hold_micros,
       worst_micros, wallet_posted_micros, legs, quote_id, outcome_slug, run_id, settled_at_ms, first_entry,
       wire, http_status, error_code, at_ms, latency_ms, first_byte_ms, trace`,
    )
    // A record is told once. Of two under one id the first stays, and no one's money stops for it.
    this.#request = insert(
      'requests',
      `application_id, call_id, mode, end_user_id, key_id, alias, wire, streamed, status, http_status,
       error_code, at_ms, latency_ms, first_byte_ms, trace`,
      'ON CONFLICT DO NOTHING',
    )
    this.#addSource = insert(
      'sources',
      `end_user_id, mode, id, kind, unit, posted, held, last_entry, slug, display_name, currency, granted,
       bundle_id, models, rank_models, is_paid, sequence, spillover_to, then_on_demand, recurring,
       starts_at_ms, ends_at_ms`,
    )
    this.#changeSource = connection.prepare(
      'UPDATE sources SET posted = ?, held = ?, last_entry = ? WHERE end_user_id = ? AND mode = ? AND id = ?',
    )
    this.#day = insert(
      'usage_days',
      `end_user_id, mode, day, key_id, alias, application_id, calls, input_tokens, output_tokens,
       cost_micros, billed_micros, charge_micros`,
      `ON CONFLICT DO UPDATE SET calls = calls + excluded.calls,
         input_tokens = input_tokens + excluded.input_tokens,
         output_tokens = output_tokens + excluded.output_tokens,
         cost_micros = cost_micros + excluded.cost_micros,
         billed_micros = billed_micros + excluded.billed_micros,
         charge_micros = charge_micros + excluded.charge_micros`,
    )
    this.#addRun = insert(
      'outcome_runs',
      `status, spent_micros, calls, last_call_at_ms, end_user_id, mode, outcome_slug, run_id,
       application_id, started_at_ms`,
    )
    this.#changeRun = connection.prepare(
      `UPDATE outcome_runs SET status = ?, spent_micros = ?, calls = ?, last_call_at_ms = ?
       WHERE end_user_id = ? AND mode = ? AND outcome_slug = ? AND run_id = ?`,
    )
    this.#key = connection.prepare('UPDATE keys SET last_used_at_ms = ? WHERE id = ?')
    this.#addGrant = insert(
      'grants',
      `application_id, id, mode, kind, amount_micros, reason, idempotency_key, request_hash, end_users,
       pending, created_at_ms`,
    )
    this.#finishGrant = connection.prepare(
      'UPDATE grants SET pending = NULL WHERE application_id = ? AND id = ?',
    )
    this.#state = connection.prepare('UPDATE writer_state SET batch = ?, ledger_sequence = ? WHERE id = 1')
  }

  quote(quote: Quote): void {
    this.#step('quote')
    this.#quote.run(quote.id, quoteToText(quote))
  }

  holdSlot({ id, calls }: HoldSlot): void {
    this.#step('hold')
    this.#holdSlot.run(id, openHoldsToText(calls))
  }

  entry(sequence: number, entry: NewEntry): void {
    this.#step('ledger')
    const { person, cell } = entry
    this.#entry.run(
      sequence,
      cell.lastEntry,
      person.endUserId,
      person.mode,
      person.applicationId,
      cell.source.id,
      entry.kind,
      entry.unit,
      entry.amount,
      cell.source.posted,
      entry.callId,
      entry.grantId,
      entry.reason,
      entry.idempotencyKey,
      entry.atMs,
    )
  }

  usage(record: NewUsageRecord): void {
    this.#step('usage')
    const { open, usage, result, went } = record
    const { hold, person, outcome } = open
    this.#usage.run(
      open.applicationId,
      hold.callId,
      person.endUserId,
      open.keyId,
      person.mode,
      hold.bound.alias,
      open.targetText,
      went.streamed ? 1 : 0,
      record.inputTokens,
      usage.output,
      usageToText(usage),
      record.tokenSource,
      result.costMicros,
      result.billedMicros,
      result.chargeMicros,
      result.overHoldMicros,
      hold.worstMicros,
      result.walletPostedMicros,
      record.legsText,
      hold.quote.id,
      outcome === null ? null : outcome.slug,
      outcome === null ? null : outcome.runId,
      record.atMs,
      record.firstEntry,
      went.wire,
      whole(went.httpStatus),
      went.errorCode,
      whole(went.atMs),
      whole(went.latencyMs),
      went.firstByteMs === null ? null : whole(went.firstByteMs),
      went.trace,
    )
  }

  request(row: RequestRecord): void {
    this.#step('request')
    this.#request.run(
      row.applicationId,
      row.callId,
      row.mode,
      row.endUserId,
      row.keyId,
      row.alias,
      row.wire,
      row.streamed ? 1 : 0,
      row.status,
      whole(row.httpStatus),
      row.errorCode,
      whole(row.atMs),
      whole(row.latencyMs),
      row.firstByteMs === null ? null : whole(row.firstByteMs),
      row.trace,
    )
  }

  source(person: Person, cell: SourceCell): void {
    this.#step('source')
    if (cell.isNew) {
      this.#addSource.run(...sourceValues(person, cell))
    } else {
      const { id, posted, held } = cell.source
      this.#changeSource.run(posted, held, cell.lastEntry, person.endUserId, person.mode, id)
    }
  }

  day(sum: DaySum): void {
    this.#step('day')
    this.#day.run(
      sum.endUserId,
      sum.mode,
      sum.day,
      sum.keyId,
      sum.alias,
      sum.applicationId,
      sum.calls,
      sum.inputTokens,
      sum.outputTokens,
      sum.costMicros,
      sum.billedMicros,
      sum.chargeMicros,
    )
  }

  run({ endUserId, mode, applicationId }: Person, run: RunCell): void {
    this.#step('run')
    const { status, spentMicros, calls, lastCallAtMs, slug, runId } = run
    const common = [status, spentMicros, calls, lastCallAtMs, endUserId, mode, slug, runId] as const
    if (run.isNew) this.#addRun.run(...common, applicationId, run.startedAtMs)
    else this.#changeRun.run(...common)
  }

  keyUsed(keyId: string, atMs: number): void {
    this.#step('key')
    this.#key.run(atMs, keyId)
  }

  addGrant(terms: GrantTerms, endUsers: number, pending: readonly string[] | null): void {
    this.#step('grant')
    this.#addGrant.run(
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
      terms.nowMs,
    )
  }

  finishGrant(applicationId: string, grantId: string): void {
    this.#step('grant')
    this.#finishGrant.run(applicationId, grantId)
  }

  state(batch: number, ledgerSequence: number): void {
    this.#step('state')
    this.#state.run(batch, ledgerSequence)
  }
}

/** Of a number that only tells how a call went: a clock with fractions must not keep money from settling. */
function whole(value: number): number {
  return Number.isFinite(value) ? Math.round(value) : 0
}
