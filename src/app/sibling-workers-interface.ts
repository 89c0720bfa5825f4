import type { MetricJson } from '#telemetry/counters-and-distributions.ts'

export interface Siblings {
  tellApplicationsChanged(): void
  onApplicationsChanged(listener: () => void): void
  /** Includes the counts of workers that no longer run. */
  metricsOfAll(): Promise<readonly (readonly MetricJson[])[]>
  /** Sends this worker's own metrics to the supervisor when any worker is scraped. */
  onMetricsWanted(read: () => Promise<readonly MetricJson[]>): void
}
