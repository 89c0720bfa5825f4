import type { FailedAttempt, Reservation } from '#domain/ledger.ts'
import type { Hold, Limit } from '#money/hold.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import type { AnswerStream } from '#wire/stream/answer-stream.ts'
import type { Arrival } from '#gateway/arrive/arrival.ts'
import type { Caller } from '#gateway/arrive/authenticate.ts'
import type { Routed, Way } from '#gateway/decide/route-call.ts'
import type { Plan } from '#gateway/decide/served-name.ts'
import type { DayShare } from '#gateway/decide/daily-use.ts'
import type { Dispatch } from '#gateway/decide/pass-or-convert.ts'
import type { UpstreamMaximum } from '#gateway/decide/upstream-maximum.ts'
import type { Deadlines } from '#domain/deadlines.ts'
import type { ConnectionFault } from '#gateway/relay/connection-failure.ts'

/** The state of one call. Each step adds its result. */
export interface Call extends Arrival {
  readonly startedAtMs: number
  readonly startedMonotonicMs: number
  caller: Caller | null
  request: WireRequest | null
  /** When `request` was complete, by the monotonic clock. Null until then. */
  readMonotonicMs: number | null
  /** The targets that may serve the call. Null until they are decided. */
  routed: Routed | null
  /** The plan at the current target, or at the target that would have been first. */
  plan: Plan | null
  /** The text bound of the last reserve. Null before the first reserve. */
  textBound: TextBound | null
  reserved: Reserved | null
  /** The response stream. Null before it starts, and for a non-streaming response. */
  stream: AnswerStream | null
  firstByteMs: number | null
  /** How long the call waited for money held by other calls. Null if it did not wait. */
  waitedMs: number | null
  /** The limits that the last reserve checked. */
  limits: readonly Limit[]
  /** The provider's name for the model that responded, if it differs from the requested model. Otherwise null. */
  answeredBy: string | null
  /** The timing of the streamed response. Null if the response is non-streaming or did not begin. */
  pace: Pace | null
  /** When the client disconnected, in milliseconds since the start of the call. Null if it stayed connected. */
  leftAtMs: number | null
  readonly attempts: Attempt[]
  /** Failed attempts that were followed by others or that cost something. */
  readonly failed: FailedAttempt[]
}

/** The timing of a stream, in milliseconds since the start of the call. */
export interface Pace {
  /** Null if no text arrived. */
  readonly firstTokenMs: number | null
  readonly lastTokenMs: number | null
  /** Longest time without a piece of the response, after the first one. */
  readonly longestGapMs: number
  /** Bytes written to the client, without the end that is held back. */
  readonly bytes: number
}

/** The maximum number of tokens of a call's text, and how they were counted. */
export interface TextBound {
  readonly tokensMax: number
  readonly by: 'bytes' | 'tokenizer'
}

/** An attempt at a provider, for explain. */
export interface Attempt {
  readonly provider: string
  readonly account: string
  readonly model: string
  readonly status: number | null
  readonly failure: string | null
  readonly durationMs: number
  /**
   * Start of the attempt, in milliseconds since the start of the call. The next two fields are milliseconds since the
   * start of the attempt.
   */
  readonly atMs: number
  /** Null if no connection was needed, or if no connection was established. */
  readonly connectMs: number | null
  /** Time to the head of the response. Null if no head arrived. */
  readonly firstByteMs: number | null
  /** The gateway's error code. Absent if the attempt succeeded. */
  readonly code?: string
  /** The amount that the provider charges for it. Absent if the attempt succeeded, or if it was the only one. */
  costMicros?: string
  /** The reason the target was not called again. Absent if nothing prevented it, or if it was called again. */
  notRepeated?: 'retry_budget'
  /** Deadlines that differ from the gateway's own. Absent if no deadlines differ. */
  readonly deadlines?: Partial<Deadlines>
  /** Why no response arrived, and at which stage. */
  readonly fault?: ConnectionFault
}

/** A call that may be sent: its provider, and the money held for it. */
export interface Reserved {
  /** The targets that the hold covers, in the order in which they are called. */
  readonly ways: readonly Way[]
  readonly plan: Plan
  readonly dispatch: Dispatch
  readonly maximum: UpstreamMaximum
  /** The original hold. */
  readonly reservation: Reservation
  /** The current hold, for `meterVerdict`. An extension makes it grow. */
  hold: Hold
  /** Its share of the organization's daily limits. Null if no limit applies. */
  readonly share: DayShare | null
}

export function openCall(arrival: Arrival): Call {
  const { clock } = arrival.ports
  return {
    id: arrival.id,
    response: arrival.response,
    applicationId: arrival.applicationId,
    route: arrival.route,
    ports: arrival.ports,
    configuration: arrival.configuration,
    line: arrival.line,
    dailyUse: arrival.dailyUse,
    targets: arrival.targets,
    startedAtMs: clock.nowMs(),
    startedMonotonicMs: clock.monotonicMs(),
    caller: null,
    request: null,
    readMonotonicMs: null,
    routed: null,
    plan: null,
    textBound: null,
    reserved: null,
    stream: null,
    firstByteMs: null,
    waitedMs: null,
    limits: [],
    answeredBy: null,
    pace: null,
    leftAtMs: null,
    attempts: [],
    failed: [],
  }
}
