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

/** One call so far; each step adds its result. */
export interface Call extends Arrival {
  readonly startedAtMs: number
  readonly startedMonotonicMs: number
  caller: Caller | null
  request: WireRequest | null
  /** When `request` was there, by the monotonic clock; null: it is not yet. */
  readMonotonicMs: number | null
  /** Who may answer it; null before that is decided. */
  routed: Routed | null
  /** At the target that is called, or would have been first. */
  plan: Plan | null
  /** The text bound of the last reserve; null before. */
  textBound: TextBound | null
  reserved: Reserved | null
  /** The answer as it streams; null before, and for a whole one. */
  stream: AnswerStream | null
  firstByteMs: number | null
  /** How long it waited for money that other calls held; null: it did not wait. */
  waitedMs: number | null
  /** The ceilings that the last reserve decided on. */
  limits: readonly Limit[]
  /** The provider's name for the model that answered, if it is another than the requested one; otherwise null. */
  answeredBy: string | null
  /** How the answer came; null: it is whole, or did not begin. */
  pace: Pace | null
  /** When the client left, in milliseconds of the call; null: it stayed. */
  leftAtMs: number | null
  readonly attempts: Attempt[]
  /** Those that did not answer, as far as others came after them or they cost something. */
  readonly failed: FailedAttempt[]
}

/** How a stream came, in milliseconds of the call. */
export interface Pace {
  /** Null: no text came. */
  readonly firstTokenMs: number | null
  readonly lastTokenMs: number | null
  /** The longest time without a piece of the answer, after its first. */
  readonly longestGapMs: number
  /** Bytes written to the client, without the end that is held back. */
  readonly bytes: number
}

/** The most tokens of a call's text, and how they were counted. */
export interface TextBound {
  readonly tokensMax: number
  readonly by: 'bytes' | 'tokenizer'
}

/** One try at a provider, for explain. */
export interface Attempt {
  readonly provider: string
  readonly account: string
  readonly model: string
  readonly status: number | null
  readonly failure: string | null
  readonly durationMs: number
  /** When it began, in milliseconds of the call; the next two are milliseconds of the attempt. */
  readonly atMs: number
  /** Null: no connection was needed, or none was made. */
  readonly connectMs: number | null
  /** To the head of its answer; null: none came. */
  readonly firstByteMs: number | null
  /** The gateway's code; absent: it answered. */
  readonly code?: string
  /** What the provider charges for it; absent: it answered, or no attempt came before or after it. */
  costMicros?: string
  /** What kept the target from being asked again; absent: nothing did, or it was. */
  notRepeated?: 'retry_budget'
  /** Those that differ from the gateway's own; absent: none. */
  readonly deadlines?: Partial<Deadlines>
  /** Why no answer came, and at which stage. */
  readonly fault?: ConnectionFault
}

/** A call that may be sent: its provider, and the money held for it. */
export interface Reserved {
  /** Those that the hold suffices for, in the order in which they are called. */
  readonly ways: readonly Way[]
  readonly plan: Plan
  readonly dispatch: Dispatch
  readonly maximum: UpstreamMaximum
  /** The hold as it was made. */
  readonly reservation: Reservation
  /** The hold as it is now, for `meterVerdict`: an extension makes it grow. */
  hold: Hold
  /** Its part of the organization's daily limits; null: none count it. */
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
