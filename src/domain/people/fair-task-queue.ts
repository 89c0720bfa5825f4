import { Failure } from '#domain/errors.ts'

export interface WorkQueueLimits {
  readonly atOnce: number
  /** Maximum number of tasks that wait in one lane (a group of callers). */
  readonly waitingMax: number
}

export interface QueuePlace {
  /** Lanes (groups of callers) take turns, so many callers in one lane do not delay the callers in other lanes. */
  readonly lane: string
  /** Within a lane, the sites of callers take turns. */
  readonly site: string
}

interface Waiter {
  readonly start: () => void
  readonly refuse: () => void
}

/**
 * The queue runs only a few expensive tasks at a time.
 *
 * A new task in a full lane replaces the newest task of the site with the most waiting tasks. The new task is rejected
 * if that site has fewer than two waiting tasks more than the new task's site.
 */
export class WorkQueue {
  readonly #limits: WorkQueueLimits
  /**
   * In both maps, the entry whose turn is next comes first. The outer map contains lanes, and the inner maps contain
   * sites. A lane or a site without waiting tasks has no entry.
   */
  readonly #lanes = new Map<string, Map<string, Waiter[]>>()
  #running = 0

  constructor(limits: WorkQueueLimits) {
    this.#limits = limits
  }

  /** @throws Failure rate_limited if too many tasks wait; the task has then not begun */
  async run<T>(place: QueuePlace, work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#limits.atOnce) this.#running += 1
    else await this.#turn(place)
    try {
      return await work()
    } finally {
      const next = this.#next()
      if (next) next.start()
      else this.#running -= 1
    }
  }

  #turn({ lane, site }: QueuePlace): Promise<void> {
    const sites = this.#lanes.get(lane) ?? new Map<string, Waiter[]>()
    const own = sites.get(site) ?? []
    if (countIn(sites) >= this.#limits.waitingMax) {
      const largest = largestOf(sites)
      if (largest.length <= own.length + 1) throw tooMany()
      largest.pop()?.refuse()
    }
    return new Promise<void>((resolve, reject) => {
      own.push({ start: resolve, refuse: () => reject(tooMany()) })
      sites.set(site, own)
      this.#lanes.set(lane, sites)
    })
  }

  #next(): Waiter | null {
    const [first] = this.#lanes
    if (first === undefined) return null
    const [lane, sites] = first
    const [turn] = sites
    if (turn === undefined) return null
    const [site, waiters] = turn
    const waiter = waiters.shift() ?? null
    // After its turn, a site moves to the end of its lane, and the lane moves to the end of the queue.
    sites.delete(site)
    if (waiters.length > 0) sites.set(site, waiters)
    this.#lanes.delete(lane)
    if (sites.size > 0) this.#lanes.set(lane, sites)
    return waiter
  }
}

function countIn(sites: ReadonlyMap<string, readonly Waiter[]>): number {
  let count = 0
  for (const waiters of sites.values()) count += waiters.length
  return count
}

function largestOf(sites: ReadonlyMap<string, Waiter[]>): Waiter[] {
  let largest: Waiter[] = []
  for (const waiters of sites.values()) if (waiters.length > largest.length) largest = waiters
  return largest
}

function tooMany(): Failure {
  return new Failure('rate_limited', { retryAfterSeconds: 5 })
}
