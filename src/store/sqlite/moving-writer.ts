import type { BatchAnswer, LedgerEngine, Operation } from '#store/ledger/operations-and-results.ts'
import type { PeekedHours } from '#store/ledger/hour-sums-of-ended-calls.ts'
import type { HourPart, HoursAsked } from '#store/sql/hour-sums-interface.ts'
import type { Parameter, RowsAnswer, RowWriter } from '#store/sql/row-runner-interface.ts'
import type { WriterChoice, WriterPlace } from './choose-writer-thread.ts'

export interface Parts {
  readonly writer: Writer
  close(): Promise<void>
}

export type Writer = RowWriter &
  LedgerEngine & {
    openOfOthers(): Promise<string[]>
    takeHours(throughHour: number): Promise<readonly HourPart[]>
    peekHours(asked: HoursAsked): Promise<PeekedHours>
  }

export interface MoveOptions {
  /**
   * Opens a writer on the other thread, with the same epoch (process number). The new writer reads nothing before its
   * first operation, because the old writer still works.
   * @param onCommit called with the duration of each commit
   */
  readonly open: (place: WriterPlace, onCommit: (durationMs: number) => void) => Promise<Parts>
  readonly choice: WriterChoice
  readonly onMoved?: ((place: WriterPlace) => void) | undefined
  /** Called with the hourly sums of the writer that was left, in the turn of the move. */
  readonly onSumsLeft?: ((sums: Promise<readonly HourPart[]>) => void) | undefined
  readonly onFault?: ((error: Error) => void) | undefined
}

/**
 * A writer that moves between the main thread and a separate thread while the store is in use. The new writer is opened
 * while the old writer works, and takes over when no batch and no transaction runs. The old writer is then closed. The
 * file contains every decision of a completed batch, so the new writer starts with empty memory, as after a failed
 * batch. A commit in doubt and a stopped ledger exist only in memory, so they prevent a move.
 */
export class MovingWriter implements Writer {
  readonly #options: MoveOptions
  #place: WriterPlace
  #parts: Parts
  /** Takes over as soon as the current writer is idle. */
  #next: Parts | null = null
  #opening: Promise<void> | null = null
  #leaving: Promise<void> = Promise.resolve()
  #running: Promise<BatchAnswer> | null = null
  /**
   * The number of the open transaction. Each writer counts from one, so this class numbers transactions itself. A later
   * transaction must never get the number of a transaction that timed out.
   */
  #transaction: number | null = null
  #transactionsBegun = 0
  /** The current writer's number of the transaction. */
  #inner = 0
  #slotsBeingWritten = 0
  #isInDoubt = false
  #isStopped = false
  #isClosed = false

  /** The writer starts on the main thread. */
  static async open(options: MoveOptions): Promise<MovingWriter> {
    let tell = (_durationMs: number): void => {}
    const moving = new MovingWriter(await options.open('inline', (durationMs) => tell(durationMs)), options)
    tell = (durationMs) => moving.#onCommit(durationMs)
    return moving
  }

  private constructor(parts: Parts, options: MoveOptions) {
    this.#place = 'inline'
    this.#parts = parts
    this.#options = options
  }

  run(operations: readonly Operation[]): BatchAnswer | Promise<BatchAnswer> {
    let answer: BatchAnswer | Promise<BatchAnswer>
    try {
      answer = this.#parts.writer.run(operations)
    } catch (error) {
      this.#isStopped = true
      throw error
    }
    if (answer instanceof Promise) return this.#whileRunning(answer)
    this.#note(answer)
    this.#moveIfQuiet()
    return answer
  }

