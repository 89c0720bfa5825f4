/**
 * The writes of a batch on PostgreSQL, with one array per column. The batch number and the kinds of rows that ordinary
 * requests need are written by one statement. Every other kind of row has its own statement.
 */
import assert from 'node:assert/strict'
import type { OpenHold } from '#store/ledger/state-types.ts'
import type { WritePoint } from '#store/ledger/faults-injected-by-tests.ts'
import { columnsOf, type NewRow, requestRow, type RowValue } from '#store/ledger/rows-that-batch-inserts.ts'
import { type Change, namesOf, type Write, type WriteKind, writes } from '#store/ledger/writes-of-batch.ts'
import { heldTargetToText } from '#store/rows/held-target-column.ts'
import { boundToText, unusedLimitsText, usageToText } from '#store/rows/json-columns.ts'
import { legsToText } from '#store/rows/legs-column.ts'
import { arrayParameter } from './array-parameter.ts'
import type { Sent } from './send-statements-together.ts'
import { insertOnShard, oneOf, onShard, type ShardOfBatch } from './sql-for-sharded-tables.ts'

export interface Written {
  /** The steps at which a test can make the batch fail. Empty if the batch writes nothing. */
  readonly points: readonly WritePoint[]
  /**
   * The earliest day with stored sums for which this batch writes a charge. Null if there is no such day. On a
   * distributed database, other statements mark this day (days-with-late-settles.ts).
   */
  readonly lateDay: number | null
  /** @param batch the batch number that is stored in the lane's row */
  statements(lane: LaneOfBatch, batch: number): readonly Sent[]
}

export interface LaneOfBatch {
  readonly epoch: number
  readonly lane: number
  /** The place (`ctid`) of the lane's row. If null, the row is searched by its key (batch-engine.ts). */
  readonly place: string | null
}

/** On PostgreSQL, a record also contains its shard group. */
const requestOfGroup: NewRow<never> = { ...requestRow, columns: `${requestRow.columns} shard_key` }

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
      heldTargetToText(open),
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
      set: 'quote_id target bound worst_micros+ worst_credits+ legs checkpoint attempts epoch+',
      by: 'end_user_id call_id',
    },
  },
  hold_closed: { point: 'hold' },
  /** Records that the memory of the lane (ledger connection) equals the end user's rows (rows-known-to-lane.ts). */
  claim: { point: 'state' },
} as const satisfies Record<string, Write>

type Kind = WriteKind | keyof typeof holdWrites
type SourceKind = 'source_changed' | 'wallet_changed' | 'pool_changed'

/**
 * The kinds of rows whose order within a batch does not matter. These rows belong to locked end users or to the batch's
 * calls, so no other transaction waits for them. Each combination of kinds is a prepared statement with its own plan on
 * each connection. Rare kinds are not listed, and kinds that occur together count as one kind, so that there are few
 * statements.
 */
const together: readonly (readonly Kind[])[] = [
  ['hold'],
  ['hold_closed'],
  ['source_changed'],
  ['ledger', 'usage', 'day'],
  ['request'],
  ['claim'],
  ['key_used'],
  ['rate_use', 'line_rate_use'],
]

/** Writes that may skip rows: a record whose ID exists already, and the last use of a key that is locked. */
const uncertain = new Set<Kind>(['request', 'key_used'])

interface Shape {
  readonly point: WritePoint
  readonly columns: readonly { readonly name: string; readonly isInteger: boolean }[]
  /** @param rows SQL for the rows to write, named `w` */
  readonly text: (rows: string) => string
  /** The statement for a distributed database (sql-for-sharded-tables.ts). */
  readonly textOnShard: (rows: string) => string
  readonly adds: boolean
}

