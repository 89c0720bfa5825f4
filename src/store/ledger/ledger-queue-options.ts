import { StoreUnavailable, type SettleRequest } from '#domain/ledger-interface.ts'
import {
  type BatchAnswer,
  isOfGrant,
  type LedgerEngine,
  type Operation,
  type OperationResult,
} from './operations-and-results.ts'
import type { QueueClock } from './when-to-start-batch.ts'

/**
 * Thrown because the amounts of money are inconsistent, or because the disk lost a write. The ledger accepts no
 * operation until an operator has checked the data.
 */
export class LedgerStopped extends StoreUnavailable {
  override readonly name = 'LedgerStopped'
}

export interface QueueOptions {
  /**
   * Returns the pause before attempt n (from 1) to repeat operations that the store did not accept, in milliseconds.
   */
  readonly backoffMs?: (attempt: number) => number
  /** How long a settle waits while the store is unavailable before its promise rejects, in milliseconds. */
  readonly settleWaitMs?: number
  /**
   * Called with faults that no caller waits for: a record could not be written, work of an earlier process could not be
   * finished, or the ledger stopped.
   */
  readonly onFault?: (error: Error) => void
  /**
   * Called with the reason each time the store rejects a whole batch, and once with null when the store accepts batches
   * again.
   */
  readonly onAway?: (reason: string | null) => void
  /** Called with every settle when it is durable, before its promise resolves. The function must not throw. */
  readonly onSettled?: (settle: SettleRequest) => void
  /**
   * How long a batch of a busy ledger waits for more operations, in milliseconds (when-to-start-batch.ts). Defaults to
   * 0, which means that batches do not wait.
   */
  readonly gatherMs?: number
  readonly clock?: QueueClock
  /** The duration of the batch counts for each of its operations. */
  readonly watch?: QueueWatch
}

/** Durations in milliseconds: of the commit, and of each operation from its arrival to the end of its commit. */
export interface QueueWatch {
  batchEnded(operations: number, durationMs: number): void
  reserveWaited(ms: number): void
  settleWaited(ms: number): void
}

/**
 * A waiting operation, and the promise on which its caller waits. Only the operation is plain data that can be sent to
 * another thread.
 */
export interface Waiting {
  readonly operation: Operation
  readonly isKept: boolean
  readonly sinceMs: number
  // The result has the type that belongs to the operation's kind (`perform`, operations-and-results.ts).
  resolve(value: unknown): void
  reject(error: Error): void
}

/** Returns an operation that rides along with the next batch, and is dropped if the store rejects that batch. */
export function riderOf(
  operation: Operation,
  resolve: Waiting['resolve'],
  reject: Waiting['reject'],
): Waiting {
  return { operation, isKept: false, sinceMs: 0, resolve, reject }
}

/** Returns a promise only if the engine returns one. */
export function runOn(engine: LedgerEngine, batch: readonly Waiting[]): BatchAnswer | Promise<BatchAnswer> {
  try {
    const answer = engine.run(batch.map(({ operation }) => operation))
    return answer instanceof Promise ? answer.catch(stoppedBy) : answer
  } catch (error) {
    return stoppedBy(error)
  }
}

/** After this error, it is unknown whether the batch was stored. */
function stoppedBy(error: unknown): BatchAnswer {
  return { kind: 'stopped', reason: error instanceof Error ? error.message : String(error) }
}

/**
 * Returns why the store rejects every operation, or null if the store accepts operations. Undefined if the batch does
 * not show whether the store accepts operations. This happens if all operations are grants (`isOfGrant`) that are not
 * retried, and all results are `unavailable`.
 */
export function awayReason(
  batch: readonly Waiting[],
  results: readonly OperationResult[],
): string | null | undefined {
  let reason: string | undefined
  for (const [i, { isKept, operation }] of batch.entries()) {
    const result = results[i]
    if (result?.kind !== 'unavailable') return null
    if (isKept || !isOfGrant(operation)) reason ??= result.reason
  }
  return reason
}

export function tellWatch(
  watch: QueueWatch,
  batch: readonly Waiting[],
  startedMs: number,
  nowMs: number,
): void {
  watch.batchEnded(batch.length, nowMs - startedMs)
  for (const { operation, sinceMs } of batch) {
    if (operation.kind === 'reserve') watch.reserveWaited(nowMs - sinceMs)
    else if (operation.kind === 'settle') watch.settleWaited(nowMs - sinceMs)
  }
}

/**
 * The settles and releases that have waited since `untilMs` will be completed later, so their callers stop waiting
 * (domain/ledger-interface.ts).
 */
export function tellOverdue(operations: readonly Waiting[], untilMs: number): void {
  for (const waiting of operations)
    if (waiting.isKept && waiting.sinceMs <= untilMs)
      waiting.reject(new StoreUnavailable('the store is unavailable; the settle is kept'))
}

export function isReserved(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'reserved'
}

const backoffMsMin = 50
/**
 * Maximum pause between attempts to reach an unavailable store, in milliseconds. Also the `retry-after` of rejected
 * requests.
 */
const backoffMsMax = 1_000

export function backoffMs(attempt: number): number {
  return Math.min(backoffMsMax, backoffMsMin * 2 ** (attempt - 1))
}
