/**
 * A lane is a ledger queue with its own database connection. A batch takes two round trips:
 *
 * 1. BEGIN, lock the lane's row, and lock the rows of the end users in ID order. Then read the rows that the operations
 *    will need (predict-rows-for-batch.ts) and that the lane does not remember (rows-known-to-lane.ts). The locks and
 *    the reads are separate statements. The reads then see everything that was committed during the wait for the locks.
 *    Then decide every operation in memory, with the same functions as the SQLite engine.
 * 2. Write, count the batch on the lane's row (batch-writes.ts), COMMIT.
 *
 * All money of an end user changes under the lock of the end user's row, in every process. The money of a team is its
 * payer's wallet, so a batch also locks the payers. If a decision needs an end user who is not locked, the batch is
 * rolled back. It begins again and also locks that end user. A transaction never adds locks, because two batches could
 * then wait for each other. A batch takes no other lock, and writes no row of an application or an organization. The
 * statement that takes the locks also checks the configuration. A reserve that begins after the confirmation of a
 * configuration change therefore sees the change.
 *
 * ledger/handle-failed-batches.ts handles failures, and finds on the lane's row whether a batch was committed. The
 * batch locks this row, so the row can be read only after the batch has ended on the server. After any failure on a
 * connection, the connection is closed.
 */
import assert from 'node:assert/strict'
import { MoneyBroken } from '#money/amount.ts'
import type { Operation } from '#store/ledger/operations-and-results.ts'
import type { FaultPoint, InjectedFault, InjectFault } from '#store/ledger/faults-injected-by-tests.ts'
import type { EndedRecord } from '#store/ledger/state-types.ts'
import type { EndedHours } from '#store/ledger/hour-sums-of-ended-calls.ts'
import type { BatchEngine, Decided, Failure } from '#store/ledger/handle-failed-batches.ts'
import type { RowValue } from '#store/ledger/rows-that-batch-inserts.ts'
import { numberIn, type SqlRow, textIn, textOrNullIn } from '#store/rows/read-row-strictly.ts'
import { blockSize, NotLocked, OutOfNumbers, PostgresBook } from './ledger-state.ts'
import { close } from './connection.ts'
import {
  isLockTimeout,
  type PostgresCode,
  PostgresError,
  postgresCode,
  postgresError,
} from './classify-postgres-errors.ts'
import { type BatchMemory, KnownRows } from './rows-known-to-lane.ts'
import type { LateDays } from './days-with-late-settles.ts'
import { Missing, type PostgresNeed, PostgresRows } from './load-needed-rows.ts'
import { monthOf, type Months } from './monthly-partitions.ts'
import { LockedEndUsers, withLocked } from './find-locked-end-users.ts'
import { lockStatement } from './lock-lane-and-end-users.ts'
import { commit, sendAll } from './send-statements-together.ts'
import { declaredDead } from './process-lease.ts'
import type { ShardGroups } from './shard-groups.ts'
import { type LaneConnection, sendOn } from './shard-tables.ts'
import type { StoredQuotes } from './stored-quotes.ts'
import type { Written } from './batch-writes.ts'
import type { CallOwners, PrefetchHints } from './predict-rows-for-batch.ts'
import { Forecasts } from './forecasts-with-further-end-users.ts'

export interface LaneOptions {
  readonly epoch: number
  readonly groups: ShardGroups
  /** The shard-group key of each lane (ledger connection), by the lane's number (shard-groups.ts). */
  readonly shardKeys: readonly string[]
  /** @throws PostgresError */
  readonly connect: (lane: number) => Promise<LaneConnection>
  readonly months: Months
  readonly owners: CallOwners
  readonly hints: PrefetchHints
  readonly quotes: StoredQuotes
  readonly lateDays: LateDays
  readonly ended: EndedHours
  readonly onFatal: (error: Error) => void
  readonly faults?: InjectFault | undefined
  /** Whether all batches belong to one transaction, which the owner of the connection begins and ends. */
  readonly isPartOfTransaction?: true
}

/**
 * Maximum number of rounds in which one batch reads further rows. A batch beyond this number requests the same rows
 * again and again.
 */
const roundsMax = 100

const begin = { name: 'begin', text: 'BEGIN', values: [] }
/** Replaces BEGIN and COMMIT if one transaction contains several batches. */
const nothing = { name: 'nothing', text: 'SELECT', values: [] }
const rollback = { name: 'rollback', text: 'ROLLBACK', values: [] }
/** Other end users may be locked each time. After this number of waits, the store counts as busy. */
const lockWaitsMax = 3

