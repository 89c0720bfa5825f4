/**
 * What an organization allows itself a day (UTC) in live mode, as a safety net against its own mistakes: a loop that
 * calls without end, a name pointed at a dear model.
 */
export interface DailyLimit {
  /** Null: over all applications of the organization. */
  readonly applicationId: string | null
  readonly callsMax: number | null
  /** Of provider cost. */
  readonly spendMaxMicros: bigint | null
  /** When it was set where none was before: calls from before then may not have been counted. */
  readonly setAtMs: number
}

/** The calls of a day so far: those charged, and those in flight, which are counted at what they hold. */
export interface DayUse {
  readonly calls: number
  readonly spentMicros: bigint
  readonly inFlight: readonly HeldCall[]
}

export interface HeldCall {
  readonly callId: string
  readonly worstMicros: bigint
}

/** Those whose calls a limit counts: an organization's, or one application's. */
export interface LimitScope {
  readonly organizationId: string
  readonly applicationId: string | null
}

/** The port to an organization's limits. */
export interface DailyLimitRows {
  of(organizationId: string): Promise<readonly DailyLimit[]>
  /** Replaces the limit of the same application, or of the organization; one that limits nothing is removed. */
  put(organizationId: string, limit: DailyLimit): Promise<void>
  /** @param dayStartsAtMs midnight, UTC */
  use(scope: LimitScope, dayStartsAtMs: number): Promise<DayUse>
}
