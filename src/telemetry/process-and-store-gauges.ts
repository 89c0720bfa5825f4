import { gauge, type MetricJson } from './counters-and-distributions.ts'
import { metrics } from './metric-definitions.ts'

/** These functions read the server's state from memory, for a metrics scrape. */
export interface Collectors {
  readonly callsInFlight: () => number
  readonly admission: () => {
    readonly waiting: number
    readonly inFlightMax: number
    /** Requests that were rejected for lack of capacity since the start. */
    readonly refused: number
  }
  readonly drains: () => number
  readonly bodyBytes: () => number
  /**
   * `waiting` operations wait for a commit, and `kept` operations wait for the store. `recordsDropped` counts since the
   * start.
   */
  readonly queue: () => { readonly waiting: number; readonly kept: number; readonly recordsDropped: number }
  readonly connections: () => readonly ConnectionFigures[]
  readonly circuits: () => readonly CircuitFigure[]
  readonly emitters: () => readonly EmitterFigures[]
}

export interface ConnectionFigures {
  readonly provider: string
  readonly busy: number
  readonly idle: number
  readonly waiting: number
}

export interface CircuitFigure {
  readonly account: string
  /** The provider's own name for the model. */
  readonly model: string
  readonly state: 'closed' | 'half_open' | 'open'
}

/** Counted since the start. */
export interface EmitterFigures {
  readonly emitter: string
  readonly waiting: number
  readonly delivered: number
  readonly failedAttempts: number
  readonly undelivered: number
}

/** Maximum number of circuits and of emitters, of which dashboards show only a few. */
const rowsMax = 200

export function processGauges(collectors: Collectors): readonly MetricJson[] {
  const { kept, recordsDropped, waiting } = collectors.queue()
  const { inFlightMax, refused, waiting: requestsWaiting } = collectors.admission()
  const connections = collectors.connections()
  const circuits = collectors.circuits().slice(0, rowsMax)
  const emitters = collectors.emitters().slice(0, rowsMax)
  const perEmitter = (of: (figures: EmitterFigures) => number) =>
    emitters.map((figures) => [{ emitter: figures.emitter }, of(figures)] as const)
  return [
    gauge(metrics.callsInFlight, [[{}, collectors.callsInFlight()]]),
    gauge(metrics.requestsInFlightMax, [[{}, inFlightMax]]),
    gauge(metrics.requestsWaiting, [[{}, requestsWaiting]]),
    gauge(metrics.requestsOverloaded, [[{}, refused]]),
    gauge(metrics.drains, [[{}, collectors.drains()]]),
    gauge(metrics.bodyBytes, [[{}, collectors.bodyBytes()]]),
    gauge(metrics.queueOperations, [
      [{ state: 'waiting' }, waiting],
      [{ state: 'kept' }, kept],
    ]),
    gauge(metrics.recordsDropped, [[{}, recordsDropped]]),
    gauge(
      metrics.connections,
      connections.flatMap(({ busy, idle, provider, waiting: wanting }) => [
        [{ provider, state: 'busy' }, busy] as const,
        [{ provider, state: 'idle' }, idle] as const,
        [{ provider, state: 'waiting' }, wanting] as const,
      ]),
    ),
    // Each process has its own circuit for an account and model. Export the worst state of any process.
    gauge(
      metrics.circuits,
      circuits.map(({ account, model, state }) => [{ account, model }, circuitValues[state]] as const),
      'max',
    ),
    gauge(
      metrics.emitterQueue,
      perEmitter(({ waiting: events }) => events),
    ),
    gauge(
      metrics.emitterDelivered,
      perEmitter(({ delivered }) => delivered),
    ),
    gauge(
      metrics.emitterFailures,
      perEmitter(({ failedAttempts }) => failedAttempts),
    ),
    gauge(
      metrics.emitterDropped,
      perEmitter(({ undelivered }) => undelivered),
    ),
  ]
}

const circuitValues = { closed: 0, half_open: 1, open: 2 } as const

/** Across all processes of the store. */
export interface OpenHolds {
  readonly count: number
  /** Null if no call holds money. */
  readonly oldestAtMs: number | null
}

/** @param holds null if the store does not respond */
export function storeGauges(holds: OpenHolds | null, nowMs: number): readonly MetricJson[] {
  if (holds === null) return [gauge(metrics.storeUp, [[{}, 0]])]
  const { count, oldestAtMs } = holds
  const ageMs = oldestAtMs === null ? 0 : Math.max(0, nowMs - oldestAtMs)
  return [
    gauge(metrics.storeUp, [[{}, 1]]),
    gauge(metrics.holdsOpen, [[{}, count]]),
    gauge(metrics.oldestHoldSeconds, [[{}, ageMs / 1000]]),
  ]
}
