import type { CircuitState, Skip } from '#routing/route-tree-types.ts'
import type { Mode } from '#domain/billing/money-account-key.ts'
import type { Failure } from './errors.ts'
import type { UpstreamFormat } from '#domain/accounts/provider-kinds.ts'
import type { Deadlines } from '#domain/calls/call-deadlines.ts'

/** A hypothetical call whose route is planned. */
export interface RouteAsk {
  readonly applicationId: string
  readonly name: string
  readonly mode: Mode
  readonly bundleId: string
  /** The end user whose ID determines the target under `sticky`. */
  readonly endUserId: string
  readonly wire: UpstreamFormat
  readonly isStream: boolean
  /** The request body in the client's format. `name` replaces the model in the body. Null if only `size` is known. */
  readonly body: object | null
  /** The size of a past call. The size replaces the body, because the content of calls is not stored. */
  readonly size: RouteSize | null
}

export interface RouteSize {
  readonly inputTokens: number
  /** Maximum number of tokens that the call's text can have. */
  readonly textTokensMax: number
  readonly outputTokensMax: number | null
  readonly choices: number
}

/** The targets that would be called, in order. The preview sends nothing and holds no money. */
export interface RoutePlan {
  /** Null if the model name is an alias. */
  readonly router: string | null
  readonly policy: string
  readonly inputTokens: number
  readonly targets: readonly RoutePlanTarget[]
  /** Why the gateway would reject the call. */
  readonly refusal: Failure | null
}

export interface RoutePlanTarget {
  readonly path: readonly string[]
  readonly accountId: string
  readonly model: string
  readonly skip: Skip | null
  /** The expected cost of the call, at the account's price. */
  readonly expectedMicros: bigint | null
  /** The maximum cost of the call, at the account's price. */
  readonly worstMicros: bigint | null
  readonly circuit: CircuitState
  readonly inFlight: number
  readonly firstTokenMs: number | null
  /** Fields that a conversion would omit or change. */
  readonly lost: readonly string[]
  readonly deadlines: Deadlines
}

/** Returns a failure if the body is invalid, or if the model name does not exist or is not in the bundle. */
export type PreviewRoute = (ask: RouteAsk) => Promise<RoutePlan | Failure>

/** The circuit of an account and model, as this process knows it. */
export interface TargetCircuit {
  readonly mode: Mode
  readonly accountId: string
  readonly model: string
  /**
   * Fingerprint of the provider's address and the credential that the counted calls used
   * (accounts/text-of-account-access.ts).
   */
  readonly access?: string
  readonly circuit: CircuitState
  readonly inFlight: number
  readonly firstTokenMs: number | null
}
