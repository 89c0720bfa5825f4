/**
 * A series is kept as an object, so that counting is a single addition. prom-client hashes the labels on every count,
 * which is too slow for each call (call-metrics.test.ts).
 */

export type Labels = Readonly<Record<string, string | number>>

/** The format that prom-client reads and adds up: plain data that can be sent to another process. */
export interface MetricJson {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly aggregator: 'sum' | 'max' | 'min' | 'average' | 'first'
  readonly values: readonly {
    readonly labels: Labels
    readonly value: number
    /** For a histogram, the name of the bucket, sum or count series. */
    readonly metricName?: string
  }[]
}

export interface Metric {
  readonly name: string
  readonly help: string
  readonly type: MetricJson['type']
  readonly labels: readonly string[]
  /** For a histogram, the upper bounds of its buckets, in ascending order. */
  readonly bounds?: readonly number[]
}

export class Count {
  value = 0
}

export class Counter {
  readonly #metric: Metric
  readonly #series: { readonly labels: Labels; readonly count: Count }[] = []

  constructor(metric: Metric) {
    this.#metric = metric
  }

  /** The caller counts with the returned object. */
  series(labels: Labels): Count {
    const count = new Count()
    this.#series.push({ labels, count })
    return count
  }

  json(): MetricJson {
    const { help, name, type } = this.#metric
    const values = this.#series.map(({ count, labels }) => ({ labels, value: count.value }))
    return { name, help, type, aggregator: 'sum', values }
  }
}

/** Counts values in buckets, each of which has an upper bound, and adds up all values. */
export class Distribution {
  readonly #bounds: readonly number[]
  /**
   * A value is counted only in the smallest bucket that contains it. The last number is for values above all bounds.
   */
  readonly #counts: Float64Array
  #sum = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = new Float64Array(bounds.length + 1)
  }

  add(value: number): void {
    const bounds = this.#bounds
    let at = 0
    while (at < bounds.length && value > (bounds[at] ?? Infinity)) at++
    this.#counts[at] = (this.#counts[at] ?? 0) + 1
    this.#sum += value
  }

  /** Cumulative, as in Prometheus: each bucket includes all smaller buckets. */
  values(name: string, labels: Labels): MetricJson['values'] {
    let count = 0
    const buckets = Array.from(this.#counts, (inBucket, at) => {
      count += inBucket
      const le = this.#bounds[at] ?? '+Inf'
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count }
    })
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.#sum },
      { metricName: `${name}_count`, labels, value: count },
    ]
  }
}

export class Histogram {
  readonly #metric: Metric
  readonly #series: { readonly labels: Labels; readonly distribution: Distribution }[] = []

  constructor(metric: Metric) {
    this.#metric = metric
  }

  series(labels: Labels): Distribution {
    const distribution = new Distribution(this.#metric.bounds ?? [])
    this.#series.push({ labels, distribution })
    return distribution
  }

  json(): MetricJson {
    const { help, name, type } = this.#metric
    const values = this.#series.flatMap(({ distribution, labels }) => distribution.values(name, labels))
    return { name, help, type, aggregator: 'sum', values }
  }
}

export function gauge(
  { help, name, type }: Metric,
  values: readonly (readonly [labels: Labels, value: number])[],
  aggregator: MetricJson['aggregator'] = 'sum',
): MetricJson {
  return { name, help, type, aggregator, values: values.map(([labels, value]) => ({ labels, value })) }
}
