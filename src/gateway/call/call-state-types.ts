import type { FailedAttempt, Reservation } from '#domain/ledger-interface.ts'
import type { Deadlines } from '#domain/calls/call-deadlines.ts'
import type { Hold, Limit } from '#money/decision-types.ts'
import type { RateRoom } from '#domain/limits/remaining-rate-limit.ts'
import type { WireRequest } from '#wire/wire-request.ts'
import type { AnswerStream } from '#wire/stream/answer-stream-interface.ts'
import type { CohereV1Lines } from '#wire/cohere-v1/write-response.ts'
import type { InvokeChunks } from '#wire/invoke/write-invoke-response.ts'
import type { Arrival } from './arrived-request-types.ts'
import type { Caller } from './caller-of-request.ts'
import type { SharedShare } from './enforce-shared-limits.ts'
import type { DayShare } from './count-daily-limit-use.ts'
import type { Plan } from './targets-of-model-name.ts'
import type { Dispatch, Routed, UpstreamMaximum, Way } from './routed-target-types.ts'

/**
 * Each step of serve-call.ts moves the call to its next state:
 *
 *     Call -> AuthenticatedCall -> ParsedCall -> PlannedCall -> ReservedCall
 *
 * Each step returns the same object, because a copy would cost memory. The returned type declares the fields of the new
 * state as set. Code that may run after any step, such as `refuse`, takes a `Call`.
 */
export interface Call extends Arrival {
  readonly startedAtMs: number
  readonly startedMonotonicMs: number
  /** This field and the next six are null until their step has run. */
  readonly caller: Caller | null
  readonly request: WireRequest | null
  /** When the request was fully received and parsed. */
  readonly readMonotonicMs: number | null
  readonly routed: Routed | null
  readonly plan: Plan | null
  readonly textBound: TextBound | null
  readonly reserved: Reserved | null
  /** Empty until the tags are checked. */
  tags: readonly string[]
  limits: readonly Limit[]
  /**
   * The tightest rate limit of each measure, such as requests or tokens, at the last reserve. Null if no rate limit
   * applies.
   */
  rates: readonly RateRoom[] | null
  /** Null if the call did not wait for money that other calls held. */
  waitedMs: number | null
  /** Null before the stream starts, and for a non-streaming response. */
  stream: AnswerStream | null
  /** Null before the first chunk. Used only for streams of Bedrock's `invoke`. */
  invokeChunks: InvokeChunks | null
  /** Null before the first event. Used only for version 1 of Cohere's chat. */
  cohereV1Lines: CohereV1Lines | null
  firstByteMs: number | null
  /** The provider's name for the model that responded. Null if the requested model responded. */
  answeredBy: string | null
  pace: Pace | null
  /** When the client disconnected, in milliseconds since the start of the call. Null if the client stayed connected. */
  leftAtMs: number | null
  /** Null before the settle, and if the client did not request a report. */
  report: CallReport | null
  createdFiles: Set<string> | null
  readonly attempts: Attempt[]
  /** Failed attempts that the provider charges for, or after which another attempt was made. */
  readonly failed: FailedAttempt[]
}

/** A newer configuration or key replaces the caller. */
export interface AuthenticatedCall extends Call {
  caller: Caller
}

export interface ParsedCall extends AuthenticatedCall {
  readonly request: WireRequest
  readonly readMonotonicMs: number
  /**
   * Parses the body again with newer rules for tools. Null if the request has no provider-run tools, which are all that
   * the rules affect.
   */
  readAgain: (() => WireRequest | Promise<WireRequest>) | null
}

export interface PlannedCall extends ParsedCall {
  routed: Routed
  /** The plan for the current target, or before the first attempt, for the first target. */
  plan: Plan
  readonly textBound: TextBound
}

export interface ReservedCall extends PlannedCall {
  reserved: Reserved
}

export interface CallReport {
  readonly chargeMicros: string
  /** The maximum amount that another request could hold, in micros. Null means no limit. Absent if unknown. */
  readonly remainingMicros?: string | null
}

export interface Pace {
  /** Null if no text arrived. */
  readonly firstTokenMs: number | null
  readonly lastTokenMs: number | null
  readonly longestGapMs: number
  /** Bytes written to the client, without the end of the response, which is withheld until the settle. */
  readonly bytes: number
}

export interface TextBound {
  readonly tokensMax: number
  readonly by: 'bytes' | 'tokenizer'
}

export interface Attempt {
  readonly provider: string
  readonly account: string
  readonly model: string
  readonly status: number | null
  readonly failure: string | null
  readonly durationMs: number
  /**
   * In milliseconds since the start of the call. The next two fields are milliseconds since the start of the attempt.
   */
  readonly atMs: number
  /** Null if an open connection was used, or if no connection was established. */
  readonly connectMs: number | null
  readonly firstByteMs: number | null
  /** Absent if the attempt succeeded. */
  readonly code?: string
  /**
   * The amount that the provider charges for the attempt. Absent if the attempt succeeded, or if it was the only
   * attempt of the call.
   */
  costMicros?: string
  /** Why no retry was made although the failure allows one. */
  notRepeated?: 'retry_budget'
  /** Absent if all deadlines are the gateway's own. */
  readonly deadlines?: Partial<Deadlines>
  readonly fault?: ConnectionFault
}

export interface ConnectionFault {
  readonly host: string | null
  readonly cause: string
  /** Such as `ENOTFOUND`. Null if the system reported no error. */
  readonly systemCode: string | null
}

export interface Reserved {
  /** In the order in which the targets are called. */
  readonly ways: readonly Way[]
  readonly plan: Plan
  readonly dispatch: Dispatch
  readonly maximum: UpstreamMaximum
  /** The hold before any extension. */
  readonly reservation: Reservation
  /** The current hold, including extensions. */
  hold: Hold
  /** Null if no daily limit applies. */
  readonly share: DayShare | null
  /** Null if no limit that end users share applies. */
  readonly shared: SharedShare | null
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
    wrongKeys: arrival.wrongKeys,
    line: arrival.line,
    dailyUse: arrival.dailyUse,
    sharedLimits: arrival.sharedLimits,
    targets: arrival.targets,
    background: arrival.background,
    batches: arrival.batches,
    startedAtMs: clock.nowMs(),
    startedMonotonicMs: clock.monotonicMs(),
    caller: null,
    request: null,
    readMonotonicMs: null,
    routed: null,
    plan: null,
    textBound: null,
    reserved: null,
    tags: [],
    limits: [],
    rates: null,
    waitedMs: null,
    stream: null,
    firstByteMs: null,
    answeredBy: null,
    pace: null,
    leftAtMs: null,
    report: null,
    createdFiles: null,
    invokeChunks: null,
    cohereV1Lines: null,
    attempts: [],
    failed: [],
  }
}

export function authenticated(call: Call, caller: Caller): AuthenticatedCall {
  return Object.assign(call, { caller })
}

export function parsed(
  call: AuthenticatedCall,
  request: WireRequest,
  readAgain: ParsedCall['readAgain'] = null,
): ParsedCall {
  return Object.assign(call, { request, readMonotonicMs: call.ports.clock.monotonicMs(), readAgain })
}

/** Called again if a newer configuration is loaded, or if a tokenizer lowers the maximum for the text. */
export function planned(call: ParsedCall, routed: Routed, textBound: TextBound): PlannedCall {
  return Object.assign(call, { routed, plan: routed.ways[0].plan, textBound })
}

export function reservedFor(call: PlannedCall, reserved: Reserved): ReservedCall {
  return Object.assign(call, { plan: reserved.plan, reserved })
}
