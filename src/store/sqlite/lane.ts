/**
 * Batches over SQLite: BEGIN IMMEDIATE, every operation in order, one write per row that they changed,
 * COMMIT. What can go wrong, and what is done then:
 *
 *   one operation is refused by its own code   the others go on, that one is answered with its fault
 *   anything throws before the commit          roll back, forget the memory, try one by one
 *   the disk is full, busy or broken           after that one more time, all that is left is `unavailable`
 *   the money does not add up                  roll back, and this ledger never writes again
 *   the commit fails                           its number tells whether it happened; nothing is redone
 *   that cannot be read either                 `in_doubt`, until `resolve` can
 *   an fsync fails                             the process must end without a word: what is durable is
 *                                              no longer known (LWN 752063, "fsyncgate")
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { MoneyBroken } from '#money/amount.ts'
import { isEnvironmental, SqliteError, sqliteCode } from './error.ts'
import { OperationFault } from '#store/ledger/command-fault.ts'
import { type BatchAnswer, type Operation, type Outcome, perform } from '#store/ledger/commands.ts'
import { SqliteBook } from './book.ts'
import type { WritePoint } from './write.ts'

/** Where a test may make the store fail, and how. */
export type FaultPoint = WritePoint | 'begin' | 'commit' | 'committed' | 'reread'
export type Fault = 'busy' | 'full' | 'io' | 'fsync'

export interface BatchOptions {
  readonly epoch: number
  readonly onFatal: (error: Error) => void
  /** Told of each batch that was committed: how long the commit took. */
  readonly onCommit?: ((durationMs: number) => void) | undefined
  /** Tests: what goes wrong at this step, null: nothing. */
  readonly faults?: ((point: FaultPoint) => Fault | null) | undefined
}

export class SqliteBatches {
  readonly #connection: DatabaseSync
  readonly #options: BatchOptions
  readonly #book: SqliteBook
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  readonly #dataVersion: StatementSync
  #knownDataVersion: unknown
  #stopped: string | null = null
  #doubt: Doubt | null = null

  constructor(connection: DatabaseSync, options: BatchOptions) {
    this.#connection = connection
    this.#options = options
    this.#book = new SqliteBook(connection, options.epoch, (point) => this.#fault(point))
    this.#begin = connection.prepare('BEGIN IMMEDIATE')
    this.#commit = connection.prepare('COMMIT')
    this.#dataVersion = connection.prepare('PRAGMA data_version')
    this.#dataVersion.setReturnArrays(true)
  }

