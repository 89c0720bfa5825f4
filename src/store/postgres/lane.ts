/**
 * Batches over PostgreSQL. A lane has one connection. A batch takes two round trips:
 *
 * 1. BEGIN, lock the lane's row, and lock the rows of the end users in ID order. Then read the rows that the operations
 * will need (row-prefetch.ts). These are separate statements, so that they see everything that was committed during the
 * wait for the locks. Every operation is then decided in memory, with the same functions as in the SQLite engine.
 * 2. Write, one statement per table, count the batch on the lane's row, COMMIT.
 *
 * All money of an end user changes under the lock of the end user's row, in every process. There is no other lock, and
 * no row of an application or an organization is written here. Configuration is read after the locks, so a reserve that
 * begins after a change was acknowledged sees the change.
 *
 * ledger/failed-batch.ts handles failures. The lane's row counts the batches and shows whether a batch was committed.
 * The batch locks the row, so the row cannot be read before the batch has ended on the server. A connection on which
 * anything failed is closed.
 */
import assert from 'node:assert/strict'
import type { Client } from 'pg'
import type { Quote } from '#money/hold.ts'
import type { Operation } from '#store/ledger/batch-operations.ts'
import type { FaultPoint, InjectedFault, InjectFault } from '#store/ledger/injected-fault.ts'
import type { EndedRecord } from '#store/ledger/book-cells.ts'
import type { EndedHours } from '#store/ledger/ended-hours.ts'
import { type BatchEngine, type Decided, type Failure, performOne } from '#store/ledger/failed-batch.ts'
import { numberIn, type SqlRow, textIn } from '#store/rows/sql-row.ts'
import { blockSize, OutOfNumbers, PostgresBook } from './book.ts'
import { close } from './connection.ts'
import { type PostgresCode, PostgresError, postgresCode, postgresError } from './error.ts'
import { Missing, type PostgresNeed, PostgresRows } from './load-needs.ts'
import { monthOf, type Months } from './partitions.ts'
import { commit, type Sent, sendAll } from './pipeline.ts'
import { type CallOwners, forecastOf, type PrefetchHints } from './row-prefetch.ts'

/** State and settings that the lanes of one process share. */
export interface LaneOptions {
  readonly epoch: number
  /** @throws PostgresError */
  readonly connect: () => Promise<Client>
  readonly months: Months
  readonly owners: CallOwners
  readonly hints: PrefetchHints
  /** Quotes that are certainly stored. The lanes add to it. */
  readonly quotes: Map<string, Quote>
  readonly ended: EndedHours
  readonly onFatal: (error: Error) => void
  readonly faults?: InjectFault | undefined
}

/** Above this number, the quotes are dropped from memory and stored again, which changes nothing. */
const quotesMax = 20_000
/** A batch that needs more rounds requests the same rows again and again. */
const roundsMax = 100

const begin = { name: 'begin', text: 'BEGIN', values: [] }
const laneText = `SELECT batch, is_ended, (SELECT through_day FROM usage_fold) AS through_day
  FROM lanes WHERE epoch = $1 AND lane = $2 FOR UPDATE`
const lockText = `SELECT id, application_id, bundle_id, subscribed_at_ms, bundle_since_ms, frozen_at_ms,
  removed_at_ms
  FROM end_users WHERE id = ANY($1::text[]) ORDER BY id FOR NO KEY UPDATE`
const numbersText = `SELECT nextval('ledger_sequence') AS first FROM generate_series(1, $1::int8)`
const stateText = 'UPDATE lanes SET batch = $3 WHERE epoch = $1 AND lane = $2'

/** A decided batch that waits for its writes and the commit. */
interface Batch extends Decided {
  /** The connection on which the transaction is open. */
  readonly client: Client
  readonly book: PostgresBook
  readonly writes: readonly Sent[]
}

export class PostgresLane implements BatchEngine<Batch> {
  readonly #lane: number
  readonly #options: LaneOptions
  #client: Client | null = null
  /** Calls of batches whose commit failed, and may have been committed since. */
  #doubted: readonly EndedRecord[] = []

  constructor(lane: number, options: LaneOptions) {
    this.#lane = lane
    this.#options = options
  }