/** The changed columns of all kinds of sources. Null leaves a column unchanged that a kind of source does not have. */
const anySource = 'posted+ held+ last_entry+ given+ withheld+ expired+ end_user_id mode id'
const sourceText = (rows: string): string =>
  `UPDATE sources t SET posted = w.posted, held = w.held, last_entry = w.last_entry,
    given = coalesce(w.given, t.given), withheld = coalesce(w.withheld, t.withheld),
    expired = coalesce(w.expired, t.expired)
    FROM ${rows} WHERE t.end_user_id = w.end_user_id AND t.mode = w.mode AND t.id = w.id`

const claimText = (rows: string): string =>
  `UPDATE end_users t SET known_by = w.known_by FROM ${rows} WHERE t.id = w.end_user_id`

/**
 * Skips a locked key, because other transactions lock a key before its end user. A later request with the key stores
 * the time.
 */
const keyText = (rows: string): string =>
  `UPDATE keys t SET last_used_at_ms = w.last_used_at_ms FROM ${rows}, LATERAL (
      SELECT k.id FROM keys k WHERE k.end_user_id = w.end_user_id AND k.id = w.id FOR NO KEY UPDATE SKIP LOCKED
    ) free WHERE t.end_user_id = w.end_user_id AND t.id = free.id`

/**
 * Deletes no hold whose epoch (process number) has changed since the batch read the hold. Any process may take over the
 * hold of a background response.
 */
const closeText = (rows: string): string =>
  `DELETE FROM holds h USING ${rows}
    WHERE h.end_user_id = ${oneOf('w.end_user_id')} AND h.call_id = w.call_id AND h.epoch = w.epoch`

const unfoldText = (rows: string): string =>
  `UPDATE usage_fold f SET through_day = w.day - 1 FROM ${rows} WHERE f.id = 1 AND f.through_day >= w.day`

/** The kinds of writes, in the order of their statements. The statement for the kinds in `together` is sent last. */
const shapes = new Map(
  Object.entries<Write>({ ...holdWrites, ...writes }).map(([kind, write]) => [kind, shapeOf(kind, write)]),
)

/** On a distributed database, each kind of added rows needs a separate statement. */
const togetherOnShard = together
  .map((kinds) => kinds.filter((kind) => !shapeOfKind(kind).adds))
  .filter((kinds) => kinds.length > 0)

function shapeOf(kind: string, { adds, point, sets }: Write): Shape {
  if (kind === 'request') return inserting(point, requestOfGroup)
  if (adds !== undefined) return inserting(point, adds)
  if (kind === 'source_changed') return shape(point, anySource, sourceText)
  if (kind === 'claim') return shape(point, 'known_by+ end_user_id', claimText)
  if (kind === 'key_used') return shape(point, 'last_used_at_ms+ end_user_id id', keyText)
  if (sets !== undefined) return changing(point, sets)
  if (kind === 'hold_closed') return shape(point, 'end_user_id call_id epoch+', closeText)
  return shape(point, 'day+', unfoldText)
}

function inserting(point: WritePoint, { table, columns, onConflict = '' }: NewRow<never>): Shape {
  const names = namesOf(columns)
  return {
    ...shape(
      point,
      columns,
      (rows) => `INSERT INTO ${table} (${names.join(', ')}) SELECT * FROM ${rows} ${onConflict}`,
    ),
    textOnShard: (rows) => `${insertOnShard(table, names, rows)} ${onConflict}`,
    adds: true,
  }
}

function changing(point: WritePoint, { by, set, table }: Change): Shape {
  const sets = namesOf(set).map((name) => `${name} = w.${name}`)
  const matches = namesOf(by).map(
    (name, at) => `t.${name} = ${table === 'holds' && at === 0 ? oneOf(`w.${name}`) : `w.${name}`}`,
  )
  return shape(
    point,
    `${set} ${by}`,
    (rows) => `UPDATE ${table} t SET ${sets.join(', ')} FROM ${rows} WHERE ${matches.join(' AND ')}`,
  )
}

function shape(point: WritePoint, columns: string, text: Shape['text']): Shape {
  return { point, columns: columnsOf(columns), text, textOnShard: text, adds: false }
}

