import assert from 'node:assert/strict'
import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BatchAnswer, LedgerEngine, Operation } from '#store/ledger/operations-and-results.ts'
import type { PeekedHours } from '#store/ledger/hour-sums-of-ended-calls.ts'
import type { HourPart, HoursAsked } from '#store/sql/hour-sums-interface.ts'
import { BatchLadder, type Decided } from '#store/ledger/handle-failed-batches.ts'
import type { Parameter, RowsAnswer, RowWriter } from '#store/sql/row-runner-interface.ts'
import { needsDays } from './buffered-day-sums.ts'
import { needsSources } from './views-with-buffered-balances.ts'
import { sqliteCode } from './classify-sqlite-errors.ts'
import { type LaneOptions, SqliteLane } from './batch-engine.ts'
import { keyUsesEveryMs } from './key-last-uses-to-store.ts'
import { SqliteRows } from './run-prepared-statements.ts'

/**
 * The only connection that writes, on the main thread or on its own thread. Ledger batches and transactions of the
 * control plane take turns. A transaction of the control plane stays open between its statements, which arrive as
 * separate messages.
 */
export class SqliteWriter implements RowWriter, LedgerEngine {
  readonly #connection: DatabaseSync
  readonly #rows: SqliteRows
  readonly #lane: SqliteLane
  readonly #ladder: BatchLadder<Decided>
  readonly #onFatal: (error: Error) => void
  readonly #keyUses: NodeJS.Timeout
  #transaction: number | null = null
  #transactionsBegun = 0
  /** Null if no batch runs, or if the batch needs no promise. */
  #running: Promise<BatchAnswer> | null = null
  /** Why the slots could not be written before the open transaction. */
  #slotsFault: Error | null = null
  #over = Promise.withResolvers<void>()

  constructor(connection: DatabaseSync, options: LaneOptions) {
    this.#connection = connection
    this.#rows = new SqliteRows(connection)
    this.#lane = new SqliteLane(connection, options)
    this.#ladder = new BatchLadder(this.#lane, { reason: null })
    this.#onFatal = options.onFatal
    this.#keyUses = setInterval(() => void this.#writeKeyUses(), keyUsesEveryMs).unref()
  }

  run(operations: readonly Operation[]): BatchAnswer | Promise<BatchAnswer> {
    if (this.#transaction !== null) return this.#runAfterTransaction(operations)
    const answer = this.#ladder.run(operations)
    return answer instanceof Promise ? this.#whileRunning(answer) : answer
  }

  async #runAfterTransaction(operations: readonly Operation[]): Promise<BatchAnswer> {
    // oxlint-disable-next-line no-await-in-loop -- another transaction may have begun in between
    while (this.#transaction !== null) await this.#over.promise
    return this.#whileRunning(this.#ladder.run(operations))
  }

  async #whileRunning(answer: BatchAnswer | Promise<BatchAnswer>): Promise<BatchAnswer> {
    this.#running = Promise.resolve(answer)
    try {
      return await this.#running
    } finally {
      this.#running = null
    }
  }

  async resolve(): Promise<BatchAnswer> {
    return this.#ladder.resolve()
  }

  async openOfOthers(): Promise<string[]> {
    return this.#lane.openOfOthers()
  }

  async takeHours(throughHour: number): Promise<readonly HourPart[]> {
    return this.#lane.takeHours(throughHour)
  }

  async peekHours(asked: HoursAsked): Promise<PeekedHours> {
    return this.#lane.peekHours(asked)
  }

  async writeSlots(): Promise<void> {
    // oxlint-disable-next-line no-await-in-loop -- another transaction may have begun in between
    while (this.#running !== null) await this.#running.catch(() => null)
    // While a transaction is open, no batch runs, so the tables are complete: `begin` has written the slots.
    if (this.#transaction === null) this.#lane.writeSlots()
    else if (this.#slotsFault !== null) throw this.#slotsFault
  }

  async begin(): Promise<number> {
    // oxlint-disable-next-line no-await-in-loop -- another transaction may have begun in between
    while (this.#running !== null) await this.#running.catch(() => null)
    assert(this.#transaction === null, `row transaction ${this.#transaction} is open still`)
    this.#slotsFault = this.#faultOfSlots()
    this.#lane.begin()
    this.#transaction = ++this.#transactionsBegun
    return this.#transaction
  }

  async query(transaction: number, sql: string, parameters: readonly Parameter[]): Promise<RowsAnswer> {
    this.#assertOpen(transaction)
    if (this.#slotsFault !== null && (needsDays(sql) || needsSources(sql))) throw this.#slotsFault
    return this.#rows.run(sql, parameters)
  }

  /**
   * Returns the error instead of throwing it, because a transaction that reads neither days nor sources can still
   * succeed.
   */
  #faultOfSlots(): Error | null {
    try {
      this.#lane.writeSlots()
      return null
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error))
    }
  }

  async commit(transaction: number, touched: readonly string[] | null): Promise<void> {
    this.#assertOpen(transaction)
    try {
      this.#connection.exec('COMMIT')
      this.#lane.forget(touched)
    } catch (cause) {
      // Drop all cached rows, because the transaction may have been committed despite the error.
      this.#lane.forget(null)
      if (sqliteCode(cause) === 'fsync') {
        this.#onFatal(new Error('the disk lost a write of the store', { cause }))
      }
      throw cause
    } finally {
      this.#end()
    }
  }

  async rollback(transaction: number): Promise<void> {
    if (this.#transaction === transaction) this.#end()
  }

  close(): void {
    this.#end()
    clearInterval(this.#keyUses)
    try {
      while (this.#lane.writeKeyUses());
    } catch {
      // Close the store anyway, because last uses of keys are only displayed.
    }
    this.#connection.close()
  }

  /** Stores the last uses of keys in parts, so that batches run in between. */
  async #writeKeyUses(): Promise<void> {
    try {
      do {
        // oxlint-disable-next-line no-await-in-loop -- one part after the other
        await this.#untilFree()
      } while (this.#connection.isOpen && this.#lane.writeKeyUses())
    } catch {
      // The disk may be full. The last uses wait for the next interval.
    }
  }

  /** Waits at least for one turn of the event loop. */
  async #untilFree(): Promise<void> {
    do {
      // oxlint-disable no-await-in-loop -- another transaction may have begun in between
      await nextTurn()
      if (this.#transaction !== null) await this.#over.promise
      await this.#running?.catch(() => null)
      // oxlint-enable no-await-in-loop
    } while (this.#transaction !== null || this.#running !== null)
  }

  #assertOpen(transaction: number): void {
    if (this.#transaction !== transaction)
      throw new Error('the transaction is over: it was open for too long')
  }

  #end(): void {
    this.#transaction = null
    if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK')
    this.#over.resolve()
    this.#over = Promise.withResolvers()
  }
}
