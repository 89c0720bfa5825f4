import { Histogram, type MetricJson } from './counters-and-distributions.ts'
import { metrics } from './metric-definitions.ts'

/** The queue reports each commit (store/ledger/ledger-queue.ts, `QueueWatch`). */
export class LedgerMetrics {
  readonly #wait = new Histogram(metrics.ledgerWaitSeconds)
  readonly #duration = new Histogram(metrics.commitSeconds)
  readonly #size = new Histogram(metrics.commitOperations)
  readonly #reserveWait = this.#wait.series({ operation: 'reserve' })
  readonly #settleWait = this.#wait.series({ operation: 'settle' })
  readonly #durations = this.#duration.series({})
  readonly #sizes = this.#size.series({})

  batchEnded(operations: number, durationMs: number): void {
    this.#sizes.add(operations)
    this.#durations.add(durationMs / 1000)
  }

  reserveWaited(ms: number): void {
    this.#reserveWait.add(ms / 1000)
  }

  settleWaited(ms: number): void {
    this.#settleWait.add(ms / 1000)
  }

  json(): readonly MetricJson[] {
    return [this.#wait.json(), this.#duration.json(), this.#size.json()]
  }
}