/**
 * Each column of the rows is one array parameter, whose elements are read by their position. With `unnest` of several
 * arrays, PostgreSQL first copies the elements of each array, which takes at least twice the time.
 */
function rowsFrom({ columns }: Shape, parametersBefore = 0): string {
  const arrays = arrayParameters(columns, parametersBefore)
  const elements = columns.map(({ name }, at) => `(${arrays[at]})[i] AS ${name}`)
  return `(SELECT ${elements.join(', ')} FROM generate_series(1, cardinality(${arrays[0]})) AS i) AS w`
}

/** A lane that goes through the coordinator of Citus uses the form with `unnest`, which Citus is known to plan. */
function rowsFromOnShard({ columns }: Shape, parametersBefore = 0): string {
  const names = columns.map(({ name }) => name)
  return `unnest(${arrayParameters(columns, parametersBefore).join(', ')}) AS w(${names.join(', ')})`
}

function arrayParameters(columns: Shape['columns'], parametersBefore: number): readonly string[] {
  return columns.map(({ isInteger }, at) => `$${parametersBefore + at + 1}::${isInteger ? 'int8' : 'text'}[]`)
}

function arraysOf({ columns }: Shape, rows: readonly RowValue[][]): string[] {
  return columns.map(({ isInteger }, column) => arrayParameter(rows, column, isInteger))
}

const togetherTexts = new Map<string, string>()

/**
 * Returns the statement that writes these kinds of rows and the row of the lane (ledger connection). If a row to change
 * no longer exists, the statement fails with the SQLSTATE of a collision. The batch is then rolled back. A hold that
 * another process has ended is therefore never charged again.
 * @param name the name of the prepared statement, which lists the kinds of rows
 */
function togetherText(
  name: string,
  kinds: readonly Kind[],
  { isAtPlace, isOnShard }: { readonly isAtPlace: boolean; readonly isOnShard: boolean },
): string {
  const form = isAtPlace ? `${name} at place` : name
  const known = togetherTexts.get(form)
  if (known !== undefined) return known
  let parameters = isAtPlace ? 6 : 5
  const writing = kinds.map((kind) => {
    const of = shapeOfKind(kind)
    const text = of.text((isOnShard ? rowsFromOnShard : rowsFrom)(of, parameters))
    parameters += of.columns.length
    return `${kind}_rows AS (${text} RETURNING 1)`
  })
  const place = isAtPlace ? ' AND ctid = $6::tid RETURNING ctid::text' : ' RETURNING NULL'
  writing.push(
    `state_rows AS (UPDATE lanes SET batch = $4 WHERE shard_key = $1 AND epoch = $2 AND lane = $3${place} AS place)`,
  )
  const countOf = (kind: string): string => `(SELECT count(*) FROM ${kind}_rows)`
  const certain = kinds.filter((kind) => !uncertain.has(kind))
  const counts = [...certain, 'state'].map(countOf).join(' + ')
  const others = kinds.filter((kind) => uncertain.has(kind))
  const text = `WITH ${writing.join(', ')} SELECT ${[`all_written(${counts}, $5)`, ...others.map(countOf)].join(' + ')} AS changed, (SELECT place FROM state_rows) AS place`
  togetherTexts.set(form, text)
  return text
}

function shapeOfKind(kind: Kind): Shape {
  const of = shapes.get(kind)
  assert(of !== undefined, `${kind} is written`)
  return of
}

export class PostgresWrite {
  readonly #rows = new Map<string, RowValue[][]>()
  readonly #shard: ShardOfBatch
  #lateDay: number | null = null

  constructor(shard: ShardOfBatch) {
    this.#shard = shard
  }

