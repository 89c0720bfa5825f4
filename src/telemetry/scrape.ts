import { AggregatorRegistry } from 'prom-client'
import type { MetricJson } from './metric-series.ts'

/** The answer to a scrape. */
export interface Scrape {
  readonly contentType: string
  readonly text: string
}

/** The metrics of one or several processes as one text in Prometheus' format. */
export async function scrapeOf(processes: readonly (readonly MetricJson[])[]): Promise<Scrape> {
  const registry = AggregatorRegistry.aggregate(processes.map((metrics) => [...metrics]))
  return { contentType: registry.contentType, text: await registry.metrics() }
}

/**
 * What a process that has ended leaves to the sums: its counters, which must not fall when it is gone
 * (a fall reads as a restart, and the whole sum as an increase). Gauges end with it.
 */
export async function withLeft(
  left: readonly MetricJson[],
  ended: readonly MetricJson[],
): Promise<readonly MetricJson[]> {
  const counted = ended.filter(({ type }) => type !== 'gauge')
  const registry = AggregatorRegistry.aggregate([[...left], counted])
  // As process-metrics.ts: what `aggregate` was given comes back added up.
  return (await registry.getMetricsAsJSON()) as unknown as readonly MetricJson[]
}