  /** Runs the first round trip, the decisions, and every statement of the second round trip except the last. */
  async decide(operations: readonly Operation[]): Promise<Batch> {
    this.#fault('begin')
    const { epoch, owners, quotes, hints } = this.#options
    const forecasts = operations.map((operation) => forecastOf(operation, owners, hints))
    await this.#makeMonths(forecasts.flatMap(({ times }) => times))
    const client = await this.#connected()
    const ids = [...new Set(forecasts.flatMap(({ people }) => people))].toSorted()
    const rows = new PostgresRows()
    const reading = rows.reading(forecasts.flatMap(({ needs }) => needs))
    const entries = forecasts.reduce((sum, forecast) => sum + forecast.entries, 0)
    // A call that might not fit into a block begins the next block, so some numbers remain unused.
    const blockCount = entries === 0 ? 0 : Math.ceil((entries * 1.25) / blockSize)

    this.#fault('load')
    const [, lane, people, numbers, ...answers] = await sendAll(client, [
      begin,
      { name: 'lane', text: laneText, values: [epoch, this.#lane] },
      { name: 'lock', text: lockText, values: [ids] },
      { name: 'numbers', text: numbersText, values: [blockCount] },
      ...reading.map(({ statement }) => statement),
    ])
    const batch = nextBatch(lane?.[0])
    const foldedThrough = foldedIn(lane?.[0])
    for (const [i, { take }] of reading.entries()) take(answers[i] ?? [])
    const blocks = blocksOf(numbers)
    const byId = new Map((people ?? []).map((row) => [textIn(row, 'id'), row]))

    for (let round = 0; ; round++) {
      assert(
        round < roundsMax,
        `a batch of ${operations.length} operations still asks for rows after ${round} rounds`,
      )
      const book = new PostgresBook({ epoch, rows, people: byId, owners, blocks, quotes, foldedThrough })
      try {
        const results = operations.map((operation) => performOne(book, operation))
        const writes = book.writes()
        for (const { point } of writes) this.#fault(point)
        if (writes.length > 0) this.#fault('state')
        return {
          book,
          client,
          results,
          batch: writes.length > 0 ? batch : null,
          writes: writes.map(({ statement }) => statement),
        }
      } catch (error) {
        if (error instanceof Missing) {
          // oxlint-disable-next-line no-await-in-loop -- the next read depends on the rows of the previous one
          await this.#read(client, rows, error.need)
        } else if (error instanceof OutOfNumbers) {
          // oxlint-disable-next-line no-await-in-loop -- see above
          const [more] = await sendAll(client, [
            { name: 'numbers', text: numbersText, values: [1 + blocks.length] },
          ])
          blocks.push(...blocksOf(more))
        } else {
          throw error
        }
      }
    }
  }

  async commit({ batch, book, client, writes }: Batch): Promise<void> {
    const { ended: hours, epoch, quotes, hints } = this.#options
    const ended = book.takeEnded()
    try {
      this.#fault('commit')
      const state = { name: 'state', text: stateText, values: [epoch, this.#lane, batch] }
      await sendAll(client, [...writes, ...(batch === null ? [] : [state]), commit])
      this.#fault('committed')
    } catch (error) {
      hours.doubt(ended)
      this.#doubted = [...this.#doubted, ...ended]
      throw error
    }
    hours.add(ended)
    if (this.#doubted.length > 0) {
      // The row of the lane proves that the doubtful commit has ended. It may have ended after its hour was read.
      hours.doubt(this.#doubted)
      this.#doubted = []
    }
    // The quotes are certainly stored only after the batch is committed.
    if (quotes.size > quotesMax) quotes.clear()
    for (const quote of book.quotes()) quotes.set(quote.id, quote)
    book.show(hints)
  }

  undo(error: Error): Failure {
    this.#drop()
    const code = postgresCode(error)
    if (code === 'fenced') this.#options.onFatal(error)
    // The cause may be a partition that was removed.
    if (code === 'retry') this.#options.months.forget()
    return code === null ? 'refused' : failureOf[code]
  }

  async storedBatch(): Promise<number> {
    try {
      this.#fault('reread')
      const client = await this.#connected()
      const [rows] = await sendAll(client, [
        { name: 'lane', text: laneText, values: [this.#options.epoch, this.#lane] },
      ])
      const [row] = rows ?? []
      assert(row !== undefined, `lane ${this.#lane} of epoch ${this.#options.epoch} has no row`)
      return numberIn(row, 'batch')
    } catch (error) {
      this.#drop()
      throw error
    }
  }

  /** Call when no batch is running. */
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

  async #read(client: Client, rows: PostgresRows, need: PostgresNeed): Promise<void> {
    for (const { statement, take } of rows.reading([need])) {
      // oxlint-disable-next-line no-await-in-loop -- one statement per need
      const [answer] = await sendAll(client, [statement])
      take(answer ?? [])
    }
  }

  async #connected(): Promise<Client> {
    return (this.#client ??= await this.#options.connect())
  }

  #drop(): void {
    if (this.#client !== null) close(this.#client)
    this.#client = null
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
  busy: 'away',
  broken: 'broken',
  fenced: 'broken',
  other: 'refused',
}

async function asPostgres<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise
  } catch (cause) {
    throw postgresError(cause)
  }
}

/** Returns the number that this batch stores. */
function nextBatch(lane: SqlRow | undefined): number {
  if (lane === undefined || lane.is_ended !== 0n) {
    throw new PostgresError(
      'fenced',
      'this process was silent for too long, and its calls are taken over by others',
    )
  }
  return numberIn(lane, 'batch') + 1
}

function foldedIn(lane: SqlRow | undefined): number {
  return lane === undefined ? -1 : numberIn(lane, 'through_day')
}

function blocksOf(rows: readonly SqlRow[] | undefined): number[] {
  return (rows ?? []).map((row) => numberIn(row, 'first')).toSorted((one, other) => one - other)
}
