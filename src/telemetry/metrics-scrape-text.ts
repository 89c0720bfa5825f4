import { AggregatorRegistry } from 'prom-client'
import type { MetricJson } from './counters-and-distributions.ts'

export interface Scrape {
  readonly contentType: string
  readonly text: string
}

export async function scrapeOf(processes: readonly (readonly MetricJson[])[]): Promise<Scrape> {
  const registry = AggregatorRegistry.aggregate(processes.map((metrics) => [...metrics]))
  return { contentType: registry.contentType, text: await registry.metrics() }
}

/**
 * Adds the counters of an ended process to the sums over all ended processes, and drops its gauges. A counter must
 * never fall: Prometheus would treat the fall as a restart, and count the whole remaining sum as an increase.
 */
export async function withLeft(
  left: readonly MetricJson[],
  ended: readonly MetricJson[],
): Promise<readonly MetricJson[]> {
  const counted = ended.filter(({ type }) => type !== 'gauge')
  const registry = AggregatorRegistry.aggregate([[...left], counted])
  // The cast is safe, because `aggregate` returns metrics in the format of its input.
  return (await registry.getMetricsAsJSON()) as unknown as readonly MetricJson[]
}
