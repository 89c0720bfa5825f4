import type { CircuitState, Skip } from '#routing/route.ts'
import type { Mode } from './account.ts'
import type { Failure } from './errors.ts'
import type { UpstreamWire } from './provider-kinds.ts'
import type { Deadlines } from './deadlines.ts'

/** A call as it would be made, for a plan of its targets. */
export interface RouteAsk {
  readonly applicationId: string
  readonly name: string
  readonly mode: Mode
  readonly bundleId: string
  /** Who `sticky` goes by. */
  readonly endUserId: string
  readonly wire: UpstreamWire
  readonly isStream: boolean
  /** The body, as a client would send it; its model is `name`, whatever it says. Null: only `size` is known. */
  readonly body: object | null
  /** What is known of a past call, whose content is not kept. */
  readonly size: RouteSize | null
}

export interface RouteSize {
  readonly inputTokens: number
  /** The most that its text may be. */
  readonly textTokensMax: number
  readonly outputTokensMax: number | null
  readonly choices: number
}

/** Who would be called, in their order. Nothing was sent and nothing held. */
export interface RoutePlan {
  /** Null: the name is an alias. */
  readonly router: string | null
  readonly policy: string
  readonly inputTokens: number
  readonly targets: readonly RoutePlanTarget[]
  /** Why a call of this kind would be refused; null: it would be sent. */
  readonly refusal: Failure | null
}

export interface RoutePlanTarget {
  readonly path: readonly string[]
  readonly accountId: string
  readonly model: string
  readonly skip: Skip | null
  /** What the call is expected to cost the account, and the most it can; null: it has no price. */
  readonly expectedMicros: bigint | null
  readonly worstMicros: bigint | null
  readonly circuit: CircuitState
  readonly inFlight: number
  readonly firstTokenMs: number | null
  /** Fields that a conversion would leave out or change. */
  readonly lost: readonly string[]
  readonly deadlines: Deadlines
}

/** A failure: no such name here, or not for this bundle; or the body is no request. */
export type PreviewRoute = (ask: RouteAsk) => Promise<RoutePlan | Failure>

/** The circuit of an account and model in this process. */
export interface TargetCircuit {
  readonly mode: Mode
  readonly accountId: string
  readonly model: string
  readonly circuit: CircuitState
  readonly inFlight: number
  readonly firstTokenMs: number | null
}
