import { countedFigures, type MoneyName } from '#domain/sums-of-request-figures.ts'
import { countedUses, dimensionsOn, factsOf, type UseCount } from '#money/price.ts'
import type { Metric } from './counters-and-distributions.ts'

/** Upper bounds in seconds, from the duration of a rejection to that of the longest responses. */
const callSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]
/** Upper bounds in seconds, from a commit in memory to a commit on a disk that hangs. */
const commitSeconds = [
  0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]
const batchSizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]

const ofModel = ['application', 'mode', 'model'] as const

/**
 * Every metric except process metrics (process-metrics.ts), as documented in docs/reference/metrics.md. No label
 * contains an end user, a key or a request, and callers cannot cause new label values (call-metrics.ts).
 */
export const metrics = {
  calls: counter(
    'tollgate_calls_total',
    'Requests that ended, by result (settled, released, refused), class of the HTTP status and error code (`none` without an error).',
    ['application', 'mode', 'wire', 'outcome', 'status', 'code'],
  ),
  refusals: counter(
    'tollgate_refusals_total',
    'Requests rejected with 401, 403 or 429, by plane (control, portal, gateway), operation (wire format of a gateway request) and error code.',
    ['plane', 'operation', 'code'],
  ),
  callSeconds: histogram(
    'tollgate_call_duration_seconds',
    'Time from the head of a request to the last byte of the response, including the time to settle the request.',
    ['wire', 'streamed'],
    callSeconds,
  ),
  firstByteSeconds: histogram(
    'tollgate_call_first_byte_seconds',
    'Time from the head of a request to the first byte of the response, for requests that a provider answered.',
    ['wire', 'streamed'],
    callSeconds,
  ),
  tokens: counter(
    'tollgate_tokens_total',
    `Tokens of settled calls, by direction (input, output) and kind (${tokenKinds()}).`,
    [...ofModel, 'direction', 'kind'],
  ),
  ...metricsOfUses(),
  ...metricsOfFigures(),
  attempts: counter(
    'tollgate_attempts_total',
    'Calls to providers, by account and outcome (2xx, 3xx, 4xx, 429, 5xx, or the phase in which the connection failed).',
    ['provider', 'account', 'outcome'],
  ),
  attemptSeconds: histogram(
    'tollgate_attempt_duration_seconds',
    'Time from sending a request to a provider to the end of its response.',
    ['provider'],
    callSeconds,
  ),
  ledgerWaitSeconds: histogram(
    'tollgate_ledger_wait_seconds',
    'Time that a `reserve` or `settle` operation waited for its commit.',
    ['operation'],
    commitSeconds,
  ),
  commitSeconds: histogram(
    'tollgate_ledger_commit_duration_seconds',
    'Duration of a commit of the ledger.',
    [],
    commitSeconds,
  ),
  commitOperations: histogram(
    'tollgate_ledger_commit_operations',
    'Operations in one commit of the ledger.',
    [],
    batchSizes,
  ),
  queueOperations: gaugeOf(
    'tollgate_ledger_queue_operations',
    'Operations that wait for the next commit (waiting), or for an unavailable store (kept).',
    ['state'],
  ),
  recordsDropped: counter(
    'tollgate_ledger_records_dropped_total',
    'Records of rejected requests that were dropped because the store did not accept them.',
    [],
  ),
  holdsOpen: gaugeOf(
    'tollgate_holds_open',
    'Requests in flight for which money is held, over all processes of the store.',
    [],
  ),
  oldestHoldSeconds: gaugeOf(
    'tollgate_holds_oldest_age_seconds',
    'Age of the oldest open hold, over all processes of the store. 0 if no request is in flight.',
    [],
  ),
  storeUp: gaugeOf('tollgate_store_up', '1 if the store responds, otherwise 0.', []),
  callsInFlight: gaugeOf('tollgate_calls_in_flight', 'Requests in flight at this server.', []),
  requestsInFlightMax: gaugeOf(
    'tollgate_requests_in_flight_max',
    'Current limit of requests in flight at this server. The server lowers the limit while the event loop is slow or memory is low.',
    [],
  ),
  requestsWaiting: gaugeOf(
    'tollgate_requests_waiting',
    'Requests that wait for capacity of this server.',
    [],
  ),
  requestsOverloaded: counter(
    'tollgate_requests_overloaded_total',
    'Requests rejected with 503 or 529 `overloaded` because this server had no capacity.',
    [],
  ),
  drains: gaugeOf(
    'tollgate_drains',
    'Responses that are read to the end for their usage, although the client has disconnected.',
    [],
  ),
  bodyBytes: gaugeOf('tollgate_body_bytes', 'Bytes of the request bodies of calls in flight.', []),
  connections: gaugeOf(
    'tollgate_provider_connections',
    'Connections to providers, by kind of provider and state: busy, idle, or requests that wait for a connection.',
    ['provider', 'state'],
  ),
  circuits: gaugeOf(
    'tollgate_circuit_state',
    'State of the circuit of an account and a model: 0 closed, 1 half open, 2 open.',
    ['account', 'model'],
  ),
  emitterQueue: gaugeOf('tollgate_emitter_queue_events', 'Events that wait for an emitter.', ['emitter']),
  emitterDelivered: counter(
    'tollgate_emitter_delivered_events_total',
    'Events that an emitter has delivered.',
    ['emitter'],
  ),
  emitterFailures: counter(
    'tollgate_emitter_failed_attempts_total',
    'Deliveries that the destination of an emitter did not accept.',
    ['emitter'],
  ),
  emitterDropped: counter(
    'tollgate_emitter_undelivered_events_total',
    'Events that an emitter no longer tries to deliver. The usage records of the requests are kept.',
    ['emitter'],
  ),
} satisfies Record<string, Metric>

function tokenKinds(): string {
  const kinds = dimensionsOn('text', 'media', 'output').flatMap((dimension) => factsOf(dimension).kind ?? [])
  return [...new Set(kinds)].join(', ')
}

/** Such as `tollgate_web_searches_total`. */
function metricsOfUses(): Readonly<Record<UseCount, Metric>> {
  const metricsOf = countedUses.map(({ count, dimension }) => {
    const [, several] = factsOf(dimension).units
    const name = `tollgate_${several.replaceAll(' ', '_')}_total`
    const help = `${several.charAt(0).toUpperCase()}${several.slice(1)} of settled calls.`
    return [count, counter(name, help, ofModel)]
  })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one for each count
  return Object.fromEntries(metricsOf) as Record<UseCount, Metric>
}

/** Each key is the name of a figure in reports, followed by `Total`. */
function metricsOfFigures(): Readonly<Record<`${MoneyName}Total`, Metric>> {
  const metricsOf = countedFigures.map(({ metric: { help, name }, name: figure }) => [
    `${figure}Total`,
    counter(name, help, ofModel),
  ])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- callers use the names of `countedFigures`
  return Object.fromEntries(metricsOf) as Record<`${MoneyName}Total`, Metric>
}

function counter(name: string, help: string, labels: readonly string[]): Metric {
  return { name, help, type: 'counter', labels }
}

function gaugeOf(name: string, help: string, labels: readonly string[]): Metric {
  return { name, help, type: 'gauge', labels }
}

function histogram(name: string, help: string, labels: readonly string[], bounds: readonly number[]): Metric {
  return { name, help, type: 'histogram', labels, bounds }
}