  run(operations: readonly Operation[]): BatchAnswer {
    if (this.#stopped !== null) return { kind: 'stopped', reason: this.#stopped }
    if (this.#doubt !== null) {
      return { kind: 'outcomes', outcomes: unavailable(operations.length, 'an earlier commit is in doubt') }
    }
    const whole = this.#attempt(operations)
    if (whole.kind !== 'failed') return whole
    return this.#oneByOne(operations)
  }

  resolve(): BatchAnswer {
    const doubt = this.#doubt
    if (doubt === null) return { kind: 'outcomes', outcomes: [] }
    const isCommitted = this.#isCommitted(doubt.batch)
    if (isCommitted === null) return { kind: 'in_doubt' }
    this.#doubt = null
    const { before, doubtful, after } = doubt
    const found = isCommitted ? doubtful : unavailable(doubtful.length, 'the commit did not take place')
    return { kind: 'outcomes', outcomes: [...before, ...found, ...after] }
  }

  /** Someone else has committed on this connection. */
  forget(tables: readonly string[] | null): void {
    this.#book.forget(tables)
  }

  /** Calls that a process before this one left open. */
  openOfOthers(): string[] {
    const callIds: string[] = []
    for (const open of this.#book.allOpen()) {
      if (open.epoch !== this.#book.epoch) callIds.push(open.hold.callId)
    }
    return callIds
  }

  /** What a whole batch could not do, each operation may still do alone: one bad one stops no other. */
  #oneByOne(operations: readonly Operation[]): BatchAnswer {
    const outcomes: Outcome[] = []
    for (const operation of operations) {
      const left = operations.length - outcomes.length
      const alone = this.#attempt([operation])
      if (alone.kind === 'stopped') return alone
      if (alone.kind === 'in_doubt') {
        this.#widenDoubt(outcomes, left - 1)
        return alone
      }
      if (alone.kind === 'outcomes') {
        outcomes.push(...alone.outcomes)
      } else if (alone.isEnvironment) {
        // The disk refuses, whatever the operation: waiting out the others one by one helps nobody.
        return { kind: 'outcomes', outcomes: [...outcomes, ...unavailable(left, alone.error.message)] }
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

  #attempt(operations: readonly Operation[]): BatchAnswer | Failed {
    let outcomes: Outcome[]
    let batch: number
    try {
      this.#fault('begin')
      this.#begin.run()
      this.#noticeOthers()
      this.#book.begin()
      outcomes = operations.map((operation) => this.#perform(operation))
      batch = this.#book.flush()
    } catch (error) {
      return this.#undo(error)
    }
    const startedMs = performance.now()
    try {
      this.#fault('commit')
      this.#commit.run()
      this.#fault('committed')
    } catch (error) {
      return this.#afterFailedCommit(error, batch, outcomes)
    }
    this.#options.onCommit?.(performance.now() - startedMs)
    return { kind: 'outcomes', outcomes }
  }

  #perform(operation: Operation): Outcome {
    try {
      return { kind: 'done', value: perform(this.#book, operation) }
    } catch (error) {
      // Thrown before anything was changed (command-fault.ts), so the rest of the batch stands.
      if (error instanceof OperationFault) return { kind: 'fault', name: error.name, message: error.message }
      throw error
    }
  }

  #undo(cause: unknown): BatchAnswer | Failed {
    this.#rollBack()
    const error = cause instanceof Error ? cause : new Error(String(cause))
    const code = sqliteCode(error)
    if (error instanceof MoneyBroken || code === 'broken') return this.#stop(error)
    if (code === 'fsync') {
      this.#options.onFatal(new Error('the disk lost a write of the store', { cause }))
      return this.#stop(error)
    }
    return { kind: 'failed', error, isEnvironment: isEnvironmental(code) }
  }

  #stop({ message }: Error): BatchAnswer & { readonly kind: 'stopped' } {
    this.#stopped = `the ledger has stopped: ${message}`
    return { kind: 'stopped', reason: this.#stopped }
  }

  #afterFailedCommit(error: unknown, batch: number, outcomes: readonly Outcome[]): BatchAnswer | Failed {
    const undone = this.#undo(error)
    if (undone.kind === 'stopped') return undone
    const isCommitted = this.#isCommitted(batch)
    if (isCommitted === null) {
      this.#doubt = { batch, before: [], doubtful: outcomes, after: [] }
      return { kind: 'in_doubt' }
    }
    return isCommitted ? { kind: 'outcomes', outcomes } : undone
  }

  /** Null: it cannot be told yet. */
  #isCommitted(batch: number): boolean | null {
    try {
      this.#fault('reread')
      return this.#book.storedState().batch >= batch
    } catch {
      return null
    }
  }

  #rollBack(): void {
    this.#book.forgetAll()
    // SQLite has already rolled back after some errors (sqlite.org/lang_transaction.html).
    if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK')
  }

  /** Another process wrote to the file, a tool of the operator's: what we remember may be old. */
  #noticeOthers(): void {
    const row: unknown = this.#dataVersion.get()
    const version: unknown = Array.isArray(row) ? row[0] : undefined
    if (version !== this.#knownDataVersion) {
      if (this.#knownDataVersion !== undefined) this.#book.forgetAll()
      this.#knownDataVersion = version
    }
  }

  #fault(point: FaultPoint): void {
    const fault = this.#options.faults?.(point)
    if (fault) throw new SqliteError(fault, `${fault} at ${point}`)
  }
}

interface Failed {
  readonly kind: 'failed'
  readonly error: Error
  /** Of the machine and not of what was asked. */
  readonly isEnvironment: boolean
}

/** A batch whose commit failed, and could not be looked up. */
interface Doubt {
  readonly batch: number
  readonly before: readonly Outcome[]
  /** What the operations come to if it was committed after all. */
  readonly doubtful: readonly Outcome[]
  readonly after: readonly Outcome[]
}

function unavailable(count: number, reason: string): Outcome[] {
  return Array.from({ length: count }, () => ({ kind: 'unavailable', reason }))
}
