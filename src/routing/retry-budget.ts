import { counted, noCounts, sums, type SlidingCounts } from './sliding-counts.ts'

/**
 * How often the calls of an application may ask the same target again: once for five calls of the last minute, so that
 * an outage raises what a provider is sent by a fifth and does not double it (Site Reliability Engineering, chapter 21,
 * "Deciding to Retry"). An application with few calls has ten. Another target is not counted: its own circuit and
 * `maxInFlight` limit what it is sent.
 */
export class RetryBudget {
  readonly #applications = new Map<string, SlidingCounts>()
  readonly #applicationsMax: number

  constructor(applicationsMax = 10_000) {
    this.#applicationsMax = applicationsMax
  }

  /** A call makes its first attempt. */
  callBegan(application: string, nowMs: number): void {
    this.#set(application, counted(this.#of(application), { all: 1, marked: 0 }, nowMs))
  }

  /** True: one more attempt may be made now, and is counted. */
  tryRetry(application: string, nowMs: number): boolean {
    const counts = this.#of(application)
    const { all, marked } = sums(counts, nowMs)
    if (marked + 1 > Math.max(retriesMin, all * retriesShare)) return false
    this.#set(application, counted(counts, { all: 0, marked: 1 }, nowMs))
    return true
  }

  #of(application: string): SlidingCounts {
    return this.#applications.get(application) ?? noCounts
  }

  #set(application: string, counts: SlidingCounts): void {
    if (!this.#applications.has(application) && this.#applications.size >= this.#applicationsMax)
      this.#dropQuietest()
    this.#applications.set(application, counts)
  }

  #dropQuietest(): void {
    let quietest: string | null = null
    let oldestSlot = Infinity
    for (const [application, { slot }] of this.#applications) {
      if (slot >= oldestSlot) continue
      quietest = application
      oldestSlot = slot
    }
    if (quietest !== null) this.#applications.delete(quietest)
  }
}

/** Retries of a minute for each of its calls. */
const retriesShare = 0.2
const retriesMin = 10
