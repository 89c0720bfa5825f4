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
 * A call in any state. Each step of serve-call.ts takes the call in one state and returns it in the next one:
 *
 *     Call -> AuthenticatedCall -> ParsedCall -> PlannedCall -> ReservedCall
 *
 * A call is one object, because a copy for each step would cost memory. Each step sets the fields of its state, and
 * returns the call with a type that declares these fields as set. Code that may run after any step, such as `refuse`,
 * takes a `Call` and uses the fields that are already set.
 */
export interface Call extends Arrival {
  readonly startedAtMs: number
  readonly startedMonotonicMs: number
  /** This field and the next six fields are null until the step that sets the field has run. */
  readonly caller: Caller | null
  readonly request: WireRequest | null
  /** Time at which the request was fully received and parsed, by the monotonic clock. */
  readonly readMonotonicMs: number | null
  readonly routed: Routed | null
  readonly plan: Plan | null
  readonly textBound: TextBound | null
  readonly reserved: Reserved | null
  /** The tags that limits and reports count. Empty until the tags are checked. */
  tags: readonly string[]
  /** The limits that the last reserve checked. */
  limits: readonly Limit[]
  /**
   * For each measure, such as requests or tokens, the tightest rate limit at the last reserve. Null if no rate limit
   * applies.
   */
  rates: readonly RateRoom[] | null
  /** How long the call waited for money held by other calls. Null if the call did not wait. */
  waitedMs: number | null
  /** The response stream. Null before the stream starts, and for a non-streaming response. */
  stream: AnswerStream | null
  /** Writes the chunks of a stream at Bedrock's `invoke`. Null before the first chunk, and for all other responses. */
  invokeChunks: InvokeChunks | null
  /** Writes the stream of version 1 of Cohere's chat. Null before the first event, and for all other responses. */
  cohereV1Lines: CohereV1Lines | null
  firstByteMs: number | null
  /**
   * The provider's name for the model that responded, if another model than the requested model responded; otherwise
   * null.
   */
  answeredBy: string | null
  /** The timing of the streamed response. Null if the response is non-streaming or did not begin. */
  pace: Pace | null
  /** When the client disconnected, in milliseconds since the start of the call. Null if the client stayed connected. */
  leftAtMs: number | null
  /** The report of the settled call. Null before the settle, and if the client did not request a report. */
  report: CallReport | null
  /** The provider's IDs of the files that code has created. Null if code has created no file. */
  createdFiles: Set<string> | null
  readonly attempts: Attempt[]
  /** Failed attempts that the provider charges for, or after which another attempt was made. */
  readonly failed: FailedAttempt[]
}

/** A call whose caller is known. The caller is replaced if a newer configuration or key is loaded. */
export interface AuthenticatedCall extends Call {
  caller: Caller
}

/** A call whose request is complete and valid. */
export interface ParsedCall extends AuthenticatedCall {
  readonly request: WireRequest
  readonly readMonotonicMs: number
  /**
   * Parses the body again with the rules of a newer configuration. Null if the request has no tools that a provider
   * runs, because without such tools no rule affects the parsing.
   */
  readAgain: (() => WireRequest | Promise<WireRequest>) | null
}

/** A call whose targets are decided. */
export interface PlannedCall extends ParsedCall {
  /** The targets that may serve the call. */
  routed: Routed
  /** The plan for the current target. Before a target is called, the plan for the first target. */
  plan: Plan
  /** The maximum number of text tokens that the last reserve assumed. */
  readonly textBound: TextBound
}

/** A call that may be sent to a provider, because money is held for it. */
export interface ReservedCall extends PlannedCall {
  /** The hold for the current target. */
  reserved: Reserved
}

/** The charge that is reported to the client of a settled call, as decimal strings of micros. */
export interface CallReport {
  readonly chargeMicros: string
  /** The maximum amount that another request could hold. Null means no limit. Absent if the amount is not known. */
  readonly remainingMicros?: string | null
}

/** The timing of a stream, in milliseconds since the start of the call. */
export interface Pace {
  /** Null if no text arrived. */
  readonly firstTokenMs: number | null
  readonly lastTokenMs: number | null
  /** Longest time between two consecutive pieces of the response. */
  readonly longestGapMs: number
  /**
   * Number of bytes written to the client. The end of the response, which is withheld until the settle, does not count.
   */
  readonly bytes: number
}

/** The maximum number of tokens of a call's text, and how this number was determined. */
export interface TextBound {
  readonly tokensMax: number
  readonly by: 'bytes' | 'tokenizer'
}

/** A request to one provider for a call. `requests.explain` reports every attempt. */
export interface Attempt {
  readonly provider: string
  readonly account: string
  readonly model: string
  readonly status: number | null
  readonly failure: string | null
  readonly durationMs: number
  /**
   * Start of the attempt, in milliseconds since the start of the call. The next two fields count milliseconds from the
   * start of the attempt.
   */
  readonly atMs: number
  /** Null if no connection was needed, or if no connection was established. */
  readonly connectMs: number | null
  /** Time until the response headers arrived. Null if no headers arrived. */
  readonly firstByteMs: number | null
  /** The gateway's error code. Absent if the attempt succeeded. */
  readonly code?: string
  /**
   * The amount that the provider charges for the attempt. Absent if the attempt succeeded, or if it was the only
   * attempt of the call.
   */
  costMicros?: string
  /**
   * Why the target was not called again after a failure that allows a retry. Absent if the target was called again, or
   * if no retry is allowed after the failure.
   */
  notRepeated?: 'retry_budget'
  /** Deadlines that differ from the gateway's own. Absent if no deadlines differ. */
  readonly deadlines?: Partial<Deadlines>
  /** Why no response arrived, and the stage at which the connection failed. */
  readonly fault?: ConnectionFault
}

/** Details of a lost connection, for `requests.explain`. */
export interface ConnectionFault {
  readonly host: string | null
  readonly cause: string
  /** The system's error code (`ENOTFOUND`). Null if the system reported no error. */
  readonly systemCode: string | null
}

/** The target of a call, and the money that is held for the call. */
export interface Reserved {
  /** The targets that the hold covers, in the order in which they are called. */
  readonly ways: readonly Way[]
  readonly plan: Plan
  readonly dispatch: Dispatch
  readonly maximum: UpstreamMaximum
  /** The hold as the reserve created it, before any extension. */
  readonly reservation: Reservation
  /** The current hold, which `continueOrCut` compares with the cost so far. Each extension increases the hold. */
  hold: Hold
  /** The amounts that the call counts toward the organization's daily limits. Null if no limit applies. */
  readonly share: DayShare | null
  /**
   * The amounts that the call counts toward the limits that all end users of the application share. Null if no such
   * limit applies.
   */
  readonly shared: SharedShare | null
}

/** Creates the `Call` for a request that has arrived. */
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

/**
 * A call is planned again if a newer configuration is loaded. The call is also planned again if a tokenizer gives a
 * lower maximum for the call's text.
 */
export function planned(call: ParsedCall, routed: Routed, textBound: TextBound): PlannedCall {
  return Object.assign(call, { routed, plan: routed.ways[0].plan, textBound })
}

export function reservedFor(call: PlannedCall, reserved: Reserved): ReservedCall {
  return Object.assign(call, { plan: reserved.plan, reserved })
}
