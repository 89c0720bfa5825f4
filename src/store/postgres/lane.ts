/**
 * Batches over PostgreSQL, one lane on one connection. A batch is two round trips:
 *
 *   1  BEGIN, lock the lane's row, lock the people's rows in the order of their ids, and then, as statements
 *      of their own, so that they see what was committed while the locks were waited for, read what the
 *      operations will ask for (prefetch.ts)
 *      every operation is decided in memory, with the functions that SQLite's engine uses too
 *   2  write, one statement per table, count the batch on the lane's row, COMMIT
 *
 * All of a person's money changes under the lock of their row, on every process; there is no other lock,
 * and no row of an application or an organization is written here. Configuration is read after the locks:
 * a reserve that begins after a change was acknowledged sees it.
 *
 * What can go wrong, and what is done then:
 *
 *   one operation is refused by its own code   the others go on, that one is answered with its fault
 *   two transactions met, or the connection    the whole batch once more, then one by one
 *     broke before the commit was sent
 *   the database is away                       after that one more time, all that is left is `unavailable`;
 *                                              at once, when no connection can be made
 *   the money does not add up                  roll back, and this ledger never writes again
 *   the answer to the commit is lost           the lane's row tells whether it happened; nothing is redone.
 *                                              The batch has locked it: it cannot be read before the batch
 *                                              is over on the server too
 *   that cannot be read either                 `in_doubt`, until `resolve` can
 *   this process was taken for dead            its calls are being recovered: the process must end
 *
 * A connection on which anything failed is thrown away.
 */
import assert from 'node:assert/strict'
import type { Client } from 'pg'
import { MoneyBroken } from '#money/amount.ts'
import type { Quote } from '#money/hold.ts'
import { close } from './connection.ts'
import { isAway, PostgresError, postgresCode, postgresError } from './error.ts'
import { commit, type Sent, sendAll } from './pipeline.ts'
import { monthOf, type Months } from './partitions.ts'
import type { CallPlaces } from './call-owners.ts'
import { OperationFault } from '#store/ledger/command-fault.ts'
import {
  type BatchAnswer,
  type LedgerEngine,
  type Operation,
  type Outcome,
  perform,
} from '#store/ledger/commands.ts'
import { blockSize, OutOfNumbers, PostgresBook } from './book.ts'
import { Missing, type Need, Rows } from './load.ts'
import { entriesOf, needsOf, peopleOf, type Seen, timesOf } from './prefetch.ts'
import type { WritePoint } from './write.ts'
import { numberIn, type SqlRow, textIn } from '#store/rows/sql-row.ts'

/** Where a test may make the store fail, and how. */
export type FaultPoint = WritePoint | 'begin' | 'load' | 'commit' | 'committed' | 'reread'
export type Fault = 'busy' | 'full' | 'io'

/** What the lanes of one process share. */
export interface LaneOptions {
  readonly epoch: number
  /** @throws PostgresError */
  readonly connect: () => Promise<Client>
  readonly months: Months
  readonly places: CallPlaces
  readonly seen: Seen
  /** Quotes that are stored for certain. Added to. */
  readonly quotes: Map<string, Quote>
  /** Why none of the lanes writes any more; null: they do. One of them sets it for all. */
  readonly halt: { reason: string | null }
  readonly onFatal: (error: Error) => void
  /** Tests: what goes wrong at this step, null: nothing. */
  readonly faults?: ((point: FaultPoint) => Fault | null) | undefined
}

/** More quotes than this are forgotten, and then stored again, which changes nothing. */
const quotesMax = 20_000
/** A batch whose rows are asked for more often than this asks for the same ones again and again. */
const roundsMax = 100

const begin = { name: 'begin', text: 'BEGIN', values: [] }
const laneText = `SELECT batch, is_ended, (SELECT through_day FROM usage_fold) AS through_day
  FROM lanes WHERE epoch = $1 AND lane = $2 FOR UPDATE`
const lockText = `SELECT id, application_id, bundle_id, subscribed_at_ms, bundle_since_ms, frozen_at_ms,
  removed_at_ms
  FROM end_users WHERE id = ANY($1::text[]) ORDER BY id FOR NO KEY UPDATE`
const numbersText = `SELECT nextval('ledger_sequence') AS first FROM generate_series(1, $1::int8)`
const stateText = 'UPDATE lanes SET batch = $3 WHERE epoch = $1 AND lane = $2'

export class PostgresLane implements LedgerEngine {
  readonly #lane: number
  readonly #options: LaneOptions
  #client: Client | null = null
  #doubt: Doubt | null = null

  constructor(lane: number, options: LaneOptions) {
    this.#lane = lane
    this.#options = options
  }