const laneText = 'SELECT batch FROM lanes WHERE shard_key = $3 AND epoch = $1 AND lane = $2 FOR UPDATE'
/** On a distributed database, the numbers come from the node that has the shard. */
const numbersText = `SELECT nextval('ledger_sequence') AS first FROM shard_groups g, generate_series(1, $1::int8)
  WHERE g.shard_key = $2`

/** Thrown if the lane's row is no longer at its place. The row is then searched by its key. */
class LaneRowMoved extends Error {}

interface Batch extends Decided {
  readonly connection: LaneConnection
  readonly book: PostgresBook
  readonly memory: BatchMemory
  readonly writes: Written
}

export class PostgresLane implements BatchEngine<Batch> {
  readonly #lane: number
  readonly #shardKey: string
  readonly #options: LaneOptions
  readonly #known: KnownRows
  readonly #locked: LockedEndUsers
  readonly #forecasts: Forecasts
  #connection: LaneConnection | null = null
  /**
   * The place (`ctid`) of the lane's row after the last batch. Null if it is unknown, and on a distributed database. While
   * another transaction keeps a snapshot, such as `pg_dump`, each batch adds a version of the row that cannot be removed.
   * A search by the key would look at all versions.
   */
  #place: string | null = null
  /** Calls of batches whose commit failed but may have succeeded. */
  #doubted: readonly EndedRecord[] = []

  constructor(lane: number, options: LaneOptions) {
    const { epoch, groups, shardKeys } = options
    this.#lane = lane
    this.#shardKey = shardKeys[lane] ?? ''
    this.#options = options
    this.#forecasts = new Forecasts(options)
    this.#locked = new LockedEndUsers((operation) => this.#forecasts.of(operation).people)
    this.#known = new KnownRows({ epoch, lane, isKept: !groups.isDistributed })
  }

  /**
   * Prepares all statements of the second round trip except the last. Operations whose end user stays locked have the
   * result `locked`, so that they don't delay other end users.
   */
  async decide(operations: readonly Operation[]): Promise<Batch> {
    for (let lockWaits = 0; ;) {
      // oxlint-disable-next-line no-await-in-loop -- each attempt depends on the one before
      const connection = await this.#connected()
      const mayFilter = this.#canFindLocks(connection) && this.#locked.mayInclude(operations)
      const free = mayFilter
        ? // oxlint-disable-next-line no-await-in-loop -- as above
          await this.#locked.without(operations, connection)
        : operations
      try {
        // oxlint-disable-next-line no-await-in-loop -- as above
        const batch = await this.#decideWith(free)
        return free === operations
          ? batch
          : { ...batch, results: withLocked(operations, free, batch.results) }
      } catch (error) {
        if (error instanceof LaneRowMoved) this.#place = null
        else if (isLockTimeout(error) && this.#canFindLocks(connection) && ++lockWaits < lockWaitsMax)
          this.#locked.suspect(free)
        else if (!(error instanceof NotLocked)) throw error
        // oxlint-disable-next-line no-await-in-loop -- as above
        await sendOn(connection, [rollback])
      }
    }
  }

  /** A statement through a coordinator must name a shard. Only the owner of a transaction may roll it back. */
  #canFindLocks({ tables }: LaneConnection): boolean {
    const { groups, isPartOfTransaction } = this.#options
    return isPartOfTransaction !== true && (!groups.isDistributed || tables !== null)
  }

