/**
 * - The ledger code rejects an operation: its result is the fault, and the other operations of the batch continue.
 * - An error is thrown before the commit: the engine rolls back and drops its cached rows. Then each operation runs
 *   alone.
 * - Two transactions collided, or the connection broke before the commit was sent: the whole batch runs once more. If
 *   the whole batch fails again, each operation runs alone.
 * - Another process wrote a row with the same key first: the whole batch runs once more. If an operation that runs
 *   alone has this error, its result is `unavailable`. The next attempt reads that row.
 * - The disk is full, busy or broken, or the database is unavailable: operations run alone until one of them fails. The
 *   results of this operation and all later operations are `unavailable`. If no connection can be made, all results are
 *   `unavailable` immediately.
 * - A grant runs alone, and fails because the disk or the database is unavailable: the results of all further grants
 *   are `unavailable`. Operations that are not grants are still tried.
 * - The money does not add up: the engine rolls back, and this ledger never writes again.
 * - The commit fails, or its response is lost: the stored number of the batch shows whether it was committed. No
 *   operation runs twice.
 * - The commit fails, and the stored number of the batch cannot be read: the result is `in_doubt` until `resolve` can
 *   read the number.
 * - An fsync fails: it is unknown which data is durable (LWN 752063, "fsyncgate"). The process must exit immediately
 *   and write nothing more.
 * - Another process declared this process dead: its calls are being recovered, so this process must exit.
 */
import { MoneyBroken } from '#money/amount.ts'
import type { Book } from './ledger-state-in-memory.ts'
import { OperationFault } from './operation-fault.ts'
import {
  type BatchAnswer,
  isOfGrant,
  type LedgerEngine,
  type Operation,
  type OperationResult,
  perform,
} from './operations-and-results.ts'

export interface Decided {
  readonly results: readonly OperationResult[]
  /** The batch number that the commit stores. Null if the batch wrote nothing and needs no commit. */
  readonly batch: number | null
}

export interface BatchEngine<D extends Decided> {
  /** Begins a transaction, decides all operations in order and writes their changes. */
  decide(operations: readonly Operation[]): D | Promise<D>
  /** If `commit` throws, it is unknown whether the commit has happened. */
  commit(decided: D): void | Promise<void>
  /** Rolls back after an error, drops cached state that may not be stored, and returns the kind of failure. */
  undo(error: Error): Failure
  /**
   * Returns the number of the newest batch that is certainly stored.
   * @throws if the number cannot be read at this time
   */
  storedBatch(): Promise<number>
}

export type Failure =
  /** Two transactions collided, or the connection broke. */
  | 'collided'
  /** Another process wrote a row with the same key first. */
  | 'outrun'
  | 'away'
  /** No connection to the store can be made. A retry would fail too, and callers would wait for the failure. */
  | 'unreachable'
  /** A row violates a constraint, or the process must exit. Writing stops. */
  | 'broken'
  /** The operation itself is invalid and would fail again. */
  | 'refused'

/** All queues of one ledger share this object, so that all queues stop together. */
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

  run(operations: readonly Operation[]): BatchAnswer | Promise<BatchAnswer> {
    const { reason } = this.#halt
    if (reason !== null) return { kind: 'stopped', reason }
    if (this.#doubt !== null) return answered(unavailable(operations.length, doubtReason))
    const whole = this.#attempt(operations)
    return whole instanceof Promise || whole.kind === 'failed' ? this.#descend(operations, whole) : whole
  }

  /** Runs the batch once more. If the batch fails again, runs each operation alone. */
  async #descend(
    operations: readonly Operation[],
    first: Attempted | Promise<Attempted>,
  ): Promise<BatchAnswer> {
    let whole = await first
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

  async #oneByOne(operations: readonly Operation[]): Promise<BatchAnswer> {
    const results: OperationResult[] = []
    let grantsAway: string | null = null
    for (const operation of operations) {
      if (grantsAway !== null && isOfGrant(operation)) {
        results.push(...unavailable(1, grantsAway))
        continue
      }
      const left = operations.length - results.length
      // oxlint-disable-next-line no-await-in-loop -- operations must run one at a time
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
      } else if (alone.failure !== 'unreachable' && isOfGrant(operation)) {
        grantsAway = alone.error.message
        results.push(...unavailable(1, grantsAway))
      } else {
        // This failure shows that the store accepts no operation at present, so do not try the remaining operations.
        return answered([...results, ...unavailable(left, alone.error.message)])
      }
    }
    return answered(results)
  }

  /**
   * Records that one operation of a batch is in doubt. The operations before this operation are committed, and the
   * operations after it were not tried.
   */
  #widenDoubt(before: readonly OperationResult[], left: number): void {
    if (this.#doubt === null) return
    this.#doubt = { ...this.#doubt, before, after: unavailable(left, doubtReason) }
  }

  /** Returns no promise if the engine returns none and the commit succeeds. */
  #attempt(operations: readonly Operation[]): Attempted | Promise<Attempted> {
    let decided: D | Promise<D>
    try {
      decided = this.#engine.decide(operations)
    } catch (error) {
      return this.#undo(error)
    }
    return decided instanceof Promise ? this.#commitWhenDecided(decided) : this.#commit(decided)
  }

  async #commitWhenDecided(deciding: Promise<D>): Promise<Attempted> {
    let decided: D
    try {
      decided = await deciding
    } catch (error) {
      return this.#undo(error)
    }
    return this.#commit(decided)
  }

  #commit(decided: D): Attempted | Promise<Attempted> {
    try {
      const committing = this.#engine.commit(decided)
      if (committing instanceof Promise) return this.#whenCommitted(committing, decided)
    } catch (error) {
      return this.#afterFailedCommit(error, decided)
    }
    return answered(decided.results)
  }

  async #whenCommitted(committing: Promise<void>, decided: D): Promise<Attempted> {
    try {
      await committing
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

  async #afterFailedCommit(error: unknown, { batch, results }: Decided): Promise<Attempted> {
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

  /** Null if it is not known yet whether the batch was committed. */
  async #isCommitted(batch: number): Promise<boolean | null> {
    try {
      return (await this.#engine.storedBatch()) >= batch
    } catch {
      return null
    }
  }
}

export function performOne(book: Book, operation: Operation): OperationResult {
  try {
    return { kind: 'done', value: perform(book, operation) }
  } catch (error) {
    // The fault is thrown before anything is changed (operation-fault.ts), so the other operations can continue.
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

type Attempted = BatchAnswer | Failed

interface Doubt {
  readonly batch: number
  readonly before: readonly OperationResult[]
  /** The results of the operations if the batch was committed. */
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
