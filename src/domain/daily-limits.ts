/**
 * The daily limits (UTC) of an organization in live mode. They protect the organization against its own mistakes, such
 * as a loop that never ends, or a name that routes to an expensive model.
 */
export interface DailyLimit {
  /** Null means all applications of the organization. */
  readonly applicationId: string | null
  readonly callsMax: number | null
  /** Maximum provider cost, in micros. */
  readonly spendMaxMicros: bigint | null
  /** When the limit was first set. Earlier calls may not have been counted. */
  readonly setAtMs: number
}

/** The calls of a day so far: charged calls, and calls in flight. Calls in flight count with their hold. */
export interface DayUse {
  readonly calls: number
  readonly spentMicros: bigint
  readonly inFlight: readonly HeldCall[]
}

export interface HeldCall {
  readonly callId: string
  readonly worstMicros: bigint
}

/** The calls that a limit counts: those of an organization, or of one application. */
export interface LimitScope {
  readonly organizationId: string
  readonly applicationId: string | null
}

/** The port to an organization's limits. */
export interface DailyLimitRows {
  of(organizationId: string): Promise<readonly DailyLimit[]>
  /** Replaces the limit of the same application, or of the organization. A limit without any maximum is deleted. */
  put(organizationId: string, limit: DailyLimit): Promise<void>
  /** @param dayStartsAtMs midnight, UTC */
  use(scope: LimitScope, dayStartsAtMs: number): Promise<DayUse>
}