  /** @throws NotLocked */
  async #decideWith(operations: readonly Operation[]): Promise<Batch> {
    this.#fault('begin')
    const { epoch, groups, owners, quotes } = this.#options
    const forecasts = operations.map((operation) => this.#forecasts.of(operation))
    await this.#makeMonths(forecasts.flatMap(({ times }) => times))
    const connection = await this.#connected()
    const ids = [...new Set(forecasts.flatMap(({ people }) => people))].toSorted()
    const memory = this.#known.for(operations, ids)
    const forecast = forecasts.flatMap((one) => one.needs)
    const { isDistributed } = groups
    const { tables } = connection
    const places = isDistributed && tables === null ? placesOf(this.#shardKey, ids, forecast) : null
    const shard = { key: this.#shardKey, places, isDistributed }
    const rows = new PostgresRows(places)
    const needs = [...forecast, ...memory.applicationsOf(forecast)]
    const isUnknown = (need: PostgresNeed): boolean => !memory.answers(need)
    const reading = rows.reading(needs.filter(isUnknown))
    const entries = forecasts.reduce((sum, one) => sum + one.entries, 0)
    // A call whose entries might not fit into a block of numbers begins the next block, so some numbers remain unused.
    const blockCount = entries === 0 ? 0 : Math.ceil((entries * 1.25) / blockSize)

    this.#fault('load')
    const opening = [
      this.#options.isPartOfTransaction ? nothing : begin,
      ...(tables === null ? [] : [tables.hold]),
    ]
    const place = this.#place
    const values = [epoch, this.#lane, places ?? ids, blockCount, memory.lane, shard.key]
    const answered = await sendOn(connection, [
      ...opening,
      lockStatement(values, { place, isDistributed }),
      ...reading.map(({ statement }) => statement),
    ])
    const [locked = [], ...answers] = answered.slice(opening.length)
    if (locked.length === 0 && place !== null) throw new LaneRowMoved()
    const { batch, blocks, foldedThrough, place: lockedPlace } = stateIn(locked[0])
    this.#place = lockedPlace
    for (const [i, { take }] of reading.entries()) take(answers[i] ?? [])
    const people = new Map(locked.filter(({ id }) => id !== null).map((row) => [textIn(row, 'id'), row]))
    const { applications, claims } = memory.check([...people.values()])
    for (const need of needs)
      if (need.kind === 'application') memory.sawApplication(need.id, rows.found(need))
    for (const [id, row] of applications) rows.add({ kind: 'application', id }, [row])
    await readInto(connection, rows, needs.filter(isUnknown))
    const input = {
      epoch,
      shard,
      rows,
      memory,
      claims,
      locked: new Set(ids),
      people,
      owners,
      blocks,
      quotes,
      foldedThrough,
    }

    for (let round = 0; ; round++) {
      assert(
        round < roundsMax,
        `a batch of ${operations.length} operations still asks for rows after ${round} rounds`,
      )
      const book = new PostgresBook(input)
      try {
        const results = operations.map((operation) => this.#forecasts.performOne(book, operation))
        const writes = book.writes()
        // oxlint-disable-next-line no-await-in-loop -- this is the last round
        await this.#storeQuotes(book.newQuotes)
        for (const point of writes.points) this.#fault(point)
        return { book, connection, memory, results, batch: writes.points.length > 0 ? batch : null, writes }
      } catch (error) {
        if (error instanceof Missing) {
          // oxlint-disable-next-line no-await-in-loop -- the next read depends on the rows of the previous one
          await readInto(connection, rows, [error.need])
        } else if (error instanceof MoneyBroken && !memory.isIgnored) {
          // The remembered rows may be outdated, because an operator may have changed rows by hand. Read all rows
          // again. The ledger stops only if the money still does not add up.
          memory.ignore()
          // oxlint-disable-next-line no-await-in-loop -- see above
          await readInto(connection, rows, needs)
        } else if (error instanceof OutOfNumbers) {
          // oxlint-disable-next-line no-await-in-loop -- see above
          const [more] = await sendOn(connection, [
            { name: 'numbers', text: numbersText, values: [1 + blocks.length, this.#shardKey] },
          ])
          blocks.push(...blocksOf(more))
        } else {
          throw error
        }
      }
    }
  }

  async commit({ batch, book, connection, memory, writes }: Batch): Promise<void> {
    const { ended: hours, epoch, hints, lateDays, quotes } = this.#options
    const ended = book.takeEnded()
    try {
      this.#fault('commit')
      const lane = { epoch, lane: this.#lane, place: this.#place }
      const sent = batch === null ? [] : writes.statements(lane, batch)
      const answers = await sendOn(connection, [
        ...sent,
        this.#options.isPartOfTransaction ? nothing : commit,
      ])
      // The last statement changes the lane's row, which moves the row.
      const [written] = answers[sent.length - 1] ?? []
      if (written !== undefined) this.#place = textOrNullIn(written, 'place')
      this.#fault('committed')
    } catch (error) {
      hours.doubt(ended)
      this.#doubted = [...this.#doubted, ...ended]
      throw error
    } finally {
      // Mark the day even if the commit failed, because it may have succeeded on the server.
      if (writes.lateDay !== null) lateDays.add(writes.lateDay)
    }
    hours.add(ended)
    if (this.#doubted.length > 0) {
      // The commit in doubt has ended. If the sums of its hour were taken earlier, these sums lack the calls of the
      // commit.
      hours.doubt(this.#doubted)
      this.#doubted = []
    }
    quotes.keep(book.quotes())
    book.show(hints)
    this.#known.keep(book.cells(), memory)
  }

  undo(error: Error): Failure {
    this.#drop()
    this.#known.forget()
    const code = postgresCode(error)
    if (code === 'fenced') this.#options.onFatal(error)
    // The error may mean that a known partition was removed.
    if (code === 'retry') this.#options.months.forget()
    return code === null ? 'refused' : failureOf[code]
  }

  async storedBatch(): Promise<number> {
    try {
      this.#fault('reread')
      const { client } = await this.#connected()
      // Use `sendAll` instead of `sendOn`, because the shard may have moved to another node since the failed commit.
      const [rows] = await sendAll(client, [
        { name: 'lane', text: laneText, values: [this.#options.epoch, this.#lane, this.#shardKey] },
      ])
      const [row] = rows ?? []
      assert(row !== undefined, `lane ${this.#lane} of epoch ${this.#options.epoch} has no row`)
      return numberIn(row, 'batch')
    } catch (error) {
      this.#drop()
      throw error
    }
  }

  /** Call this function when no batch is running. */
  close(): void {
    this.#drop()
  }

  async #makeMonths(times: readonly number[]): Promise<void> {
    const { months } = this.#options
    const missing = times
      .map(monthOf)
      .filter((month) => Number.isSafeInteger(month) && !months.isThere(month))
    if (missing.length > 0) await asPostgres(months.make(missing))
  }

  /** The batch keeps its locks while quotes are stored. A process rarely uses a quote for the first time. */
  async #storeQuotes(rows: readonly RowValue[][]): Promise<void> {
    if (rows.length === 0) return
    this.#fault('quote')
    await this.#options.quotes.store(rows)
  }

  async #connected(): Promise<LaneConnection> {
    return (this.#connection ??= await this.#options.connect(this.#lane))
  }

  #drop(): void {
    if (this.#connection !== null) close(this.#connection.client)
    this.#connection = null
    this.#place = null
  }

  #fault(point: FaultPoint): void {
    const fault = this.#options.faults?.(point)
    if (fault) throw new PostgresError(codeOfFault[fault], `${fault} at ${point}`)
  }
}

const codeOfFault: Readonly<Record<InjectedFault, PostgresCode>> = {
  busy: 'busy',
  full: 'away',
  io: 'lost',
  fsync: 'lost',
}

const failureOf: Readonly<Record<PostgresCode, Failure>> = {
  lost: 'collided',
  retry: 'collided',
  unique: 'outrun',
  unreachable: 'unreachable',
  away: 'away',
  denied: 'away',
  busy: 'away',
  broken: 'broken',
  fenced: 'broken',
  other: 'refused',
}

/** Returns texts that are all on the shard of a batch (`Places`): the shard group's key, and its end users' IDs. */
function placesOf(
  shardKey: string,
  ids: readonly string[],
  needs: readonly PostgresNeed[],
): readonly string[] {
  return [
    ...new Set([shardKey, ...ids, ...needs.flatMap((need) => ('endUserId' in need ? [need.endUserId] : []))]),
  ]
}

async function readInto(
  connection: LaneConnection,
  rows: PostgresRows,
  needs: Iterable<PostgresNeed>,
): Promise<void> {
  const reading = rows.reading(needs)
  if (reading.length === 0) return
  const answers = await sendOn(
    connection,
    reading.map(({ statement }) => statement),
  )
  for (const [i, { take }] of reading.entries()) take(answers[i] ?? [])
}

async function asPostgres<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise
  } catch (cause) {
    throw postgresError(cause)
  }
}

interface LaneState {
  readonly batch: number
  readonly blocks: number[]
  readonly foldedThrough: number
  readonly place: string | null
}

function stateIn(row: SqlRow | undefined): LaneState {
  if (row === undefined) throw declaredDead()
  const numbers = textIn(row, 'numbers').slice(1, -1)
  return {
    batch: numberIn(row, 'batch') + 1,
    blocks: numbers === '' ? [] : numbers.split(',').map(Number).toSorted(ascending),
    foldedThrough: numberIn(row, 'through_day'),
    place: textOrNullIn(row, 'place'),
  }
}

function blocksOf(rows: readonly SqlRow[] | undefined): number[] {
  return (rows ?? []).map((row) => numberIn(row, 'first')).toSorted(ascending)
}

function ascending(one: number, other: number): number {
  return one - other
}
