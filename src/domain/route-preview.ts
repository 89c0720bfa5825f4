import type { CircuitState, Skip } from '#routing/route.ts'
import type { Mode } from '#domain/accounts/account.ts'
import type { Failure } from './errors.ts'
import type { UpstreamFormat } from '#domain/accounts/provider-kinds.ts'
import type { Deadlines } from './deadlines.ts'

/** A hypothetical call whose targets are planned. */
export interface RouteAsk {
  readonly applicationId: string
  readonly name: string
  readonly mode: Mode
  readonly bundleId: string
  /** The end user whose ID `sticky` uses. */
  readonly endUserId: string
  readonly wire: UpstreamFormat
  readonly isStream: boolean
  /** The body as a client would send it. Its model is replaced by `name`. Null if only `size` is known. */
  readonly body: object | null
  /** The known size of a past call, whose content is not stored. */
  readonly size: RouteSize | null
}

export interface RouteSize {
  readonly inputTokens: number
  /** Maximum number of tokens of its text. */
  readonly textTokensMax: number
  readonly outputTokensMax: number | null
  readonly choices: number
}

/** The targets that would be called, in order. Nothing is sent and nothing is held. */
export interface RoutePlan {
  /** Null if the name is an alias. */
  readonly router: string | null
  readonly policy: string
  readonly inputTokens: number
  readonly targets: readonly RoutePlanTarget[]
  /** Why such a call would be rejected. Null if it would be sent. */
  readonly refusal: Failure | null
}

export interface RoutePlanTarget {
  readonly path: readonly string[]
  readonly accountId: string
  readonly model: string
  readonly skip: Skip | null
  /** The expected and the maximum cost of the call to the account. Null if it has no price. */
  readonly expectedMicros: bigint | null
  readonly worstMicros: bigint | null
  readonly circuit: CircuitState
  readonly inFlight: number
  readonly firstTokenMs: number | null
  /** Fields that a conversion would omit or change. */
  readonly lost: readonly string[]
  readonly deadlines: Deadlines
}

/** Returns a failure if the name does not exist or is not in this bundle, or if the body is not a valid request. */
export type PreviewRoute = (ask: RouteAsk) => Promise<RoutePlan | Failure>

/** The circuit of an account and model in this process. */
export interface TargetCircuit {
  readonly mode: Mode
  readonly accountId: string
  readonly model: string
  /** The address and the credential of the calls that it counts (accounts/account-access.ts). */
  readonly access?: string
  readonly circuit: CircuitState
  readonly inFlight: number
  readonly firstTokenMs: number | null
}
