import type { Waiting } from './ledger-queue-options.ts'
import type { QueueClock } from './when-to-start-batch.ts'

/** Interval between attempts to run the operations of locked end users, in milliseconds. */
const retryMs = 100
/** How long an operation that begins something waits for the lock of its end user, in milliseconds. */
const waitMsMax = 5_000

/** Operations of end users whose rows other transactions have locked. The other operations of the queue continue. */
export class LockedOperations {
  readonly #clock: QueueClock
  readonly #retry: (operations: readonly Waiting[]) => void
  #operations: Waiting[] = []
  #cancelRetry: (() => void) | null = null

  /** @param retry called when the operations should be tried again */
  constructor(clock: QueueClock, retry: (operations: readonly Waiting[]) => void) {
    this.#clock = clock
    this.#retry = retry
  }

  get keptCount(): number {
    return this.#operations.reduce((count, { isKept }) => (isKept ? count + 1 : count), 0)
  }

  /** Returns false if the operation has waited too long. Operations that end something wait without a limit. */
  add(waiting: Waiting): boolean {
    if (!waiting.isKept && this.#clock.nowMs() - waiting.sinceMs >= waitMsMax) return false
    this.#operations.push(waiting)
    this.#cancelRetry ??= this.#clock.after(retryMs, () => this.#retry(this.takeAll()))
    return true
  }

  takeAll(): readonly Waiting[] {
    this.#cancelRetry?.()
    this.#cancelRetry = null
    return this.#operations.splice(0)
  }
}