  async run(operations: readonly Operation[]): Promise<BatchAnswer> {
    const { halt } = this.#options
    if (halt.reason !== null) return { kind: 'stopped', reason: halt.reason }
    if (this.#doubt !== null) {
      return { kind: 'outcomes', outcomes: unavailable(operations.length, 'an earlier commit is in doubt') }
    }
    const whole = await this.#attempt(operations)
    if (whole.kind !== 'failed') return whole
    // Trying it again at once would only let everyone wait for another refusal.
    if (isUnreachable(whole)) return allUnavailable(whole, operations)
    if (isPassing(whole.error)) {
      const again = await this.#attempt(operations)
      if (again.kind !== 'failed') return again
      if (isUnreachable(again)) return allUnavailable(again, operations)
    }
    return this.#oneByOne(operations)
  }

  async resolve(): Promise<BatchAnswer> {
    const doubt = this.#doubt
    if (doubt === null) return { kind: 'outcomes', outcomes: [] }
    const isCommitted = await this.#isCommitted(doubt.batch)
    if (isCommitted === null) return { kind: 'in_doubt' }
    this.#doubt = null
    const { before, doubtful, after } = doubt
    const is = isCommitted ? doubtful : unavailable(doubtful.length, 'the commit did not take place')
    return { kind: 'outcomes', outcomes: [...before, ...is, ...after] }
  }

  /** When no batch is under way any more. */
  close(): void {
    this.#drop()
  }

  /** What a whole batch could not do, each operation may still do alone: one bad one stops no other. */
  async #oneByOne(operations: readonly Operation[]): Promise<BatchAnswer> {
    const outcomes: Outcome[] = []
    for (const operation of operations) {
      const left = operations.length - outcomes.length
      // oxlint-disable-next-line no-await-in-loop -- one by one is what it is for
      const alone = await this.#attempt([operation])
      if (alone.kind === 'stopped') return alone
      if (alone.kind === 'in_doubt') {
        this.#widenDoubt(outcomes, left - 1)
        return alone
      }
      if (alone.kind === 'outcomes') {
        outcomes.push(...alone.outcomes)
      } else if (isAway(postgresCode(alone.error))) {
        // The database refuses, whatever the operation: waiting out the others one by one helps nobody.
        return { kind: 'outcomes', outcomes: [...outcomes, ...unavailable(left, alone.error.message)] }
      } else if (postgresCode(alone.error) === 'unique') {
        // Someone was faster, twice: the next time their row is seen.
        outcomes.push(...unavailable(1, alone.error.message))
      } else {
        outcomes.push({ kind: 'fault', name: alone.error.name, message: alone.error.message })
      }
    }
    return { kind: 'outcomes', outcomes }
  }

  /** One operation of several is in doubt: those before it are committed, those after it not tried. */
  #widenDoubt(before: readonly Outcome[], left: number): void {
    if (this.#doubt === null) return
    this.#doubt = { ...this.#doubt, before, after: unavailable(left, 'an earlier commit is in doubt') }
  }

  async #attempt(operations: readonly Operation[]): Promise<BatchAnswer | Failed> {
    let decided: Decided
    try {
      this.#fault('begin')
      await this.#makeMonths(operations)
      decided = await this.#decide(operations)
    } catch (error) {
      return this.#undo(error)
    }
    try {
      this.#fault('commit')
      await this.#commit(decided)
      this.#fault('committed')
    } catch (error) {
      return this.#afterFailedCommit(error, decided)
    }
    this.#learn(decided.book)
    return { kind: 'outcomes', outcomes: decided.outcomes }
  }

  async #makeMonths(operations: readonly Operation[]): Promise<void> {
    const { months } = this.#options
    const missing = new Set<number>()
    for (const operation of operations) {
      for (const ms of timesOf(operation)) {
        const month = monthOf(ms)
        if (Number.isSafeInteger(month) && !months.isThere(month)) missing.add(month)
      }
    }
    if (missing.size > 0) await asPostgres(months.make(missing))
  }

  /** The first round trip, the decisions, and every statement of the second one but the last. */
  async #decide(operations: readonly Operation[]): Promise<Decided> {
    const { epoch, places, quotes, seen } = this.#options
    const client = await this.#connected()
    const ids = [...new Set(operations.flatMap((operation) => peopleOf(operation, places)))].toSorted()
    const rows = new Rows()
    const reading = rows.reading(operations.flatMap((operation) => needsOf(operation, places, seen)))
    const entries = operations.reduce((sum, operation) => sum + entriesOf(operation), 0)
    // A block is left when a call might not fit: a few numbers for each are not used.
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
      assert(round < roundsMax, 'a batch reads what it asks for')
      const book = new PostgresBook({ epoch, rows, people: byId, places, blocks, quotes, foldedThrough })
      try {
        const outcomes = operations.map((operation) => performOne(book, operation))
        const writes = book.writes()
        for (const { point } of writes) this.#fault(point)
        if (writes.length > 0) this.#fault('state')
        return { book, client, batch, outcomes, writes: writes.map(({ statement }) => statement) }
      } catch (error) {
        if (error instanceof Missing) {
          // oxlint-disable-next-line no-await-in-loop -- what is read next depends on what was read before
          await this.#read(client, rows, error.need)
        } else if (error instanceof OutOfNumbers) {
          // oxlint-disable-next-line no-await-in-loop -- as above
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

  async #read(client: Client, rows: Rows, need: Need): Promise<void> {
    for (const { statement, take } of rows.reading([need])) {
      // oxlint-disable-next-line no-await-in-loop -- one need is one statement
      const [answer] = await sendAll(client, [statement])
      take(answer ?? [])
    }
  }

  async #commit({ batch, client, writes }: Decided): Promise<void> {
    const state = { name: 'state', text: stateText, values: [this.#options.epoch, this.#lane, batch] }
    await sendAll(client, [...writes, ...(writes.length > 0 ? [state] : []), commit])
  }

  #undo(cause: unknown): BatchAnswer | Failed {
    this.#drop()
    const error = cause instanceof Error ? cause : new Error(String(cause))
    const code = postgresCode(error)
    if (error instanceof MoneyBroken || code === 'broken') return this.#stop(error)
    if (code === 'fenced') {
      this.#options.onFatal(error)
      return this.#stop(error)
    }
    // Among what passes is a partition that was taken away.
    if (code === 'retry') this.#options.months.forget()
    return { kind: 'failed', error }
  }

  #stop({ message }: Error): BatchAnswer & { readonly kind: 'stopped' } {
    const reason = `the ledger has stopped: ${message}`
    this.#options.halt.reason ??= reason
    return { kind: 'stopped', reason }
  }

  async #afterFailedCommit(
    error: unknown,
    { batch, outcomes, writes }: Decided,
  ): Promise<BatchAnswer | Failed> {
    const undone = this.#undo(error)
    // What wrote nothing needs no commit to be true.
    if (writes.length === 0) return { kind: 'outcomes', outcomes }
    if (undone.kind === 'stopped') return undone
    const isCommitted = await this.#isCommitted(batch)
    if (isCommitted === null) {
      this.#doubt = { batch, before: [], doubtful: outcomes, after: [] }
      return { kind: 'in_doubt' }
    }
    return isCommitted ? { kind: 'outcomes', outcomes } : undone
  }

  /** Null: it cannot be told yet. */
  async #isCommitted(batch: number): Promise<boolean | null> {
    try {
      this.#fault('reread')
      const client = await this.#connected()
      const [rows] = await sendAll(client, [
        { name: 'lane', text: laneText, values: [this.#options.epoch, this.#lane] },
      ])
      const [row] = rows ?? []
      return row === undefined ? null : numberIn(row, 'batch') >= batch
    } catch {
      this.#drop()
      return null
    }
  }

  /** What is true only now that the batch is committed. */
  #learn(book: PostgresBook): void {
    const { quotes, seen } = this.#options
    if (quotes.size > quotesMax) quotes.clear()
    for (const quote of book.newQuotes()) quotes.set(quote.id, quote)
    book.show(seen)
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

const codeOfFault = { busy: 'busy', full: 'away', io: 'lost' } as const

async function asPostgres<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise
  } catch (cause) {
    throw postgresError(cause)
  }
}

