import type { Deadlines } from './deadlines.ts'

/**
 * Deadlines of calls in flight, without a timer per call or per chunk: one interval looks at every live
 * call ten times a second, and a chunk costs one store of the time that the interval last read. A
 * deadline is therefore never early and up to 200 ms late, which is nothing to deadlines of seconds.
 *
 * The interval stops when it finds no live call, and keeps no process alive.
 */
const sweepMs = 100

export type DeadlinePhase = 'connect' | 'first_byte' | 'first_token' | 'idle' | 'total'

/** The clock of one call. It starts in `connect`; `stop` must be called when the call is over. */
export interface CallClock {
  /** The request is on its way to the provider: the clock waits for the first byte. */
  awaitFirstByte(): void
  /** Bytes came from the provider: the next must come within the idle deadline. */
  touch(): void
  /** The first text of the answer has come: `firstTokenMs` is met. */
  answering(): void
  /** The client takes no more bytes for now: the provider's silence is not its fault. */
  pause(): void
  resume(): void
  stop(): void
}

export interface DeadlineSweep {
  /** @param onExpired called once, after which the clock has stopped by itself */
  watch(deadlines: Deadlines, onExpired: (phase: DeadlinePhase, timeoutMs: number) => void): CallClock
  /** Calls being watched. */
  readonly size: number
}

/** @param nowMs a monotonic clock in milliseconds */
export function deadlineSweep(nowMs: () => number = () => performance.now()): DeadlineSweep {
  // A list in which each clock knows its place. V8 would move a Set to a new table every few calls, and keeps
  // such tables, with their contents, once one of them is old.
  const live: Clock[] = []
  const sweep: Sweep = { nowMs: nowMs(), remove: (clock) => removeFrom(live, clock) }
  let timer: ReturnType<typeof setInterval> | undefined
  let isCatchingUp = false

  const judgeAll = (): void => {
    if (live.length === 0) {
      clearInterval(timer)
      timer = undefined
      return
    }
    const now = nowMs()
    // When the whole process stood still (a debugger, a suspended machine), answers may be waiting in
    // the sockets: they are read before any call is judged by the time that went by. Once, not each time,
    // or a process that is always late would keep no deadline at all.
    isCatchingUp = !isCatchingUp && now - sweep.nowMs > 5 * sweepMs
    sweep.nowMs = now
    if (isCatchingUp) return
    // Over a copy: a call that expires may stop others.
    for (const clock of live.slice()) if (clock.place >= 0) clock.judge(now)
  }

  return {
    watch(deadlines, onExpired) {
      if (timer === undefined) {
        sweep.nowMs = nowMs()
        timer = setInterval(judgeAll, sweepMs)
        timer.unref()
      }
      const clock = new Clock(sweep, deadlines, onExpired)
      clock.place = live.push(clock) - 1
      return clock
    },
    get size() {
      return live.length
    },
  }
}

interface Sweep {
  /** When the interval last looked; up to `sweepMs` ago. */
  nowMs: number
  remove(clock: Clock): void
}

/** The last clock takes the place of the removed one. */
function removeFrom(live: Clock[], clock: Clock): void {
  const last = live.at(-1)
  if (clock.place < 0 || last === undefined) return
  live[clock.place] = last
  last.place = clock.place
  live.pop()
  clock.place = -1
}

class Clock implements CallClock {
  /** Index among the live clocks; -1: not live. */
  place = -1
  readonly #sweep: Sweep
  readonly #deadlines: Deadlines
  readonly #onExpired: (phase: DeadlinePhase, timeoutMs: number) => void
  readonly #startMs: number
  #phase: 'connect' | 'first_byte' | 'idle' = 'connect'
  #phaseMs: number
  #isPaused = false
  #isAnswering = false

  constructor(
    sweep: Sweep,
    deadlines: Deadlines,
    onExpired: (phase: DeadlinePhase, timeoutMs: number) => void,
  ) {
    this.#sweep = sweep
    this.#deadlines = deadlines
    this.#onExpired = onExpired
    this.#startMs = sweep.nowMs
    this.#phaseMs = sweep.nowMs
  }

  awaitFirstByte(): void {
    this.#phase = 'first_byte'
    this.#phaseMs = this.#sweep.nowMs
  }

  touch(): void {
    this.#phase = 'idle'
    this.#phaseMs = this.#sweep.nowMs
  }

  answering(): void {
    this.#isAnswering = true
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    this.#phaseMs = this.#sweep.nowMs
  }

  stop(): void {
    this.#sweep.remove(this)
  }

  judge(nowMs: number): void {
    const { connectMs, firstByteMs, firstTokenMs = Infinity, idleMs, totalMs } = this.#deadlines
    // Both readings were taken by the sweep, the first up to `sweepMs` before the event that it stands for.
    if (nowMs - this.#startMs > totalMs + sweepMs) return this.#expire('total', totalMs)
    if (!this.#isAnswering && nowMs - this.#startMs > firstTokenMs + sweepMs)
      return this.#expire('first_token', firstTokenMs)
    const phaseMs = nowMs - this.#phaseMs - sweepMs
    if (this.#phase === 'connect') {
      if (phaseMs > connectMs) this.#expire('connect', connectMs)
    } else if (this.#phase === 'first_byte') {
      if (phaseMs > firstByteMs) this.#expire('first_byte', firstByteMs)
    } else if (!this.#isPaused && phaseMs > idleMs) {
      this.#expire('idle', idleMs)
    }
  }

  #expire(phase: DeadlinePhase, timeoutMs: number): void {
    this.stop()
    this.#onExpired(phase, timeoutMs)
  }
}
