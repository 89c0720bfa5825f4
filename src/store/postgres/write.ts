/** The writes of a batch on PostgreSQL: one statement per kind, with one array per column. */
import type { OpenHold } from '#store/ledger/book-cells.ts'
import type { WritePoint } from '#store/ledger/injected-fault.ts'
import { columnsOf, type NewRow, type RowValue } from '#store/ledger/new-rows.ts'
import { type Change, namesOf, type Write, type WriteKind, writes } from '#store/ledger/row-writes.ts'
import { boundToText, legsToText, unusedLimitsText, usageToText } from '#store/rows/json-columns.ts'
import type { Sent } from './pipeline.ts'

/** A statement, and the step at which a test can make it fail. */
export interface Written {
  readonly point: WritePoint
  readonly statement: Sent
}

const holdRow: NewRow<[OpenHold]> = {
  table: 'holds',
  columns: `call_id application_id end_user_id key_id mode alias quote_id bound worst_micros+ worst_credits+ legs
    limits outcome_slug run_id target input_estimate+ epoch+ reserved_at_ms+ dispatched_at_ms+ checkpoint attempts`,
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
      open.attempts === null ? null : open.attempts.text,
    ]
  },
}

const holdWrites = {
  hold: { point: 'hold', adds: holdRow },
  hold_changed: {
    point: 'hold',
    sets: {
      table: 'holds',
      set: 'quote_id target bound worst_micros+ worst_credits+ legs checkpoint attempts',
      by: 'end_user_id call_id',
    },
  },
  hold_closed: { point: 'hold' },
} as const satisfies Record<string, Write>

type Kind = WriteKind | keyof typeof holdWrites

interface Shape {
  readonly point: WritePoint
  readonly text: string
  /** Number of columns of a row. */
  readonly width: number
}

/** In the order of sending. A hold belongs to one locked end user, so holds can come first. */
const shapes = new Map(
  Object.entries<Write>({ ...holdWrites, ...writes }).map(([kind, write]) => [kind, shapeOf(kind, write)]),
)

function shapeOf(kind: string, { adds, point, sets }: Write): Shape {
  if (adds !== undefined) return inserting(point, adds)
  if (sets !== undefined) return changing(point, sets)
  if (kind === 'hold_closed') {
    return shape(
      point,
      'end_user_id call_id',
      'DELETE FROM holds h USING w() WHERE h.end_user_id = w.end_user_id AND h.call_id = w.call_id',
    )
  }
  return shape(
    point,
    'day+',
    'UPDATE usage_fold f SET through_day = w.day - 1 FROM w() WHERE f.id = 1 AND f.through_day >= w.day',
  )
}

function inserting(point: WritePoint, { table, columns, onConflict = '' }: NewRow<never>): Shape {
  const names = namesOf(columns).join(', ')
  return shape(point, columns, `INSERT INTO ${table} (${names}) SELECT * FROM w() ${onConflict}`)
}

function changing(point: WritePoint, { by, set, table }: Change): Shape {
  const sets = namesOf(set).map((name) => `${name} = w.${name}`)
  const matches = namesOf(by).map((name) => `t.${name} = w.${name}`)
  const text = `UPDATE ${table} t SET ${sets.join(', ')} FROM w() WHERE ${matches.join(' AND ')}`
  return shape(point, `${set} ${by}`, text)
}

/** @param text with `w()` for the given rows */
function shape(point: WritePoint, columns: string, text: string): Shape {
  const parts = columnsOf(columns)
  const arrays = parts.map(({ isInteger }, at) => `$${at + 1}::${isInteger ? 'int8' : 'text'}[]`)
  const rows = `unnest(${arrays.join(', ')}) AS w(${namesOf(columns).join(', ')})`
  return { point, text: text.replace('w()', rows), width: parts.length }
}

/** The rows of one batch, collected while it is decided. */
export class PostgresWrite {
  readonly #rows = new Map<string, RowValue[][]>()

  add(kind: Kind, row: RowValue[]): void {
    const rows = this.#rows.get(kind)
    if (rows === undefined) this.#rows.set(kind, [row])
    else rows.push(row)
  }

  addHold(open: OpenHold): void {
    this.add('hold', holdRow.values(open))
  }

  changeHold({ attempts, checkpoint, hold, person, targetText }: OpenHold): void {
    const { bound, callId, legs, quote, worstCredits, worstMicros } = hold
    const usage = checkpoint === null ? null : usageToText(checkpoint)
    this.add('hold_changed', [
      quote.id,
      targetText,
      boundToText(bound),
      worstMicros,
      worstCredits,
      legsToText(legs),
      usage,
      attempts === null ? null : attempts.text,
      person.endUserId,
      callId,
    ])
  }

  closeHold({ hold, person }: OpenHold): void {
    this.add('hold_closed', [person.endUserId, hold.callId])
  }

  /**
   * Returns the kinds in the same order in every batch of every process, so that two batches cannot wait for each
   * other.
   */
  statements(): Written[] {
    const statements: Written[] = []
    for (const [kind, { point, text, width }] of shapes) {
      const rows = this.#rows.get(kind)
      if (rows === undefined) continue
      // Only the rows of quotes are shared between end users. Two batches that add the same two quotes must add them in
      // the same order.
      if (kind === 'quote') rows.sort(([one], [other]) => (String(one) < String(other) ? -1 : 1))
      const values = Array.from({ length: width }, (_, column) => rows.map((row) => row[column] ?? null))
      statements.push({ point, statement: { name: `write_${kind}`, text, values } })
    }
    return statements
  }
}
