/** A monotonic clock in milliseconds, and a timer. */
export interface QueueClock {
  readonly nowMs: () => number
  /** Calls `then` once after `ms`. The returned function cancels the timer. */
  readonly after: (ms: number, then: () => void) => () => void
}

export const systemClock: QueueClock = {
  nowMs: () => performance.now(),
  after: (ms, then) => {
    const timer = setTimeout(then, ms)
    return () => clearTimeout(timer)
  },
}

/** Maximum size of a batch. In a larger batch, the first operations would wait too long. */
export const batchMax = 512
/**
 * The maximum time, in milliseconds, for which a batch gathers operations in turns of the event loop. Gathering saves
 * commits, and a commit costs as much CPU as seven calls. On a fast disk, a commit takes only a tenth of a millisecond,
 * so few operations arrive during the commit. With 32 busy connections, gathering saves a sixth of the CPU of a call. A
 * turn of the event loop that adds no operation ends the gathering, so an idle server does not wait.
 */
const turnsMsMax = 1
/**
 * A batch waits only if at least this many calls are in flight. With fewer calls, too few operations arrive during the
 * wait.
 */
const callsMin = 8
/** The ledger is busy if its last two batches both ended within the last `busyWaits` times `waitMs`. */
const busyWaits = 3
/**
 * If this many operations wait, the batch starts, because one more operation would save less than a twentieth of a
 * commit.
 */
const enough = 32

/** The part of the ledger queue that decides when its next batch starts. */
interface Gathered {
  /** Number of waiting operations, records and checkpoints. */
  readonly count: () => number
  /** Arrival time of the oldest waiting operation. Undefined if only records and checkpoints wait. */
  readonly oldestMs: () => number | undefined
  readonly start: () => void
}

/**
 * Decides when the next batch starts. A batch first gathers operations during turns of the event loop. If the ledger is
 * busy and eight or more calls are in flight, the batch then waits until its oldest operation has waited `waitMs`. A
 * batch does not wait if it is already large, or if it contains an operation of every call in flight.
 */
export class Gathering {
  readonly #queue: Gathered
  readonly #clock: QueueClock
  readonly #waitMs: number
  #isScheduled = false
  #counted = 0
  #sinceMs = 0
  /** Number of calls in flight, which are reserved and not yet settled or released. */
  #calls = 0
  /** The times at which the last two batches ended. */
  #endedMs: readonly [beforeLast: number, last: number] = [-Infinity, -Infinity]
  #cancelWait: (() => void) | null = null

  /** @param waitMs how long a batch waits for more operations; 0 means that a batch never waits */
  constructor(queue: Gathered, clock: QueueClock, waitMs: number) {
    this.#queue = queue
    this.#clock = clock
    this.#waitMs = waitMs
  }

  get isScheduled(): boolean {
    return this.#isScheduled
  }

  /** Call this function when an operation has arrived and no batch runs. */
  schedule(): void {
    if (this.#isScheduled) {
      if (this.#cancelWait !== null && !this.#expectsMore()) this.#start()
      return
    }
    this.#isScheduled = true
    this.#sinceMs = this.#clock.nowMs()
    this.#counted = 0
    setImmediate(this.#turn)
  }

  callBegan(): void {
    this.#calls += 1
  }

  /**
   * Call this function when the settle or release of a call is queued. A second settle or release of the same call
   * makes the count of calls in flight too low, which only shortens the waits.
   */
  callEnds(): void {
    if (this.#calls > 0) this.#calls -= 1
  }

  batchEnded(): void {
    this.#endedMs = [this.#endedMs[1], this.#clock.nowMs()]
  }

  /** Runs once per turn of the event loop, until a turn adds no operation. */
  readonly #turn = (): void => {
    const count = this.#queue.count()
    const nowMs = this.#clock.nowMs()
    // If only one call is in flight, its operation does not wait for others. Records of rejected calls may always wait.
    const isAlone = count + this.#calls <= 1 && this.#queue.oldestMs() !== undefined
    if (!isAlone && count > this.#counted && count < batchMax && nowMs - this.#sinceMs < turnsMsMax) {
      this.#counted = count
      setImmediate(this.#turn)
      return
    }
    const leftMs = (this.#queue.oldestMs() ?? this.#sinceMs) + this.#waitMs - nowMs
    // Wait only if the ledger is busy. If most calls in flight are streams, which rarely end, a wait would delay other
    // calls without gathering more operations.
    const [beforeLastMs] = this.#endedMs
    const isBusy = nowMs - beforeLastMs < busyWaits * this.#waitMs
    if (leftMs > 0 && isBusy && this.#expectsMore()) this.#cancelWait = this.#clock.after(leftMs, this.#start)
    else this.#start()
  }

  #expectsMore(): boolean {
    const count = this.#queue.count()
    return count < enough && this.#calls > 0 && this.#calls + count >= callsMin
  }

  readonly #start = (): void => {
    this.#cancelWait?.()
    this.#cancelWait = null
    this.#isScheduled = false
    this.#queue.start()
  }
}
