/**
 * Counts usage against an organization's daily limits in memory. In a database row, calls would wait for each other's
 * lock. Each limit has a tally with three parts:
 *
 * - read: the sums of the day in the store, and the calls in flight of other processes
 * - ended: the calls of this process that ended after the last read began
 * - in flight: the calls that this process is serving
 *
 * With one process, the tally is read from the store once a day and is exact afterwards. If other processes also write,
 * the tally is read again every second in the background. Calls of other processes count from the next read on, while
 * calls of this process count exactly.
 *
 * A read during which a call ends may or may not include the call's charge. To be safe, the charge counts in addition
 * to the read. Until the next read, the charge is in doubt, because it may count twice. If a charge in doubt would
 * cause a rejection, the tally is read again first.
 */
import type { DailyLimit, LimitScope } from '#domain/daily-limits.ts'
import { Failure } from '#domain/errors.ts'
import { calendarWindow, dayMs } from '#money/periods-and-windows.ts'
import type { GatewayPorts } from './dependencies-of-gateway.ts'

type UsePorts = Pick<GatewayPorts, 'directory' | 'clock' | 'log' | 'limits'>

export interface CountedCall {
  readonly callId: string
  readonly organizationId: string
  readonly worstMicros: bigint
}

/** When the call ends, call exactly one of `settled`, `failed` and `released`. */
export interface DayShare {
  /** Call this when the hold is stored, and after each extension. */
  holds(worstMicros: bigint): void
  settled(costMicros: bigint, atMs: number): void
  /**
   * The end user is not charged, and the application pays `costMicros` to the providers. The cost counts toward limits
   * on spending, and the call does not count toward limits on calls.
   */
  failed(costMicros: bigint, atMs: number): void
  released(): void
}

export class DailyUse {
  readonly #ports: UsePorts
  readonly #tallies = new Map<string, Tally>()

  constructor(ports: UsePorts) {
    this.#ports = ports
  }

  /**
   * Counts the call toward all limits, or toward none if it would exceed one. Waits for a read of the store if the last
   * read is of another day or too old, or if a charge in doubt would cause a rejection. If the day ends during the wait,
   * the call counts toward the limits of the new day.
   */
  async admit(limits: readonly DailyLimit[], call: CountedCall): Promise<DayShare | Failure> {
    const { organizationId } = call
    const counts = limits.map(({ applicationId, setAtMs }) =>
      this.#tallyOf({ organizationId, applicationId }, setAtMs),
    )
    for (let reads = 0; ;) {
      const startsAtMs = this.#dayStartsAtMs()
      // Start all tallies on the same day before the first wait, so that a call that waits past midnight never sets a
      // tally back to the previous day.
      // oxlint-disable-next-line no-await-in-loop -- hardly ever a wait
      await Promise.all(counts.map((tally) => tally.current(startsAtMs)))
      if (startsAtMs !== this.#dayStartsAtMs() || !counts.every((tally) => tally.isReadFor(startsAtMs)))
        continue
      const failure = firstFailure(limits, counts, call.worstMicros, startsAtMs)
      if (failure === null) break
      if (reads++ === doubtReadsMax || !counts.some(isInDoubt)) return failure
      // oxlint-disable-next-line no-await-in-loop -- each read removes the doubts of the previous one
      await Promise.all(counts.map((tally) => tally.removeDoubt(startsAtMs)))
    }
    // No other call runs between the check and this count, because there is no `await`.
    for (const tally of counts) tally.begins(call.callId, call.worstMicros)
    return {
      holds: (worstMicros) => counts.forEach((tally) => tally.holds(call.callId, worstMicros)),
      settled: (costMicros, atMs) => counts.forEach((tally) => tally.settled(call.callId, costMicros, atMs)),
      failed: (costMicros, atMs) => counts.forEach((tally) => tally.failed(call.callId, costMicros, atMs)),
      released: () => counts.forEach((tally) => tally.released(call.callId)),
    }
  }

  #dayStartsAtMs(): number {
    return calendarWindow('day', this.#ports.clock.nowMs()).startsAtMs
  }

  #tallyOf(scope: LimitScope, setAtMs: number): Tally {
    const id = scope.applicationId ?? scope.organizationId
    const known = this.#tallies.get(id)
    // The limit was removed and set again. No calls were counted in the meantime.
    if (known?.setAtMs === setAtMs) return known
    const tally = new Tally(scope, setAtMs, this.#ports)
    this.#tallies.set(id, tally)
    return tally
  }
}

function firstFailure(
  limits: readonly DailyLimit[],
  counts: readonly Tally[],
  worstMicros: bigint,
  dayStartsAtMs: number,
): Failure | null {
  for (const [at, limit] of limits.entries()) {
    const failure = counts[at] && failureOf(limit, counts[at], worstMicros, dayStartsAtMs)
    if (failure) return failure
  }
  return null
}

interface Count {
  readonly calls: number
  readonly micros: bigint
}

const none: Count = { calls: 0, micros: 0n }

/**
 * Maximum number of times that the tally is read again before one call is rejected. Calls that end during a read can
 * put the tally in doubt again.
 */
const doubtReadsMax = 3

function isInDoubt({ isInDoubt: doubt }: Tally): boolean {
  return doubt
}

interface InFlight {
  readonly micros: bigint
  /** Number of reads that had begun when the hold was stored. Infinity until the hold is stored. */
  readonly readsBefore: number
}

interface EndedInRead {
  /** Null if the call was not charged on this day. */
  readonly charge: Count | null
  /** Whether the call's hold was stored before the read began. */
  readonly isOlder: boolean
}

class Tally {
  readonly setAtMs: number
  readonly #scope: LimitScope
  readonly #ports: UsePorts
  #dayStartsAtMs = -1
  #read: Count = none
  #ended: Count = none
  readonly #late = new Map<string, EndedInRead>()
  /** Number and total charge of the charged calls in `#late`. */
  #lateCharges: Count = none
  /** Whether the last read may include a charge that `#ended` also includes. */
  #isInDoubt = false
  #reads = 0
  readonly #inFlight = new Map<string, InFlight>()
  #inFlightMicros = 0n
  #reading: Promise<void> | null = null
  #readAtMs = -Infinity
  #refreshMs = 0
  /** Whether no call was counted twice, and no other process has a call in flight. */
  #isExact = false

