/** What a batch writes on PostgreSQL: one statement per table, its rows as one array per column. */
import type { RequestRecord } from '#domain/ledger.ts'
import type { Quote } from '#money/hold.ts'
import type { Sent } from '#store/engines/postgres-pipeline.ts'
import type { GrantTerms, NewEntry, NewUsageRecord, OpenHold, Person, RunCell, SourceCell } from './book.ts'
import { boundToText, legsToText, limitsToText, quoteToText, usageToText } from './codec.ts'
import type { DaySum } from './day-sums.ts'
import { sourceValues } from './source-row.ts'

type Value = string | number | bigint | null

/** What is written, in the order in which it is, by the table or the change that it is. */
export type WritePoint =
  | 'quote'
  | 'grant'
  | 'source'
  | 'hold'
  | 'ledger'
  | 'usage'
  | 'request'
  | 'day'
  | 'run'
  | 'key'
  | 'state'

export interface Write {
  readonly point: WritePoint
  readonly statement: Sent
}

type Shape = { readonly text: string; readonly width: number }

/** `INSERT`: one array per column, named with its type. */
function inserting(table: string, columns: string, rest = ''): Shape {
  const { arrays, names } = arraysOf(columns)
  return {
    width: names.length,
    text: `INSERT INTO ${table} (${names.join(', ')}) SELECT * FROM unnest(${arrays}) ${rest}`,
  }
}

/** `w` are the rows given. */
function changing(columns: string, text: string): Shape {
  const { arrays, names } = arraysOf(columns)
  return { width: names.length, text: text.replace('w()', `unnest(${arrays}) AS w(${names.join(', ')})`) }
}

/** `a b+ c`: texts, but for those marked as integers. */
function arraysOf(columns: string): { names: string[]; arrays: string } {
  const parts = columns.trim().split(/\s+/)
  const arrays = parts.map((part, at) => `$${at + 1}::${part.endsWith('+') ? 'int8' : 'text'}[]`)
  return { names: parts.map((part) => part.replace('+', '')), arrays: arrays.join(', ') }
}

const shapes = {
  quote: inserting('quotes', 'id body', 'ON CONFLICT DO NOTHING'),
  grant: inserting(
    'grants',
    `application_id id mode kind amount_micros+ reason idempotency_key request_hash end_users+ pending
     created_at_ms+`,
  ),
  grant_finished: changing(
    'application_id id',
    `UPDATE grants g SET pending = NULL FROM w() WHERE g.application_id = w.application_id AND g.id = w.id`,
  ),
  source: inserting(
    'sources',
    `end_user_id mode id kind unit posted+ held+ last_entry+ slug display_name currency granted+ bundle_id
     models rank_models+ is_paid+ sequence+ spillover_to then_on_demand+ recurring+ starts_at_ms+
     ends_at_ms+`,
  ),
  source_changed: changing(
    'end_user_id mode id posted+ held+ last_entry+',
    `UPDATE sources s SET posted = w.posted, held = w.held, last_entry = w.last_entry FROM w()
     WHERE s.end_user_id = w.end_user_id AND s.mode = w.mode AND s.id = w.id`,
  ),
  hold: inserting(
    'holds',
    `call_id application_id end_user_id key_id mode alias quote_id bound worst_micros+ worst_credits+ legs
     limits outcome_slug run_id target input_estimate+ epoch+ reserved_at_ms+ dispatched_at_ms+ checkpoint`,
  ),
  hold_changed: changing(
    'end_user_id call_id bound worst_micros+ worst_credits+ legs checkpoint',
    `UPDATE holds h SET bound = w.bound, worst_micros = w.worst_micros, worst_credits = w.worst_credits,
       legs = w.legs, checkpoint = w.checkpoint FROM w()
     WHERE h.end_user_id = w.end_user_id AND h.call_id = w.call_id`,
  ),
  hold_closed: changing(
    'end_user_id call_id',
    'DELETE FROM holds h USING w() WHERE h.end_user_id = w.end_user_id AND h.call_id = w.call_id',
  ),
  ledger: inserting(
    'ledger',
    `sequence+ previous+ end_user_id mode application_id source_id kind unit amount+ balance_after+ call_id
     grant_id reason idempotency_key created_at_ms+`,
  ),
  usage: inserting(
    'usage_records',
    `application_id call_id end_user_id key_id mode alias target streamed+ input_tokens+ output_tokens+
     usage token_source cost_micros+ billed_micros+ charge_micros+ over_hold_micros+ worst_micros+
     wallet_posted_micros+ legs quote_id outcome_slug run_id settled_at_ms+ first_entry+ wire http_status+
     error_code at_ms+ latency_ms+ first_byte_ms+ trace`,
  ),
  // A record is told once. Of two under one id the first stays, and no one's money stops for it.
  request: inserting(
    'requests',
    `application_id call_id mode end_user_id key_id alias wire streamed+ status http_status+ error_code
     at_ms+ latency_ms+ first_byte_ms+ trace`,
    'ON CONFLICT DO NOTHING',
  ),
  day: inserting(
    'usage_days',
    `end_user_id mode day+ key_id alias application_id calls+ input_tokens+ output_tokens+ cost_micros+
     billed_micros+ charge_micros+`,
    `ON CONFLICT (end_user_id, mode, day, key_id, alias) DO UPDATE SET
       calls = usage_days.calls + excluded.calls,
       input_tokens = usage_days.input_tokens + excluded.input_tokens,
       output_tokens = usage_days.output_tokens + excluded.output_tokens,
       cost_micros = usage_days.cost_micros + excluded.cost_micros,
       billed_micros = usage_days.billed_micros + excluded.billed_micros,
       charge_micros = usage_days.charge_micros + excluded.charge_micros`,
  ),
  run: inserting(
    'outcome_runs',
    `status spent_micros+ calls+ last_call_at_ms+ end_user_id mode outcome_slug run_id application_id
     started_at_ms+`,
  ),
  run_changed: changing(
    'status spent_micros+ calls+ last_call_at_ms+ end_user_id mode outcome_slug run_id',
    `UPDATE outcome_runs r SET status = w.status, spent_micros = w.spent_micros, calls = w.calls,
       last_call_at_ms = w.last_call_at_ms FROM w()
     WHERE r.end_user_id = w.end_user_id AND r.mode = w.mode AND r.outcome_slug = w.outcome_slug
       AND r.run_id = w.run_id`,
  ),
  key: changing(
    'id last_used_at_ms+',
    'UPDATE keys k SET last_used_at_ms = w.last_used_at_ms FROM w() WHERE k.id = w.id',
  ),
} as const satisfies Record<string, Shape>

