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

/** In a larger batch, the first operations would wait too long. */
export const batchMax = 512
/**
 * If so many operations wait, further operations hardly make batches more efficient, and only wait longer. With 512
 * waiting operations, a slow database would serve as many calls, and each call would take almost twice as long. With
 * 64, batches would be too small for a database whose commits take long (docs/decisions/2026-11-29-requests-under-overload.md).
 */
export const waitingOfBusyLedger = 256
/**
 * The longest time for which a batch gathers operations in turns of the event loop, in milliseconds. Fewer commits save
 * CPU: a commit costs as much CPU as seven calls. On a fast disk, a commit takes a tenth of a millisecond, so few
 * operations arrive during the commit. With 32 busy connections, gathering saves a sixth of a call's CPU. A turn that
 * adds no operation ends the gathering, so an idle server does not wait.
 */
const turnsMsMax = 1
/** With fewer calls in flight, too few operations arrive while a batch waits. */
const callsMin = 8
/** The ledger is busy if its last two batches both ended within the last `busyWaits` times `waitMs`. */
const busyWaits = 3
/** At this batch size, one more operation would save less than a twentieth of a commit. */
const enough = 32

interface Gathered {
  readonly count: () => number
  /** Arrival time of the oldest waiting operation. Undefined if only records and checkpoints wait. */
  readonly oldestMs: () => number | undefined
  readonly start: () => void
}

/**
 * A batch first gathers operations during turns of the event loop. If the ledger is busy and many calls are in flight,
 * the batch then waits until its oldest operation has waited `waitMs`. A batch does not wait if it is large, or if it
 * contains an operation of every call in flight.
 */
export class Gathering {
  readonly #queue: Gathered
  readonly #clock: QueueClock
  readonly #waitMs: number
  #isScheduled = false
  #counted = 0
  #sinceMs = 0
  #calls = 0
  #endedMs: readonly [beforeLast: number, last: number] = [-Infinity, -Infinity]
  #cancelWait: (() => void) | null = null

  /** @param waitMs how long a batch waits for more operations; 0 means that batches never wait */
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
   * Call this function when a call's settle or release is queued. A call whose end is queued twice makes the count too
   * low, which only shortens the waits.
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
    // The operation of the only call in flight does not wait. Records of rejected calls may always wait.
    const isAlone = count + this.#calls <= 1 && this.#queue.oldestMs() !== undefined
    if (!isAlone && count > this.#counted && count < batchMax && nowMs - this.#sinceMs < turnsMsMax) {
      this.#counted = count
      setImmediate(this.#turn)
      return
    }
    const leftMs = (this.#queue.oldestMs() ?? this.#sinceMs) + this.#waitMs - nowMs
    // Wait only if the ledger is busy. If most calls in flight are streams, few of them end soon, so a wait would only
    // delay other calls.
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
