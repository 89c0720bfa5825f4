import type { MetricJson } from '#telemetry/counters-and-distributions.ts'

/** The other workers (processes) of this server. */
export interface Siblings {
  /** Makes the other workers listen on the ports of a new application. */
  tellApplicationsChanged(): void
  onApplicationsChanged(listener: () => void): void
  /** Returns the metrics of all workers, including the counts of workers that no longer run. */
  metricsOfAll(): Promise<readonly (readonly MetricJson[])[]>
  /** Sends this worker's own metrics to the supervisor when any worker is scraped. */
  onMetricsWanted(read: () => Promise<readonly MetricJson[]>): void
}
