/** Each call is reported after its end, when no client waits for it. */
import type { EndedCall } from '#domain/ledger-interface.ts'
import type { Logger } from '#domain/log-interface.ts'
import type { Refusal } from '#domain/rejected-request-facts.ts'
import { callLog } from './call-log.ts'
import { CallMetrics } from './call-metrics.ts'
import { type Collectors, processGauges } from './process-and-store-gauges.ts'
import { LedgerMetrics } from './ledger-metrics.ts'
import { LineLimit } from './log-line-limit.ts'
import type { MetricJson } from './counters-and-distributions.ts'
import { observeProcess, processMetrics } from './process-metrics.ts'
import { Refusals } from './count-and-log-rejections.ts'
import { startTracing, type Tracing } from './start-tracing.ts'

export const warningLines = { linesMax: 50 } as const

export interface TelemetryOptions {
  readonly log: Logger
  /** `CallLogOptions.share`. Null if the log level excludes the lines of calls. */
  readonly logShare: number | null
  readonly random: () => number
  readonly isTracing: boolean
  readonly gatewayOf: (slug: string) => URL
  readonly monotonicMs: () => number
}

interface OverloadFigures {
  readonly inFlight: number
  readonly inFlightMax: number
  readonly waiting: number
}

export class Telemetry {
  readonly ledger = new LedgerMetrics()
  readonly #refusals: Refusals
  readonly #warnings: LineLimit
  readonly #overloads: LineLimit
  readonly #calls = new CallMetrics()
  readonly #log: Logger
  readonly #logCall: ((ended: EndedCall) => void) | null
  readonly #tracing: Tracing | null

  static async start(options: TelemetryOptions): Promise<Telemetry> {
    observeProcess()
    return new Telemetry(options, options.isTracing ? await startTracing(options.gatewayOf) : null)
  }

  private constructor({ log, logShare, monotonicMs, random }: TelemetryOptions, tracing: Tracing | null) {
    this.#log = log
    const later = (ms: number, work: () => void): void => void setTimeout(work, ms).unref()
    this.#refusals = new Refusals({ log, monotonicMs, later })
    this.#warnings = new LineLimit(warningLines, { monotonicMs, later }, (organizationId, suppressed) =>
      log.warn({ organizationId, suppressed }, 'more provider failures occurred than logged'),
    )
    this.#overloads = new LineLimit({ linesMax: 1 }, { monotonicMs, later }, (_topic, suppressed) =>
      log.warn({ suppressed }, 'more requests were rejected as overloaded than logged'),
    )
    this.#logCall = logShare === null ? null : callLog({ log, share: logShare, random, monotonicMs, later })
    this.#tracing = tracing
  }

  /** Never throws, because an error in telemetry must not fail a call. */
  callEnded(ended: EndedCall): void {
    try {
      this.#calls.add(ended)
      this.#logCall?.(ended)
      this.#tracing?.callEnded(ended)
    } catch (err) {
      this.#log.error({ err }, 'counting a request in the metrics failed')
    }
  }

  /** Never throws, like `callEnded`. */
  refused(refusal: Refusal): void {
    try {
      this.#refusals.note(refusal)
    } catch (err) {
      this.#log.error({ err }, 'counting a rejected request in the metrics failed')
    }
  }

  /** Logs at most once a second. Never throws, like `callEnded`. */
  overloaded({ inFlight, inFlightMax, waiting }: OverloadFigures): void {
    const suppressed = this.#overloads.take('overloaded')
    if (suppressed === null) return
    const fields = { inFlight, inFlightMax, waiting, ...(suppressed > 0 && { suppressed }) }
    this.#log.warn(fields, 'overloaded: requests are rejected because this server has no capacity')
  }

  /** Warnings beyond the organization's limit are only counted. */
  warnOfCall(organizationId: string, fields: object, message: string): void {
    const suppressed = this.#warnings.take(organizationId)
    if (suppressed === null) return
    this.#log.warn(suppressed > 0 ? { ...fields, suppressed } : fields, message)
  }

  async metrics(collectors: Collectors): Promise<readonly MetricJson[]> {
    return [
      ...this.#calls.json(),
      this.#refusals.json(),
      ...this.ledger.json(),
      ...processGauges(collectors),
      ...(await processMetrics()),
    ]
  }

  async close(): Promise<void> {
    await this.#tracing?.close()
  }
}