function performOne(book: PostgresBook, operation: Operation): Outcome {
  try {
    return { kind: 'done', value: perform(book, operation) }
  } catch (error) {
    // Thrown before anything was changed (command-fault.ts), so the rest of the batch stands.
    if (error instanceof OperationFault) return { kind: 'fault', name: error.name, message: error.message }
    throw error
  }
}

/** The number that this batch makes true. */
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

/** The same batch may go through the next time. */
function isPassing(error: Error): boolean {
  const code = postgresCode(error)
  return code === 'retry' || code === 'lost' || code === 'unique'
}

interface Decided {
  /** On which the transaction is open. */
  readonly client: Client
  readonly book: PostgresBook
  readonly batch: number
  readonly outcomes: readonly Outcome[]
  readonly writes: readonly Sent[]
}

interface Failed {
  readonly kind: 'failed'
  readonly error: Error
}

/** A batch whose commit failed, and could not be looked up. */
interface Doubt {
  readonly batch: number
  readonly before: readonly Outcome[]
  /** What the operations come to if it was committed after all. */
  readonly doubtful: readonly Outcome[]
  readonly after: readonly Outcome[]
}

function isUnreachable({ error }: Failed): boolean {
  return postgresCode(error) === 'unreachable'
}

function allUnavailable({ error }: Failed, operations: readonly Operation[]): BatchAnswer {
  return { kind: 'outcomes', outcomes: unavailable(operations.length, error.message) }
}

function unavailable(count: number, reason: string): Outcome[] {
  return Array.from({ length: count }, () => ({ kind: 'unavailable', reason }))
}
