/**
 * The treatment of a failed batch on any engine: the queue's `LedgerEngine` over a `BatchEngine`.
 *
 *   one operation is refused by its own code    the others go on, that one is answered with its fault
 *   anything throws before the commit           the engine rolls back and forgets, then one by one
 *   two transactions met, or the connection     the whole batch once more, then one by one
 *     broke before the commit was sent
 *   another process was faster (a row with      the same; met alone, it is `unavailable`: the next time
 *     that key is there)                        that row is seen
 *   the disk is full, busy or broken, or the    after one operation alone, all that is left is `unavailable`;
 *     database is away                          at once, when no connection can be made
 *   the money does not add up                   roll back, and this ledger never writes again
 *   the commit fails, or its answer is lost     the stored number of the batch tells whether it happened;
 *                                               nothing is redone
 *   that cannot be read either                  `in_doubt`, until `resolve` can
 *   an fsync fails                              the process must end without a word: what is durable is
 *                                               no longer known (LWN 752063, "fsyncgate")
 *   this process was taken for dead             its calls are being recovered: the process must end
 */
import { MoneyBroken } from '#money/amount.ts'
import type { Book } from './book.ts'
import { OperationFault } from './operation-fault.ts'
import {
  type BatchAnswer,
  type LedgerEngine,
  type Operation,
  type OperationResult,
  perform,
} from './batch-operations.ts'

/** A batch with an open transaction, decided but not committed. */
export interface Decided {
  readonly results: readonly OperationResult[]
  /** The number that the commit makes true; null: it wrote nothing, and needs no commit to be true. */
  readonly batch: number | null
}

/** The primitives of an engine, with its SQL behind them. */
export interface BatchEngine<D extends Decided> {
  /** Begins a transaction, decides all operations in order and writes their changes. May throw anything. */
  decide(operations: readonly Operation[]): Promise<D>
  /** May throw in both cases, committed or not. */
  commit(decided: D): Promise<void>
  /** After a throw: rolls back, drops memory that may not be stored, and answers the kind of failure. */
  undo(error: Error): Failure
  /** The number of the last batch that is stored for certain. @throws when it cannot be read now */
  storedBatch(): Promise<number>
}

export type Failure =
  /** Two transactions collided, or the connection broke: the same batch may succeed the next time. */
  | 'collided'
  /** Another process has written a row with that key first: the next attempt sees it. */
  | 'outrun'
  /** The machine refuses every operation. */
  | 'away'
  /** The same, and an immediate retry would only let all callers wait for another refusal. */
  | 'unreachable'
  /** A row that violates a constraint, or a process that must end: writing stops. */
  | 'broken'
  /** The operation itself is wrong and would fail again. */
  | 'refused'

/**
 * Why the ledger writes no more; null: it writes. All lanes of one ledger share it: one that stops, stops all.
 */
export interface Halt {
  reason: string | null
}

export class BatchLadder<D extends Decided> implements LedgerEngine {
  readonly #engine: BatchEngine<D>
  readonly #halt: Halt
  #doubt: Doubt | null = null

  constructor(engine: BatchEngine<D>, halt: Halt) {
    this.#engine = engine
    this.#halt = halt
  }