type Kind = keyof typeof shapes

const pointOf: { readonly [kind in Kind]: WritePoint } = {
  quote: 'quote',
  grant: 'grant',
  grant_finished: 'grant',
  source: 'source',
  source_changed: 'source',
  hold: 'hold',
  hold_changed: 'hold',
  hold_closed: 'hold',
  ledger: 'ledger',
  usage: 'usage',
  request: 'request',
  day: 'day',
  run: 'run',
  run_changed: 'run',
  key: 'key',
}

/** The rows of one batch, gathered while it is decided. */
export class PostgresWrite {
  readonly #rows = new Map<Kind, Value[][]>()

  quote(quote: Quote): void {
    this.#add('quote', [quote.id, quoteToText(quote)])
  }

  addHold(open: OpenHold): void {
    const { hold, person, outcome, checkpoint } = open
    this.#add('hold', [
      hold.callId,
      open.applicationId,
      person.endUserId,
      open.keyId,
      person.mode,
      hold.bound.alias,
      hold.quote.id,
      boundToText(hold.bound),
      hold.worstMicros,
      hold.worstCredits,
      legsToText(hold.legs),
      limitsToText(hold.limits),
      outcome === null ? null : outcome.slug,
      outcome === null ? null : outcome.runId,
      open.targetText,
      open.inputEstimate,
      open.epoch,
      open.reservedAtMs,
      open.dispatchedAtMs,
      checkpoint === null ? null : usageToText(checkpoint),
    ])
  }

  changeHold({ hold, person, checkpoint }: OpenHold): void {
    this.#add('hold_changed', [
      person.endUserId,
      hold.callId,
      boundToText(hold.bound),
      hold.worstMicros,
      hold.worstCredits,
      legsToText(hold.legs),
      checkpoint === null ? null : usageToText(checkpoint),
    ])
  }

  closeHold({ hold, person }: OpenHold): void {
    this.#add('hold_closed', [person.endUserId, hold.callId])
  }

  entry(sequence: number, entry: NewEntry): void {
    const { person, cell } = entry
    this.#add('ledger', [
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
    ])
  }

  usage(record: NewUsageRecord): void {
    const { open, usage, result, went } = record
    const { hold, person, outcome } = open
    this.#add('usage', [
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
    ])
  }

  request(row: RequestRecord): void {
    this.#add('request', [
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
    ])
  }

  source(person: Person, cell: SourceCell): void {
    const { endUserId, mode } = person
    const { id, posted, held } = cell.source
    if (cell.isNew) this.#add('source', sourceValues(person, cell))
    else this.#add('source_changed', [endUserId, mode, id, posted, held, cell.lastEntry])
  }

  day(sum: DaySum): void {
    this.#add('day', [
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
    ])
  }

  run({ endUserId, mode, applicationId }: Person, run: RunCell): void {
    const { status, spentMicros, calls, lastCallAtMs, slug, runId } = run
    const common = [status, spentMicros, calls, lastCallAtMs, endUserId, mode, slug, runId]
    if (run.isNew) this.#add('run', [...common, applicationId, run.startedAtMs])
    else this.#add('run_changed', common)
  }

  keyUsed(keyId: string, atMs: number): void {
    this.#add('key', [keyId, atMs])
  }

  addGrant(terms: GrantTerms, endUsers: number, pending: readonly string[] | null): void {
    this.#add('grant', [
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
    ])
  }

  finishGrant(applicationId: string, grantId: string): void {
    this.#add('grant_finished', [applicationId, grantId])
  }

  /** Kinds in one order in every batch of every process, so that two of them cannot wait for each other. */
  statements(): Write[] {
    const writes: Write[] = []
    for (const [kind, point] of Object.entries(pointOf) as [Kind, WritePoint][]) {
      const rows = this.#rows.get(kind)
      if (rows === undefined) continue
      const { text, width } = shapes[kind]
      // Quotes are the only rows that people share: two batches that add the same two do so in one order.
      if (kind === 'quote') rows.sort(([one], [other]) => (String(one) < String(other) ? -1 : 1))
      const values = Array.from({ length: width }, (_, column) => rows.map((row) => row[column] ?? null))
      writes.push({ point, statement: { name: `write_${kind}`, text, values } })
    }
    return writes
  }

  #add(kind: Kind, row: Value[]): void {
    const rows = this.#rows.get(kind)
    if (rows === undefined) this.#rows.set(kind, [row])
    else rows.push(row)
  }
}

/** Of a number that only tells how a call went: a clock with fractions must not keep money from settling. */
function whole(value: number): number {
  return Number.isFinite(value) ? Math.round(value) : 0
}
