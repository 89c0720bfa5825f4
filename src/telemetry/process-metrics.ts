import { collectDefaultMetrics, Registry } from 'prom-client'
import type { MetricJson } from './metric-series.ts'

/**
 * What the machine spends on this process, under the names that every Node program has: `process_*` and `nodejs_*`.
 * Once for a process, since its observers never end.
 */
let registry: Registry | null = null

export async function processMetrics(): Promise<readonly MetricJson[]> {
  const found = await observed().getMetricsAsJSON()
  // prom-client types its answer without the names that histograms carry, and has `type` as text.
  return (found as unknown as readonly MetricJson[]).map((metric) => ({
    ...metric,
    aggregator: aggregatorOf(metric),
  }))
}

/** Begins to observe; before this the delay of the event loop is not known. */
export function observeProcess(): void {
  observed()
}

function observed(): Registry {
  if (registry === null) {
    registry = new Registry()
    collectDefaultMetrics({ register: registry })
  }
  return registry
}

/** Of several processes: the worst event loop, since a mean hides it, and the oldest start. */
function aggregatorOf({ aggregator, name }: { name: string; aggregator: string }): MetricJson['aggregator'] {
  if (name.startsWith('nodejs_eventloop_lag')) return name.includes('_min_') ? 'min' : 'max'
  if (name === 'process_start_time_seconds') return 'min'
  return aggregator === 'first' || aggregator === 'max' || aggregator === 'min' ? aggregator : 'sum'
}