  async run(operations: readonly Operation[]): Promise<BatchAnswer> {
    const { reason } = this.#halt
    if (reason !== null) return { kind: 'stopped', reason }
    if (this.#doubt !== null) return answered(unavailable(operations.length, doubtReason))
    let whole = await this.#attempt(operations)
    if (whole.kind === 'failed' && (whole.failure === 'collided' || whole.failure === 'outrun')) {
      whole = await this.#attempt(operations)
    }
    if (whole.kind !== 'failed') return whole
    if (whole.failure === 'unreachable') return answered(unavailable(operations.length, whole.error.message))
    return this.#oneByOne(operations)
  }

  async resolve(): Promise<BatchAnswer> {
    const doubt = this.#doubt
    if (doubt === null) return answered([])
    const isCommitted = await this.#isCommitted(doubt.batch)
    if (isCommitted === null) return { kind: 'in_doubt' }
    this.#doubt = null
    const { before, doubtful, after } = doubt
    const found = isCommitted ? doubtful : unavailable(doubtful.length, 'the commit did not take place')
    return answered([...before, ...found, ...after])
  }

  /** After a failed batch each operation is tried alone: a bad one stops no other. */
  async #oneByOne(operations: readonly Operation[]): Promise<BatchAnswer> {
    const results: OperationResult[] = []
    for (const operation of operations) {
      const left = operations.length - results.length
      // oxlint-disable-next-line no-await-in-loop -- one by one is what it is for
      const alone = await this.#attempt([operation])
      if (alone.kind === 'stopped') return alone
      if (alone.kind === 'in_doubt') {
        this.#widenDoubt(results, left - 1)
        return alone
      }
      if (alone.kind === 'results') {
        results.push(...alone.results)
      } else if (alone.failure === 'refused') {
        results.push({ kind: 'fault', name: alone.error.name, message: alone.error.message })
      } else if (alone.failure === 'outrun') {
        results.push(...unavailable(1, alone.error.message))
      } else {
        // The machine refuses every operation: trying the others one by one would only cost time.
        return answered([...results, ...unavailable(left, alone.error.message)])
      }
    }
    return answered(results)
  }

  /** One operation of several is in doubt: the operations before it are committed, those after it not tried. */
  #widenDoubt(before: readonly OperationResult[], left: number): void {
    if (this.#doubt === null) return
    this.#doubt = { ...this.#doubt, before, after: unavailable(left, doubtReason) }
  }

  async #attempt(operations: readonly Operation[]): Promise<BatchAnswer | Failed> {
    let decided: D
    try {
      decided = await this.#engine.decide(operations)
    } catch (error) {
      return this.#undo(error)
    }
    try {
      await this.#engine.commit(decided)
    } catch (error) {
      return this.#afterFailedCommit(error, decided)
    }
    return answered(decided.results)
  }

  #undo(cause: unknown): Stopped | Failed {
    const error = cause instanceof Error ? cause : new Error(String(cause))
    const failure = this.#engine.undo(error)
    if (failure !== 'broken' && !(error instanceof MoneyBroken)) return { kind: 'failed', error, failure }
    const reason = `the ledger has stopped: ${error.message}`
    this.#halt.reason ??= reason
    return { kind: 'stopped', reason }
  }

  async #afterFailedCommit(error: unknown, { batch, results }: Decided): Promise<BatchAnswer | Failed> {
    const undone = this.#undo(error)
    if (batch === null) return answered(results)
    if (undone.kind === 'stopped') return undone
    const isCommitted = await this.#isCommitted(batch)
    if (isCommitted === null) {
      this.#doubt = { batch, before: [], doubtful: results, after: [] }
      return { kind: 'in_doubt' }
    }
    return isCommitted ? answered(results) : undone
  }

  /** Null: it cannot be told yet. */
  async #isCommitted(batch: number): Promise<boolean | null> {
    try {
      return (await this.#engine.storedBatch()) >= batch
    } catch {
      return null
    }
  }
}

/** Performs one operation of a batch; its own fault is its answer. */
export function performOne(book: Book, operation: Operation): OperationResult {
  try {
    return { kind: 'done', value: perform(book, operation) }
  } catch (error) {
    // Thrown before anything was changed (operation-fault.ts), so the rest of the batch stands.
    if (error instanceof OperationFault) return { kind: 'fault', name: error.name, message: error.message }
    throw error
  }
}

type Stopped = BatchAnswer & { readonly kind: 'stopped' }

interface Failed {
  readonly kind: 'failed'
  readonly error: Error
  readonly failure: Failure
}

/** A batch whose commit failed, with an unknown result. */
interface Doubt {
  readonly batch: number
  readonly before: readonly OperationResult[]
  /** The results of the operations if the batch is committed after all. */
  readonly doubtful: readonly OperationResult[]
  readonly after: readonly OperationResult[]
}

const doubtReason = 'an earlier commit is in doubt'

function answered(results: readonly OperationResult[]): BatchAnswer {
  return { kind: 'results', results }
}

function unavailable(count: number, reason: string): OperationResult[] {
  return Array.from({ length: count }, () => ({ kind: 'unavailable', reason }))
}
