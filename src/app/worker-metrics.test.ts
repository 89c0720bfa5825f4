import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { MetricJson } from '#telemetry/counters-and-distributions.ts'
import { readScrape, valueOf, type Scraped } from '#tests/support/read-prometheus-text.ts'
import { scrapeOf } from '#telemetry/metrics-scrape-text.ts'
import type { MetricsTold } from './messages-to-supervisor.ts'
import { WorkerMetrics, type Scraped as Worker } from './worker-metrics.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const metricsOf = (calls: number, inFlight: number): readonly MetricJson[] => [
  {
    name: 'calls_total',
    help: 'c',
    type: 'counter',
    aggregator: 'sum',
    values: [{ labels: {}, value: calls }],
  },
  {
    name: 'in_flight',
    help: 'i',
    type: 'gauge',
    aggregator: 'sum',
    values: [{ labels: {}, value: inFlight }],
  },
]

class TestWorker implements Worker {
  readonly id: number
  readonly #supervisor: () => WorkerMetrics
  readonly told: MetricsTold[] = []
  calls = 0
  inFlight = 0
  isBusy = false

  constructor(id: number, supervisor: () => WorkerMetrics) {
    this.id = id
    this.#supervisor = supervisor
  }

  isConnected(): boolean {
    return true
  }

  send(message: object): void {
    const sent = message as { kind: string; id: number }
    if (sent.kind === 'metrics') this.told.push(message as MetricsTold)
    else if (!this.isBusy) {
      const processes = [metricsOf(this.calls, this.inFlight)]
      queueMicrotask(() => this.#supervisor().told(this, { kind: 'metrics', id: sent.id, processes }))
    }
  }
}

let workers: TestWorker[]
let supervisor: WorkerMetrics
beforeEach(() => {
  supervisor = new WorkerMetrics(() => workers)
  workers = [1, 2].map((id) => new TestWorker(id, () => supervisor))
  for (const worker of workers) supervisor.ready(worker)
})

async function scraped(asker: TestWorker): Promise<Scraped> {
  const asking = supervisor.wanted(asker, 7)
  await vi.advanceTimersByTimeAsync(2_000)
  await asking
  const told = asker.told.at(-1)
  expect(told?.id).toBe(7)
  return readScrape((await scrapeOf(told?.processes ?? [])).text)
}

function workerAt(place: number): TestWorker {
  const worker = workers[place]
  if (worker === undefined) throw new Error(`there is no worker ${place}`)
  return worker
}
const firstOf = (): TestWorker => workerAt(0)
const secondOf = (): TestWorker => workerAt(1)

test('a scrape of any worker returns the metrics of all workers together', async () => {
  Object.assign(firstOf(), { calls: 3, inFlight: 1 })
  Object.assign(secondOf(), { calls: 4, inFlight: 2 })
  for (const worker of workers) {
    // oxlint-disable-next-line no-await-in-loop -- one scrape after the other
    const seen = await scraped(worker)
    expect([valueOf(seen, 'calls_total'), valueOf(seen, 'in_flight')]).toEqual([7, 3])
  }
})

test('when a worker ends, its counters are kept, and its gauges are removed', async () => {
  Object.assign(firstOf(), { calls: 3, inFlight: 1 })
  Object.assign(secondOf(), { calls: 4, inFlight: 2 })
  await scraped(firstOf())
  const ended = secondOf()
  workers = [firstOf(), new TestWorker(3, () => supervisor)]
  supervisor.ended(ended)
  const seen = await scraped(firstOf())
  expect([valueOf(seen, 'calls_total'), valueOf(seen, 'in_flight')]).toEqual([7, 1])
  secondOf().calls = 5
  supervisor.ready(secondOf())
  expect(valueOf(await scraped(firstOf()), 'calls_total')).toBe(12)
})

test('if a worker is busy, its last known metrics are used, and no scrape waits for a worker that has ended', async () => {
  Object.assign(firstOf(), { calls: 3 })
  Object.assign(secondOf(), { calls: 4 })
  await scraped(firstOf())
  secondOf().isBusy = true
  secondOf().calls = 9
  expect(valueOf(await scraped(firstOf()), 'calls_total')).toBe(7)
  const asking = supervisor.wanted(firstOf(), 8)
  supervisor.ended(secondOf())
  await asking
  expect(firstOf().told.at(-1)?.id).toBe(8)
})

test('no scrape waits for a worker that is starting', async () => {
  const starting = new TestWorker(3, () => supervisor)
  starting.isBusy = true
  workers = [...workers, starting]
  await supervisor.wanted(firstOf(), 8)
  expect(firstOf().told.at(-1)?.id).toBe(8)
})
