/**
 * Runs batches on SQLite: BEGIN IMMEDIATE, every operation in order, one write per changed row, COMMIT.
 * ledger/handle-failed-batches.ts handles failures.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Operation } from '#store/ledger/operations-and-results.ts'
import { EndedHours, type PeekedHours } from '#store/ledger/hour-sums-of-ended-calls.ts'
import type { HourPart, HoursAsked } from '#store/sql/hour-sums-interface.ts'
import type { FaultPoint, InjectFault } from '#store/ledger/faults-injected-by-tests.ts'
import {
  type BatchEngine,
  type Decided,
  type Failure,
  performOne,
} from '#store/ledger/handle-failed-batches.ts'
import { fileInPlace } from './assert-file-in-place.ts'
import { SqliteBook } from './ledger-state.ts'
import { isAway, SqliteError, sqliteCode } from './classify-sqlite-errors.ts'

export interface LaneOptions {
  readonly epoch: number
  /** Called when the process must exit without confirming the waiting operations. */
  readonly onFatal: (error: Error) => void
  readonly onCommit?: ((durationMs: number) => void) | undefined
  readonly faults?: InjectFault | undefined
}

export class SqliteLane implements BatchEngine<Decided> {
  readonly #connection: DatabaseSync
  readonly #options: LaneOptions
  readonly #book: SqliteBook
  readonly #ended = new EndedHours()
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  readonly #dataVersion: StatementSync
  readonly #assertFileInPlace: () => void
  #knownDataVersion: unknown

  constructor(connection: DatabaseSync, options: LaneOptions) {
    this.#connection = connection
    this.#options = options
    this.#book = new SqliteBook(connection, options.epoch, (point) => this.#fault(point))
    this.#begin = connection.prepare('BEGIN IMMEDIATE')
    this.#commit = connection.prepare('COMMIT')
    this.#dataVersion = connection.prepare('PRAGMA data_version')
    this.#dataVersion.setReturnArrays(true)
    this.#assertFileInPlace = fileInPlace(connection.location())
  }

  /** @throws SqliteError if the file was removed or replaced */
  begin(): void {
    this.#assertFileInPlace()
    this.#begin.run()
  }

  decide(operations: readonly Operation[]): Decided {
    this.#fault('begin')
    this.begin()
    this.#noticeOthers()
    this.#book.begin()
    const results = operations.map((operation) => performOne(this.#book, operation))
    return { results, batch: this.#book.flush() }
  }

  commit(): void {
    const startedMs = performance.now()
    const ended = this.#book.takeEnded()
    try {
      this.#fault('commit')
      this.#commit.run()
      this.#fault('committed')
    } catch (error) {
      this.#ended.doubt(ended)
      throw error
    }
    this.#ended.add(ended)
    this.#options.onCommit?.(performance.now() - startedMs)
  }

  /** Includes `throughHour`. Deletes the returned sums here. */
  takeHours(throughHour: number): readonly HourPart[] {
    return this.#ended.take(throughHour)
  }

  /** Between two batches, the sums contain every committed call. */
  peekHours(asked: HoursAsked): PeekedHours {
    return this.#ended.peek(asked)
  }

  undo(error: Error): Failure {
    this.#book.forgetAll()
    this.#book.takeEnded()
    // SQLite itself rolls back after some errors (sqlite.org/lang_transaction.html).
    if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK')
    const code = sqliteCode(error)
    if (code === 'fsync') {
      this.#options.onFatal(new Error('the disk lost a write of the store', { cause: error }))
      return 'broken'
    }
    if (code === 'broken') return 'broken'
    return isAway(code) ? 'away' : 'refused'
  }

  async storedBatch(): Promise<number> {
    this.#fault('reread')
    return this.#book.storedBatch()
  }

  /** Moves the contents of the slots to the tables `usage_days` and `sources`. Call outside of a transaction. */
  writeSlots(): void {
    if (!this.#book.mayHaveSlots) return
    this.#transact(() => {
      this.#book.begin()
      this.#book.flushSlots()
    })
  }

  /**
   * Stores some of the last uses of keys. Call outside of a transaction.
   * @returns false if all last uses are stored
   */
  writeKeyUses(): boolean {
    const keys = this.#book.keyUses.takePart()
    if (keys.length === 0) return false
    try {
      this.#transact(() => this.#book.writeKeyUses(keys))
    } catch (error) {
      this.#book.keyUses.keep(keys)
      throw error
    }
    return true
  }

  #transact(work: () => void): void {
    try {
      this.#fault('begin')
      this.begin()
      this.#noticeOthers()
      work()
      this.#fault('commit')
      this.#commit.run()
      this.#fault('committed')
    } catch (error) {
      this.undo(error instanceof Error ? error : new Error(String(error)))
      throw error
    }
  }

  /** Call this function after a control-plane transaction on this connection. Null means the rows of all tables. */
  forget(tables: readonly string[] | null): void {
    this.#book.forget(tables)
  }

  openOfOthers(): string[] {
    const callIds = this.#book.unreadable()
    for (const open of this.#book.allOpen()) {
      if (open.epoch !== this.#book.epoch) callIds.push(open.hold.callId)
    }
    return callIds
  }

  /** Another process may be an operator's tool. */
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
