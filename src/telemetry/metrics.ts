import type { Metric } from './metric-series.ts'

/** Buckets in seconds, from a rejection to the longest responses. */
const callSeconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600]
/** Buckets in seconds, from a commit in memory to a disk that hangs. */
const commitSeconds = [
  0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
]
const batchSizes = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]

/** The labels for money: the application, the mode and the model. */
const ofModel = ['application', 'mode', 'model'] as const

/**
 * Every metric of the program except process metrics (process-metrics.ts), as documented in docs/guides/telemetry.md.
 * No label contains an end user, a key or a request. Callers cannot create label values (call-metrics.ts).
 */
export const metrics = {
  calls: counter(
    'tollgate_calls_total',
    'Calls that ended: by how (settled, released, refused), class of the HTTP status and error code (none: it went well).',
    ['application', 'mode', 'wire', 'outcome', 'status', 'code'],
  ),
  refusals: counter(
    'tollgate_refusals_total',
    'Requests rejected with 401, 403 or 429, by plane (control, portal, gateway), operation (at a gateway the wire) and error code.',
    ['plane', 'operation', 'code'],
  ),
  callSeconds: histogram(
    'tollgate_call_duration_seconds',
    'From the head of a request to the written end of its answer, the settle included.',
    ['wire', 'streamed'],
    callSeconds,
  ),
  firstByteSeconds: histogram(
    'tollgate_call_first_byte_seconds',
    'From the head of a request to the first byte of its answer; calls that got one from a provider.',
    ['wire', 'streamed'],
    callSeconds,
  ),
  tokens: counter(
    'tollgate_tokens_total',
    'Tokens of settled calls, by direction (input, output) and kind (text, cache_read, cache_write, cache_write_long, audio, image, reasoning).',
    [...ofModel, 'direction', 'kind'],
  ),
  webSearches: counter('tollgate_web_searches_total', 'Web searches of settled calls.', ofModel),
  chargedMicros: counter(
    'tollgate_charged_micros_total',
    'What left the sources of people, in millionths of a dollar.',
    ofModel,
  ),
  billedMicros: counter(
    'tollgate_billed_micros_total',
    'What settled calls sell for, in millionths of a dollar.',
    ofModel,
  ),
  costMicros: counter(
    'tollgate_cost_micros_total',
    'What providers charge for calls, their failed attempts included, in millionths of a dollar.',
    ofModel,
  ),
  overHoldMicros: counter(
    'tollgate_over_hold_micros_total',
    'What calls used beyond what they were admitted for, in millionths of a dollar: a cost of the application.',
    ofModel,
  ),
  attempts: counter(
    'tollgate_attempts_total',
    'Calls to providers, by account and outcome (2xx, 3xx, 4xx, 429, 5xx, or the phase in which the connection failed).',
    ['provider', 'account', 'outcome'],
  ),
  attemptSeconds: histogram(
    'tollgate_attempt_duration_seconds',
    'From sending a request to a provider to the end of its answer.',
    ['provider'],
    callSeconds,
  ),
  ledgerWaitSeconds: histogram(
    'tollgate_ledger_wait_seconds',
    'How long a reserve or a settle waited for the commit that it was in.',
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
    'Operations that wait: for the next commit (waiting), or for a store that is away (kept).',
    ['state'],
  ),
  recordsDropped: counter(
    'tollgate_ledger_records_dropped_total',
    'Records of refused calls that were dropped because the store did not take them.',
    [],
  ),
  holdsOpen: gaugeOf(
    'tollgate_holds_open',
    'Calls in flight of the whole store: money is held for them.',
    [],
  ),
  oldestHoldSeconds: gaugeOf(
    'tollgate_holds_oldest_age_seconds',
    'Age of the oldest call in flight of the whole store; 0: there is none.',
    [],
  ),
  storeUp: gaugeOf('tollgate_store_up', 'Whether the store answers: 1, or 0.', []),
  callsInFlight: gaugeOf('tollgate_calls_in_flight', 'Calls that this server is answering.', []),
  drains: gaugeOf(
    'tollgate_drains',
    'Providers that are read on for their usage, although the client has left.',
    [],
  ),
  bodyBytes: gaugeOf('tollgate_body_bytes', 'Bytes of the request bodies of calls in flight.', []),
  connections: gaugeOf(
    'tollgate_provider_connections',
    'Connections to providers by kind of provider: busy with a call, idle, or waited for (waiting).',
    ['provider', 'state'],
  ),
  circuits: gaugeOf(
    'tollgate_circuit_state',
    'Circuit of an account and a model: 0 closed, 1 half open, 2 open.',
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
    'Attempts of an emitter that its destination did not take.',
    ['emitter'],
  ),
  emitterDropped: counter(
    'tollgate_emitter_undelivered_events_total',
    'Events that an emitter has given up; they are still in the records.',
    ['emitter'],
  ),
} satisfies Record<string, Metric>

function counter(name: string, help: string, labels: readonly string[]): Metric {
  return { name, help, type: 'counter', labels }
}

function gaugeOf(name: string, help: string, labels: readonly string[]): Metric {
  return { name, help, type: 'gauge', labels }
}

function histogram(name: string, help: string, labels: readonly string[], bounds: readonly number[]): Metric {
  return { name, help, type: 'histogram', labels, bounds }
}
