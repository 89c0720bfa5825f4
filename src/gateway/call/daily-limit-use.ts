/**
 * Counts usage against an organization's daily limits in this process, in addition to the ledger. No call waits for a
 * database row that another call has locked. Each limit has a tally with three parts:
 *
 *   read       the sums of the day in the store, and the calls in flight of other processes
 *   ended      calls of this process that ended since the read began
 *   in flight  calls of this process that are in flight
 *
 * With one process, the tally is read from the store once a day and is exact afterwards. If other processes also write,
 * the tally is read again every second in the background. A call of another process is counted starting with the next
 * read. A call that ends during a read may be counted twice until the next read. No call is left uncounted.
 */
import type { DailyLimit, LimitScope } from '#domain/daily-limits.ts'
import { Failure } from '#domain/errors.ts'
import { calendarWindow, dayMs } from '#money/period.ts'
import type { GatewayPorts } from './ports.ts'

type UsePorts = Pick<GatewayPorts, 'directory' | 'clock' | 'log' | 'limits'>

/** A call to count toward the daily limits. */
export interface CountedCall {
  readonly callId: string
  readonly organizationId: string
  /** The amount that the call is about to hold. */
  readonly worstMicros: bigint
}

/**
 * The share of the daily limits that one call uses. When the call ends, call exactly one of the functions that end the
 * share.
 */
export interface DayShare {
  /** Updates the amount that the call holds. */
  holds(worstMicros: bigint): void
  settled(costMicros: bigint, atMs: number): void
  released(): void
}

/** The tallies of all daily limits in this process. */
export class DailyUse {
  readonly #ports: UsePorts
  readonly #tallies = new Map<string, Tally>()

  constructor(ports: UsePorts) {
    this.#ports = ports
  }

  /**
   * Counts the call toward all of these limits. If one limit is exceeded, counts the call toward none and returns the
   * failure. Waits only for the first read of a tally.
   */
  async admit(limits: readonly DailyLimit[], call: CountedCall): Promise<DayShare | Failure> {
    const { startsAtMs } = calendarWindow('day', this.#ports.clock.nowMs())
    const counts: Tally[] = []
    for (const { applicationId, setAtMs } of limits) {
      const tally = this.#tallyOf({ organizationId: call.organizationId, applicationId }, setAtMs)
      // oxlint-disable-next-line no-await-in-loop -- two at most, and hardly ever a wait
      await tally.current(startsAtMs)
      counts.push(tally)
    }
    // No `await` follows, so no other call can run between the check and the count.
    for (const [at, tally] of counts.entries()) {
      const failure = limits[at] && failureOf(limits[at], tally, call.worstMicros, startsAtMs)
      if (failure) return failure
    }
    for (const tally of counts) tally.holds(call.callId, call.worstMicros)
    return {
      holds: (worstMicros) => counts.forEach((tally) => tally.holds(call.callId, worstMicros)),
      settled: (costMicros, atMs) => counts.forEach((tally) => tally.settled(call.callId, costMicros, atMs)),
      released: () => counts.forEach((tally) => tally.released(call.callId)),
    }
  }

  #tallyOf(scope: LimitScope, setAtMs: number): Tally {
    const id = scope.applicationId ?? scope.organizationId
    const known = this.#tallies.get(id)
    // Start a new tally, because no calls were counted between the removal of the old limit and the creation of the new
    // limit.
    if (known?.setAtMs === setAtMs) return known
    const tally = new Tally(scope, setAtMs, this.#ports)
    this.#tallies.set(id, tally)
    return tally
  }
}

interface Count {
  readonly calls: number
  readonly micros: bigint
}

const none: Count = { calls: 0, micros: 0n }

class Tally {
  readonly setAtMs: number
  readonly #scope: LimitScope
  readonly #ports: UsePorts
  #dayStartsAtMs = -1
  #read: Count = none
  #ended: Count = none
  /** Sums over the calls that ended since the current read began. */
  #late: Count = none
  /** Held amount by call. */
  readonly #inFlight = new Map<string, bigint>()
  #inFlightMicros = 0n
  #reading: Promise<void> | null = null
  #readAtMs = -Infinity
  #refreshMs = 0
  /** Whether the tally is exact: no call was counted twice, and no other process has a call in flight. */
  #isExact = false

  constructor(scope: LimitScope, setAtMs: number, ports: UsePorts) {
    this.#scope = scope
    this.setAtMs = setAtMs
    this.#ports = ports
  }

  get calls(): number {
    return this.#read.calls + this.#ended.calls + this.#late.calls + this.#inFlight.size
  }

  get micros(): bigint {
    return this.#read.micros + this.#ended.micros + this.#late.micros + this.#inFlightMicros
  }

  /**
   * Returns the tally of this day, and reads it again if needed. Waits only if the tally was never read or if the last
   * read is too old.
   */
  async current(dayStartsAtMs: number): Promise<void> {
    if (dayStartsAtMs !== this.#dayStartsAtMs) this.#begin(dayStartsAtMs)
    const { dailyUse } = this.#ports.limits
    if (this.#isExact && !dailyUse.isShared) return
    const ageMs = this.#ports.clock.monotonicMs() - this.#readAtMs
    if (ageMs < this.#refreshMs) return
    const reading = (this.#reading ??= this.#startReading(dayStartsAtMs))
    if (ageMs >= 2 * this.#refreshMs) await reading
  }

  holds(callId: string, micros: bigint): void {
    this.#inFlightMicros += micros - (this.#inFlight.get(callId) ?? 0n)
    this.#inFlight.set(callId, micros)
  }

  released(callId: string): void {
    this.#inFlightMicros -= this.#inFlight.get(callId) ?? 0n
    this.#inFlight.delete(callId)
  }

  settled(callId: string, micros: bigint, atMs: number): void {
    this.released(callId)
    // The charge of the call belongs to the previous day.
    if (atMs < this.#dayStartsAtMs) return
    if (this.#reading === null) this.#ended = plus(this.#ended, { calls: 1, micros })
    else this.#late = plus(this.#late, { calls: 1, micros })
  }

  /** Starts a new day. Calls in flight move to the new day, because they will be charged on it. */
  #begin(dayStartsAtMs: number): void {
    this.#dayStartsAtMs = dayStartsAtMs
    this.#read = none
    this.#ended = none
    this.#late = none
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
    try {
      const use = await directory.dayUse(this.#scope, dayStartsAtMs)
      if (dayStartsAtMs !== this.#dayStartsAtMs) return
      const foreign = use.inFlight.filter(({ callId }) => !this.#inFlight.has(callId))
      const heldMicros = foreign.reduce((sum, { worstMicros }) => sum + worstMicros, 0n)
      this.#read = { calls: use.calls + foreign.length, micros: use.spentMicros + heldMicros }
      this.#ended = none
      this.#isExact = foreign.length === 0 && this.#late.calls === 0 && this.#inFlight.size === 0
      this.#readAtMs = startedMs
      this.#refreshMs = Math.max(limits.dailyUse.refreshMs, readingShare * (clock.monotonicMs() - startedMs))
    } finally {
      if (dayStartsAtMs === this.#dayStartsAtMs) {
        this.#ended = plus(this.#ended, this.#late)
        this.#late = none
      }
    }
  }
}

/** Reads take at most 5 % of the time in total, regardless of how many rows the day has. */
const readingShare = 20

function plus(one: Count, other: Count): Count {
  return { calls: one.calls + other.calls, micros: one.micros + other.micros }
}

/**
 * The sums over all end users are private to the customer. An end user sees only that the limit is reached and when it
 * clears. `requests.explain` shows the numbers.
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
