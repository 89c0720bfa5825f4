/**
 * Collects the metrics of all workers for the worker that is scraped. Workers share their ports, so a scraper cannot
 * choose a worker. If each worker reported only its own counters, the values would jump from scrape to scrape. The
 * supervisor therefore asks each worker, and also keeps the counts of workers that have ended, so that no sum decreases
 * when a worker is replaced.
 */
import type { MetricJson } from '#telemetry/counters-and-distributions.ts'
import { withLeft } from '#telemetry/metrics-scrape-text.ts'
import type { MetricsTold } from './messages-to-supervisor.ts'

/** Maximum wait for a worker. For a busy worker, the last known metrics are used. */
const answerMsMax = 2_000

export interface Scraped {
  readonly id: number
  isConnected(): boolean
  send(message: object, callback: (error: Error | null) => void): unknown
}

interface Ask {
  readonly missing: Set<number>
  readonly done: () => void
}

export class WorkerMetrics {
  readonly #workers: () => readonly Scraped[]
  readonly #seen = new Map<number, readonly MetricJson[]>()
  /** Workers that have started. A worker that is starting cannot answer yet. */
  readonly #ready = new Set<number>()
  readonly #asks = new Map<number, Ask>()
  #askId = 0
  /** Counters of workers that have ended. Each update waits for the previous update. */
  #left: Promise<readonly MetricJson[]> = Promise.resolve([])

  constructor(workers: () => readonly Scraped[]) {
    this.#workers = workers
  }

  ready(worker: Scraped): void {
    this.#ready.add(worker.id)
  }

  async wanted(asker: Scraped, id: number): Promise<void> {
    await this.#ask()
    const left = await this.#left
    const processes = [...(left.length > 0 ? [left] : []), ...this.#seen.values()]
    const told: MetricsTold = { kind: 'metrics', id, processes }
    asker.send(told, () => {})
  }

  told(worker: Scraped, { id, processes: [metrics] }: MetricsTold): void {
    if (metrics === undefined) return
    this.#seen.set(worker.id, metrics)
    this.#answered(worker.id, id)
  }

  ended(worker: Scraped): void {
    for (const id of this.#asks.keys()) this.#answered(worker.id, id)
    const seen = this.#seen.get(worker.id)
    this.#seen.delete(worker.id)
    this.#ready.delete(worker.id)
    if (seen === undefined) return
    // Skip a worker of another version whose counters this process cannot add.
    this.#left = this.#left.then((left) => withLeft(left, seen).catch(() => left))
  }

  #ask(): Promise<void> {
    const workers = this.#workers().filter((worker) => this.#ready.has(worker.id) && worker.isConnected())
    const id = ++this.#askId
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#asks.get(id)?.done(), answerMsMax)
      const done = (): void => {
        clearTimeout(timer)
        this.#asks.delete(id)
        resolve()
      }
      this.#asks.set(id, { missing: new Set(workers.map((worker) => worker.id)), done })
      for (const worker of workers) worker.send({ kind: 'metrics_wanted', id }, () => {})
      if (workers.length === 0) done()
    })
  }

  #answered(workerId: number, id: number): void {
    const ask = this.#asks.get(id)
    if (ask === undefined) return
    ask.missing.delete(workerId)
    if (ask.missing.size === 0) ask.done()
  }
}
