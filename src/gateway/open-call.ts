import type { ServerResponse } from 'node:http'
import { Failure } from '#domain/errors.ts'
import type { Reservation } from '#domain/ledger.ts'
import type { Snapshot } from '#domain/application-config.ts'
import type { Hold } from '#money/hold.ts'
import type { WireRequest } from '#wire/request.ts'
import type { AnswerStream } from '#wire/stream/answer-stream.ts'
import type { Caller } from '#gateway/arrive/authenticate.ts'
import type { Configuration, Plan } from '#gateway/decide/configuration.ts'
import type { Dispatch } from '#gateway/decide/dispatch.ts'
import type { GatewayPorts } from './ports.ts'
import type { Route } from '#gateway/arrive/routes.ts'
import type { ConnectionFault } from '#gateway/relay/upstream-failure.ts'
import type { WaitingLine } from '#gateway/decide/waiting-line.ts'

/** One call as far as it has come; each step adds what it found. */
export interface Call {
  readonly ports: GatewayPorts
  readonly configuration: Configuration
  readonly applicationId: string
  /** Suffix of the call's ids: `req_`, `hold_` and `ur_` of it are all this. */
  readonly id: string
  readonly startedAtMs: number
  readonly startedMonotonicMs: number
  readonly response: ServerResponse
  readonly route: Route
  /** What of the client's headers goes on to a provider of the same wire, names and values in turn. */
  readonly forwarded: readonly string[]
  readonly line: WaitingLine
  snapshot: Snapshot | null
  caller: Caller | null
  request: WireRequest | null
  plan: Plan | null
  /** The bound of the text that was last asked to be held for; null before. */
  textBound: TextBound | null
  reserved: Reserved | null
  /** The answer as it streams; null before, and for a whole one. */
  stream: AnswerStream | null
  firstByteMs: number | null
  /** How long it waited for money that others held; null: it did not. */
  waitedMs: number | null
  attempts: Attempt[]
}

/** The most tokens that a call's text can be, and how that was found. */
export interface TextBound {
  readonly tokensMax: number
  readonly by: 'bytes' | 'tokenizer'
}

/** One try at a provider, for explain. */
export interface Attempt {
  readonly provider: string
  readonly account: string
  readonly status: number | null
  readonly failure: string | null
  readonly durationMs: number
  /** Why no answer came, and from where. */
  readonly fault?: ConnectionFault
}

/** A call that may be sent: who answers it, and the money held for it. */
export interface Reserved {
  readonly plan: Plan
  readonly dispatch: Dispatch
  readonly reservation: Reservation
  /** For `meterVerdict`; grows when the hold is extended. */
  hold: Hold
  /** The maximum per choice that is put into the request; null: the client's, or none. */
  readonly imposedMaximum: number | null
  /**
   * The output maximum over all choices that the provider was told, by the client or by us: the hold is
   * never extended beyond it. Null: none, and a stream is extended as long as there is room.
   */
  readonly upstreamOutputMax: number | null
}

export function openCall(
  response: ServerResponse,
  applicationId: string,
  ports: GatewayPorts,
  configuration: Configuration,
  route: Route,
  forwarded: readonly string[],
  line: WaitingLine,
): Call {
  return {
    ports,
    configuration,
    applicationId,
    id: ports.newId(),
    startedAtMs: ports.clock.nowMs(),
    startedMonotonicMs: ports.clock.monotonicMs(),
    response,
    route,
    forwarded,
    line,
    snapshot: null,
    caller: null,
    request: null,
    plan: null,
    textBound: null,
    reserved: null,
    stream: null,
    firstByteMs: null,
    waitedMs: null,
    attempts: [],
  }
}

/** The application's configuration; an archived application answers like none. */
export async function loaded(configuration: Configuration, applicationId: string): Promise<Snapshot> {
  const found = configuration.snapshot(applicationId)
  const snapshot = found instanceof Promise ? await found : found
  if (!snapshot || snapshot.isArchived) throw new Failure('unknown_host')
  return snapshot
}