  constructor(scope: LimitScope, setAtMs: number, ports: UsePorts) {
    this.#scope = scope
    this.setAtMs = setAtMs
    this.#ports = ports
  }

  get calls(): number {
    return this.#read.calls + this.#ended.calls + this.#lateCharges.calls + this.#inFlight.size
  }

  get micros(): bigint {
    return this.#read.micros + this.#ended.micros + this.#lateCharges.micros + this.#inFlightMicros
  }

  get isInDoubt(): boolean {
    return this.#isInDoubt
  }

  /** Whether the store has been read since the day began. */
  isReadFor(dayStartsAtMs: number): boolean {
    return dayStartsAtMs === this.#dayStartsAtMs && this.#readAtMs !== -Infinity
  }

  async current(dayStartsAtMs: number): Promise<void> {
    if (dayStartsAtMs !== this.#dayStartsAtMs) this.#begin(dayStartsAtMs)
    const { dailyUse } = this.#ports.limits
    if (this.#isExact && !dailyUse.isShared) return
    const ageMs = this.#ports.clock.monotonicMs() - this.#readAtMs
    if (ageMs < this.#refreshMs) return
    const reading = (this.#reading ??= this.#startReading(dayStartsAtMs))
    if (ageMs >= 2 * this.#refreshMs) await reading
  }

  /** If the read fails, the charge remains in doubt. */
  async removeDoubt(dayStartsAtMs: number): Promise<void> {
    if (!this.#isInDoubt || dayStartsAtMs !== this.#dayStartsAtMs) return
    await (this.#reading ??= this.#startReading(dayStartsAtMs)).catch(() => {})
  }

  begins(callId: string, micros: bigint): void {
    this.#hold(callId, { micros, readsBefore: Infinity })
  }

  holds(callId: string, micros: bigint): void {
    const { readsBefore = Infinity } = this.#inFlight.get(callId) ?? {}
    this.#hold(callId, { micros, readsBefore: Math.min(readsBefore, this.#reads) })
  }

  released(callId: string): void {
    this.#end(callId, null)
  }

  settled(callId: string, micros: bigint, atMs: number): void {
    this.#endAt(callId, { calls: 1, micros }, atMs)
  }

  failed(callId: string, micros: bigint, atMs: number): void {
    this.#endAt(callId, micros === 0n ? null : { calls: 0, micros }, atMs)
  }

  #endAt(callId: string, charge: Count | null, atMs: number): void {
    // A charge from before the start of this day belongs to the previous day.
    this.#end(callId, atMs < this.#dayStartsAtMs ? null : charge)
  }

  #hold(callId: string, hold: InFlight): void {
    this.#inFlightMicros += hold.micros - (this.#inFlight.get(callId)?.micros ?? 0n)
    this.#inFlight.set(callId, hold)
  }

  #end(callId: string, charge: Count | null): void {
    const { micros = 0n, readsBefore = Infinity } = this.#inFlight.get(callId) ?? {}
    this.#inFlightMicros -= micros
    this.#inFlight.delete(callId)
    if (this.#reading !== null) {
      this.#late.set(callId, { charge, isOlder: readsBefore < this.#reads })
      if (charge !== null) this.#lateCharges = plus(this.#lateCharges, charge)
    } else if (charge !== null) {
      this.#ended = plus(this.#ended, charge)
    }
  }

  /** Calls in flight move to the new day, because their charges will count there. */
  #begin(dayStartsAtMs: number): void {
    this.#dayStartsAtMs = dayStartsAtMs
    this.#read = none
    this.#ended = none
    this.#isInDoubt = false
    this.#forgetLate()
    this.#readAtMs = -Infinity
    this.#refreshMs = 0
    this.#isExact = false
    this.#reading = null
  }

  #startReading(dayStartsAtMs: number): Promise<void> {
    const reading = this.#readAgain(dayStartsAtMs).finally(() => {
      if (this.#reading === reading) this.#reading = null
    })
    reading.catch((err: unknown) => {
      this.#ports.log.warn({ err, ...this.#scope }, 'reading the usage of a daily limit failed')
    })
    return reading
  }

  async #readAgain(dayStartsAtMs: number): Promise<void> {
    const { clock, directory, limits } = this.#ports
    const startedMs = clock.monotonicMs()
    this.#reads += 1
    try {
      const use = await directory.dayUse(this.#scope, dayStartsAtMs)
      if (dayStartsAtMs !== this.#dayStartsAtMs) return
      const isOwn = (callId: string): boolean => this.#inFlight.has(callId) || this.#late.has(callId)
      const foreign = use.inFlight.filter(({ callId }) => !isOwn(callId))
      const heldMicros = foreign.reduce((sum, { worstMicros }) => sum + worstMicros, 0n)
      this.#read = { calls: use.calls + foreign.length, micros: use.spentMicros + heldMicros }
      this.#ended = none
      this.#isInDoubt = false
      const held = new Set(use.inFlight.map(({ callId }) => callId))
      for (const [callId, { charge, isOlder }] of this.#late) {
        // The store reads the calls in flight before the sums. If an older call is not in flight in this read, the sums
        // include its charge.
        if (charge === null || (isOlder && !held.has(callId))) continue
        this.#ended = plus(this.#ended, charge)
        this.#isInDoubt = true
      }
      this.#isExact = foreign.length === 0 && this.#late.size === 0 && this.#inFlight.size === 0
      this.#forgetLate()
      this.#readAtMs = startedMs
      this.#refreshMs = Math.max(limits.dailyUse.refreshMs, readingShare * (clock.monotonicMs() - startedMs))
    } finally {
      // The previous read stays in use, so add the charges during the failed read.
      if (dayStartsAtMs === this.#dayStartsAtMs) {
        this.#ended = plus(this.#ended, this.#lateCharges)
        this.#forgetLate()
      }
    }
  }

  #forgetLate(): void {
    this.#late.clear()
    this.#lateCharges = none
  }
}

/** Reads take at most one twentieth (5 %) of the time, however many rows the day has. */
const readingShare = 20

function plus(one: Count, other: Count): Count {
  return { calls: one.calls + other.calls, micros: one.micros + other.micros }
}

/**
 * An end user learns only that the limit is reached, and when it resets. Sums over all end users are private to the
 * customer and appear only in `requests.explain`.
 */
function failureOf(
  { applicationId, callsMax, spendMaxMicros }: DailyLimit,
  { calls, micros }: Count,
  worstMicros: bigint,
  dayStartsAtMs: number,
): Failure | null {
  const scope = applicationId === null ? 'organization' : 'application'
  const resetsAt = new Date(dayStartsAtMs + dayMs).toISOString()
  if (callsMax !== null && calls >= callsMax)
    return new Failure(
      'organization_limit_reached',
      { limitSource: 'calls_per_day', resetsAt },
      { operatorDetails: { scope, limit: String(callsMax), used: String(calls), requested: '1' } },
    )
  if (spendMaxMicros === null || micros + worstMicros <= spendMaxMicros) return null
  const numbers = { limit: String(spendMaxMicros), used: String(micros), requested: String(worstMicros) }
  return new Failure(
    'organization_limit_reached',
    { limitSource: 'spend_per_day', resetsAt },
    { operatorDetails: { scope, ...numbers } },
  )
}
