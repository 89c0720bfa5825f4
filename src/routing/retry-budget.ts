import { counted, noCounts, sums, type SlidingCounts } from './counts-of-last-minute.ts'

/**
 * Allows one retry per five calls of the last minute. In an outage, retries then add a fifth to a provider's load
 * instead of doubling it (Site Reliability Engineering, chapter 21, "Deciding to Retry"). An application with few calls
 * has ten retries per minute. Calls to another target are not retries, because that target's circuit and `maxInFlight`
 * limit them.
 */
export class RetryBudget {
  readonly #applications = new Map<string, SlidingCounts>()
  readonly #applicationsMax: number

  constructor(applicationsMax = 10_000) {
    this.#applicationsMax = applicationsMax
  }

  /** Call this for the first attempt of each call. */
  callBegan(application: string, nowMs: number): void {
    this.#set(application, counted(this.#of(application), { all: 1, marked: 0 }, nowMs))
  }

  /** If the result is true, the retry has been counted. */
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
      this.#dropLongestIdle()
    this.#applications.set(application, counts)
  }

  #dropLongestIdle(): void {
    let longestIdle: string | null = null
    let oldestSlot = Infinity
    for (const [application, { slot }] of this.#applications) {
      if (slot >= oldestSlot) continue
      longestIdle = application
      oldestSlot = slot
    }
    if (longestIdle !== null) this.#applications.delete(longestIdle)
  }
}

/** Retries per call of the last minute. */
const retriesShare = 0.2
const retriesMin = 10
