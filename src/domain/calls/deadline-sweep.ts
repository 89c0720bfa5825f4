import type { Deadlines } from './call-deadlines.ts'

/**
 * This file enforces the deadlines of calls in flight without a timer per call or per chunk. A single timer
 * (`setInterval`) checks every call ten times a second. When a chunk arrives, the clock is not read. Instead, the time
 * of the last check is stored as the time of the chunk. A deadline therefore never expires early, and expires at most
 * 200 ms late. A delay of 200 ms is acceptable, because deadlines are several seconds long.
 *
 * The timer stops when no call is in flight, and does not keep the process running.
 */
const sweepMs = 100

export type DeadlinePhase = 'connect' | 'first_byte' | 'first_token' | 'idle' | 'total'

/** The clock starts in the phase `connect`. Call `stop` when the call has ended. */
export interface CallClock {
  /** Starts the deadline for the first byte, after the request was sent to the provider. */
  awaitFirstByte(): void
  /**
   * Call this function when bytes have arrived from the provider. The next bytes must arrive within the idle deadline.
   */
  touch(): void
  /** Call this function when the first text of the answer has arrived, so that `firstTokenMs` no longer applies. */
  answering(): void
  /** Call this function when the client accepts no more bytes. Until `resume`, the idle deadline does not apply. */
  pause(): void
  resume(): void
  stop(): void
}

export interface DeadlineSweep {
  /** @param onExpired called once, after the clock has stopped */
  watch(deadlines: Deadlines, onExpired: (phase: DeadlinePhase, timeoutMs: number) => void): CallClock
  readonly size: number
}

/** @param nowMs a monotonic clock in milliseconds */
export function deadlineSweep(nowMs: () => number = () => performance.now()): DeadlineSweep {
  // Each clock stores its index in this list. Do not use a Set: V8 copies a Set to a new table every few calls. A table
  // in the old generation of the heap would keep all newer tables and their clocks in memory.
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
    // If the whole process was stopped (by a debugger or a suspended machine), skip one check. Data may be waiting in
    // the sockets, and is read before the next check. Do not skip two checks in succession. Otherwise, a process whose
    // checks are always late would enforce no deadline.
    isCatchingUp = !isCatchingUp && now - sweep.nowMs > 5 * sweepMs
    sweep.nowMs = now
    if (isCatchingUp) return
    // Iterate over a copy, because an expiring call may stop other calls.
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
  /** Time of the last check, up to `sweepMs` ago. */
  nowMs: number
  remove(clock: Clock): void
}

function removeFrom(live: Clock[], clock: Clock): void {
  const last = live.at(-1)
  if (clock.place < 0 || last === undefined) return
  live[clock.place] = last
  last.place = clock.place
  live.pop()
  clock.place = -1
}

class Clock implements CallClock {
  /** Index in the list of clocks. -1 if the call has ended. */
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
    // Only checks read the clock, so a call may have begun up to `sweepMs` after its stored start.
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
