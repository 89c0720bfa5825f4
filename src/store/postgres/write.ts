/** What a batch writes on PostgreSQL: one statement per table, its rows as one array per column. */
import type { RequestRecord } from '#domain/ledger.ts'
import type { Quote } from '#money/hold.ts'
import type { Sent } from './pipeline.ts'
import type {
  GrantTerms,
  NewEntry,
  NewUsageRecord,
  OpenHold,
  Person,
  RunCell,
  SourceCell,
} from '#store/ledger/book.ts'
import { boundToText, legsToText, unusedLimitsText, usageToText } from '#store/rows/json-columns.ts'
import type { DaySum } from '#store/ledger/day-sums.ts'
import {
  columnsOf,
  dayRow,
  entryRow,
  grantRow,
  type NewRow,
  quoteRow,
  requestRow,
  type RowValue,
  runRow,
  sourceRow,
  usageRow,
} from '#store/ledger/new-rows.ts'

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
function inserting({ table, columns, onConflict = '' }: NewRow<never>): Shape {
  const { arrays, names } = arraysOf(columns)
  return {
    width: names.length,
    text: `INSERT INTO ${table} (${names.join(', ')}) SELECT * FROM unnest(${arrays}) ${onConflict}`,
  }
}

/** `w` are the rows given. */
function changing(columns: string, text: string): Shape {
  const { arrays, names } = arraysOf(columns)
  return { width: names.length, text: text.replace('w()', `unnest(${arrays}) AS w(${names.join(', ')})`) }
}

function arraysOf(columns: string): { names: string[]; arrays: string } {
  const parts = columnsOf(columns)
  const arrays = parts.map(({ isInteger }, at) => `$${at + 1}::${isInteger ? 'int8' : 'text'}[]`)
  return { names: parts.map(({ name }) => name), arrays: arrays.join(', ') }
}

const holdRow: NewRow<[OpenHold]> = {
  table: 'holds',
  columns: `call_id application_id end_user_id key_id mode alias quote_id bound worst_micros+ worst_credits+ legs
    limits outcome_slug run_id target input_estimate+ epoch+ reserved_at_ms+ dispatched_at_ms+ checkpoint`,
  values: (open) => {
    const { hold, person, outcome, checkpoint } = open
    return [
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
      unusedLimitsText,
      outcome === null ? null : outcome.slug,
      outcome === null ? null : outcome.runId,
      open.targetText,
      open.inputEstimate,
      open.epoch,
      open.reservedAtMs,
      open.dispatchedAtMs,
      checkpoint === null ? null : usageToText(checkpoint),
    ]
  },
}

const shapes = {
  quote: inserting(quoteRow),
  grant: inserting(grantRow),
  grant_finished: changing(
    'application_id id',
    `UPDATE grants g SET pending = NULL FROM w() WHERE g.application_id = w.application_id AND g.id = w.id`,
  ),
  source: inserting(sourceRow),
  source_changed: changing(
    'end_user_id mode id posted+ held+ last_entry+',
    `UPDATE sources s SET posted = w.posted, held = w.held, last_entry = w.last_entry FROM w()
     WHERE s.end_user_id = w.end_user_id AND s.mode = w.mode AND s.id = w.id`,
  ),
  pool_changed: changing(
    'end_user_id mode id posted+ held+ last_entry+ withheld+ expired+',
    `UPDATE sources s SET posted = w.posted, held = w.held, last_entry = w.last_entry, withheld = w.withheld,
       expired = w.expired FROM w()
     WHERE s.end_user_id = w.end_user_id AND s.mode = w.mode AND s.id = w.id`,
  ),
  hold: inserting(holdRow),
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
  ledger: inserting(entryRow),
  usage: inserting(usageRow),
  request: inserting(requestRow),
  day: inserting(dayRow),
  run: inserting(runRow),
  run_changed: changing(
    'status capped_at_micros+ spent_micros+ calls+ last_call_at_ms+ end_user_id mode outcome_slug run_id',
    `UPDATE outcome_runs r SET status = w.status, capped_at_micros = w.capped_at_micros, spent_micros = w.spent_micros, calls = w.calls,
       last_call_at_ms = w.last_call_at_ms FROM w()
     WHERE r.end_user_id = w.end_user_id AND r.mode = w.mode AND r.outcome_slug = w.outcome_slug
       AND r.run_id = w.run_id`,
  ),
  unfold: changing(
    'day+',
    'UPDATE usage_fold f SET through_day = w.day - 1 FROM w() WHERE f.id = 1 AND f.through_day >= w.day',
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
  pool_changed: 'source',
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
  // The one row that all people share: locked last.
  unfold: 'day',
}

/** The rows of one batch, gathered while it is decided. */
export class PostgresWrite {
  readonly #rows = new Map<Kind, RowValue[][]>()

  quote(quote: Quote): void {
    this.#add('quote', quoteRow.values(quote))
  }

  addHold(open: OpenHold): void {
    this.#add('hold', holdRow.values(open))
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
    this.#add('ledger', entryRow.values(sequence, entry))
  }

  usage(record: NewUsageRecord): void {
    this.#add('usage', usageRow.values(record))
  }

  request(record: RequestRecord): void {
    this.#add('request', requestRow.values(record))
  }

  source(person: Person, cell: SourceCell): void {
    const { endUserId, mode } = person
    const { source, lastEntry } = cell
    const changed = [endUserId, mode, source.id, source.posted, source.held, lastEntry]
    if (cell.isNew) this.#add('source', sourceRow.values(person, cell))
    else if (source.kind === 'pool') this.#add('pool_changed', [...changed, source.withheld, source.expired])
    else this.#add('source_changed', changed)
  }

  day(sum: DaySum): void {
    this.#add('day', dayRow.values(sum))
  }

  /** The sums of everyone are not made any more from this day on (usage-fold.ts). */
  unfold(day: number): void {
    this.#add('unfold', [day])
  }

  run(person: Person, run: RunCell): void {
    if (run.isNew) {
      this.#add('run', runRow.values(person, run))
    } else {
      const { status, cappedAtMicros, spentMicros, calls, lastCallAtMs, slug, runId } = run
      const { endUserId, mode } = person
      this.#add('run_changed', [
        status,
        cappedAtMicros,
        spentMicros,
        calls,
        lastCallAtMs,
        endUserId,
        mode,
        slug,
        runId,
      ])
    }
  }

  keyUsed(keyId: string, atMs: number): void {
    this.#add('key', [keyId, atMs])
  }

  addGrant(terms: GrantTerms, endUsers: number, pending: readonly string[] | null): void {
    this.#add('grant', grantRow.values(terms, endUsers, pending))
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

  #add(kind: Kind, row: RowValue[]): void {
    const rows = this.#rows.get(kind)
    if (rows === undefined) this.#rows.set(kind, [row])
    else rows.push(row)
  }
}
