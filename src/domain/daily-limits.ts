/**
 * The daily limits (UTC) of an organization in live mode. These limits protect the organization against its own
 * mistakes.
 */
export interface DailyLimit {
  /** Null means all applications of the organization together. */
  readonly applicationId: string | null
  readonly callsMax: number | null
  /** Maximum provider cost per day, in micros. */
  readonly spendMaxMicros: bigint | null
  /** Calls before this time may not have been counted. */
  readonly setAtMs: number
}

/**
 * The calls of a day so far: charged calls, and calls in flight. A call in flight counts with the amount of its hold.
 */
export interface DayUse {
  readonly calls: number
  readonly spentMicros: bigint
  readonly inFlight: readonly HeldCall[]
}

export interface HeldCall {
  readonly callId: string
  readonly worstMicros: bigint
}

export interface LimitScope {
  readonly organizationId: string
  readonly applicationId: string | null
}

export interface DailyLimitRows {
  of(organizationId: string): Promise<readonly DailyLimit[]>
  /**
   * Replaces the limit of an application or of the organization. If the new limit has no maximum, the stored limit is
   * deleted.
   */
  put(organizationId: string, limit: DailyLimit): Promise<void>
  /** @param dayStartsAtMs midnight (UTC) at the start of the day */
  use(scope: LimitScope, dayStartsAtMs: number): Promise<DayUse>
}