  async #whileRunning(running: Promise<BatchAnswer>): Promise<BatchAnswer> {
    this.#running = running
    try {
      return this.#note(await running)
    } catch (error) {
      this.#isStopped = true
      throw error
    } finally {
      this.#running = null
      this.#moveIfQuiet()
    }
  }

  async resolve(): Promise<BatchAnswer> {
    const answer = this.#note(await this.#parts.writer.resolve())
    if (answer.kind !== 'in_doubt') this.#isInDoubt = false
    this.#moveIfQuiet()
    return answer
  }

  openOfOthers(): Promise<string[]> {
    return this.#parts.writer.openOfOthers()
  }

  /** Contains only the calls since the last move of the writer. `onSumsLeft` gets the earlier calls. */
  takeHours(throughHour: number): Promise<readonly HourPart[]> {
    return this.#parts.writer.takeHours(throughHour)
  }

  peekHours(asked: HoursAsked): Promise<PeekedHours> {
    return this.#parts.writer.peekHours(asked)
  }

  async writeSlots(): Promise<void> {
    // Delay a move until the slots are written, because both threads could otherwise write to the file.
    this.#slotsBeingWritten += 1
    try {
      await this.#parts.writer.writeSlots()
    } finally {
      this.#slotsBeingWritten -= 1
      this.#moveIfQuiet()
    }
  }

  async begin(): Promise<number> {
    // Otherwise, transactions that each begin before the next batch could delay the move without limit.
    if (this.#next !== null && this.#running !== null) await this.#running.catch(() => null)
    const transaction = ++this.#transactionsBegun
    this.#transaction = transaction
    try {
      this.#inner = await this.#parts.writer.begin()
      return transaction
    } catch (error) {
      this.#end()
      throw error
    }
  }

  async query(transaction: number, sql: string, parameters: readonly Parameter[]): Promise<RowsAnswer> {
    this.#assertOpen(transaction)
    return this.#parts.writer.query(this.#inner, sql, parameters)
  }

  async commit(transaction: number, touched: readonly string[] | null): Promise<void> {
    this.#assertOpen(transaction)
    try {
      await this.#parts.writer.commit(this.#inner, touched)
    } finally {
      this.#end()
    }
  }

  async rollback(transaction: number): Promise<void> {
    if (this.#transaction !== transaction) return
    try {
      await this.#parts.writer.rollback(this.#inner)
    } finally {
      this.#end()
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#opening
    await this.#next?.close()
    await this.#leaving
    await this.#parts.close()
  }

  #assertOpen(transaction: number): void {
    if (this.#transaction !== transaction)
      throw new Error('the transaction is over: it was open for too long')
  }

  #end(): void {
    this.#transaction = null
    this.#moveIfQuiet()
  }

  #note(answer: BatchAnswer): BatchAnswer {
    if (answer.kind === 'in_doubt') this.#isInDoubt = true
    if (answer.kind === 'stopped') this.#isStopped = true
    return answer
  }

  #onCommit(durationMs: number): void {
    if (this.#opening !== null || this.#next !== null || this.#isClosed) return
    const place = this.#options.choice.committed(durationMs, performance.now(), this.#place)
    if (place !== this.#place) this.#opening = this.#open(place)
  }

  async #open(place: WriterPlace): Promise<void> {
    try {
      const next = await this.#options.open(place, (durationMs) => this.#onCommit(durationMs))
      this.#next = next
      this.#moveIfQuiet()
    } catch (cause) {
      this.#tellFault('the other place for the ledger could not be opened', cause)
    } finally {
      this.#opening = null
    }
  }

  #moveIfQuiet(): void {
    const next = this.#next
    if (next === null || this.#running !== null || this.#transaction !== null || this.#slotsBeingWritten > 0)
      return
    if (this.#isInDoubt || this.#isStopped || this.#isClosed) return
    const left = this.#parts
    this.#parts = next
    this.#next = null
    this.#place = this.#place === 'inline' ? 'thread' : 'inline'
    const sums = left.writer.takeHours(Infinity)
    this.#options.onSumsLeft?.(sums)
    this.#leaving = this.#leaveBehind(left, sums)
    this.#options.onMoved?.(this.#place)
  }

  async #leaveBehind(left: Parts, sums: Promise<unknown>): Promise<void> {
    await this.#leaving
    try {
      await sums
      await left.close()
    } catch (cause) {
      this.#tellFault('the place that the ledger has left could not be closed', cause)
    }
  }

  #tellFault(message: string, cause: unknown): void {
    this.#options.onFault?.(new Error(message, { cause }))
  }
}