  add(kind: Kind, row: RowValue[]): void {
    if (kind === 'unfold' && this.#shard.isDistributed) {
      this.#lateDay = Number(row[0])
    } else if (kind === 'wallet_changed' || kind === 'pool_changed' || kind === 'source_changed') {
      this.#push('source_changed', anySourceRow(kind, row))
    } else if (kind === 'request') {
      this.#push(kind, [...row, this.#shard.key])
    } else {
      this.#push(kind, row)
    }
  }

  #push(kind: Kind, row: RowValue[]): void {
    const rows = this.#rows.get(kind)
    if (rows === undefined) this.#rows.set(kind, [row])
    else rows.push(row)
  }

  claim(endUserId: string, lane: number): void {
    this.add('claim', [lane, endUserId])
  }

  addHold(open: OpenHold): void {
    this.add('hold', holdRow.values(open))
  }

  changeHold(open: OpenHold): void {
    const { attempts, checkpoint, epoch, hold, person } = open
    const { bound, callId, legs, quote, worstCredits, worstMicros } = hold
    const usage = checkpoint === null ? null : usageToText(checkpoint)
    this.add('hold_changed', [
      quote.id,
      heldTargetToText(open),
      boundToText(bound),
      worstMicros,
      worstCredits,
      legsToText(legs),
      usage,
      attempts === null ? null : attempts.text,
      epoch,
      person.endUserId,
      callId,
    ])
  }

  closeHold({ epoch, hold, person }: OpenHold): void {
    this.add('hold_closed', [person.endUserId, hold.callId, epoch])
  }

  /** Returns the kinds in the same order in every batch of every process, so that two batches never deadlock. */
  written(): Written {
    const { places } = this.#shard
    const points: WritePoint[] = []
    const alone: Sent[] = []
    const groups = places === null ? together : togetherOnShard
    const isTogether = new Set<string>(groups.flat())
    for (const [kind, of] of shapes) {
      const rows = this.#rows.get(kind)
      if (rows === undefined) continue
      points.push(of.point)
      if (isTogether.has(kind)) continue
      const text = places === null ? of.text(rowsFrom(of)) : of.textOnShard(rowsFromOnShard(of))
      alone.push(onShard({ name: `write_${kind}`, text, values: arraysOf(of, rows) }, places))
    }
    if (points.length > 0) points.push('state')
    const lateDay = this.#lateDay
    return { points, lateDay, statements: (lane, batch) => [...alone, this.#together(lane, batch, groups)] }
  }

  #together({ epoch, lane, place }: LaneOfBatch, batch: number, groups: typeof together): Sent {
    const { key, places } = this.#shard
    let parts = 0
    let certain = 1
    const kinds: Kind[] = []
    for (const [at, group] of groups.entries()) {
      const counts = group.map((kind) => [kind, this.#rows.get(kind)?.length ?? 0] as const)
      if (counts.every(([, count]) => count === 0)) continue
      parts |= 1 << at
      kinds.push(...group)
      for (const [kind, count] of counts) if (!uncertain.has(kind)) certain += count
    }
    const name = places === null ? `write_${parts}` : `write_on_shard_${parts}`
    const arrays = kinds.flatMap((kind) => arraysOf(shapeOfKind(kind), this.#rows.get(kind) ?? []))
    const values = [key, epoch, lane, batch, certain, ...(place === null ? [] : [place]), ...arrays]
    const form = { isAtPlace: place !== null, isOnShard: places !== null }
    return onShard({ name, text: togetherText(name, kinds, form), values }, places)
  }
}

/** @param row the values in the order of the kind's columns (writes-of-batch.ts) */
function anySourceRow(kind: SourceKind, row: readonly RowValue[]): RowValue[] {
  const [posted = null, held = null, lastEntry = null, ...rest] = row
  const by = rest.slice(-3)
  const own = rest.slice(0, -3)
  const given = kind === 'wallet_changed' ? own : [null]
  const ofPool = kind === 'pool_changed' ? own : [null, null]
  return [posted, held, lastEntry, ...given, ...ofPool, ...by]
}
