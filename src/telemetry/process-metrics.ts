import { collectDefaultMetrics, Registry } from 'prom-client'
import type { MetricJson } from './counters-and-distributions.ts'

/**
 * Metrics with the standard names of Node programs: `process_*` and `nodejs_*`. There is only one registry, because its
 * observers cannot be stopped.
 */
let registry: Registry | null = null

export async function processMetrics(): Promise<readonly MetricJson[]> {
  const found = await observed().getMetricsAsJSON()
  // prom-client's type omits the names of histogram values, and declares `type` as a string.
  return (found as unknown as readonly MetricJson[]).map((metric) => ({
    ...metric,
    aggregator: aggregatorOf(metric),
  }))
}

/** Before the first call, the event loop delay is unknown. */
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

/**
 * The event loop delay is the largest value (or the smallest, for its minimum), because an average would hide a slow
 * process. The start time is the earliest value.
 */
function aggregatorOf({ aggregator, name }: { name: string; aggregator: string }): MetricJson['aggregator'] {
  if (name.startsWith('nodejs_eventloop_lag')) return name.includes('_min_') ? 'min' : 'max'
  if (name === 'process_start_time_seconds') return 'min'
  return aggregator === 'first' || aggregator === 'max' || aggregator === 'min' ? aggregator : 'sum'
}
