import type { Reservation } from '#domain/ledger.ts'
import type { Hold } from '#money/hold.ts'
import type { WireRequest } from '#wire/request.ts'
import type { AnswerStream } from '#wire/stream/answer-stream.ts'
import type { Arrival } from '#gateway/arrive/arrival.ts'
import type { Caller } from '#gateway/arrive/authenticate.ts'
import type { Plan } from '#gateway/decide/configuration.ts'
import type { Dispatch } from '#gateway/decide/dispatch.ts'
import type { UpstreamMaximum } from '#gateway/decide/upstream-maximum.ts'
import type { ConnectionFault } from '#gateway/relay/connection-failure.ts'

/** One call as far as it has come; each step adds what it found. */
export interface Call extends Arrival {
  readonly startedAtMs: number
  readonly startedMonotonicMs: number
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
  readonly attempts: Attempt[]
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
  readonly maximum: UpstreamMaximum
  /** The hold as it was made. */
  readonly reservation: Reservation
  /** The hold as it is, for `meterVerdict`: it grows when it is extended. */
  hold: Hold
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
    startedAtMs: clock.nowMs(),
    startedMonotonicMs: clock.monotonicMs(),
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
