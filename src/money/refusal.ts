/**
 * Why a call may not spend. Named values in the one fixed order in which `admit` decides them, so
 * that the same state always gives the same answer and the most lasting reason is the one told.
 * `balance_held` is the last: nothing but calls in flight is in the way, and they end.
 */
export type RefusalCode =
  | 'end_user_frozen'
  | 'key_revoked'
  | 'key_expired'
  | 'outcome_capped'
  | 'outcome_finished'
  | 'spend_limit_exceeded'
  | 'insufficient_credit'
  | 'balance_held'

export type LimitSource =
  | 'end_user'
  | 'key'
  | 'key_cap'
  | 'bundle_limit'
  | 'outcome_run'
  | 'on_demand_ceiling'
  | 'pool'
  | 'balance'

export interface Refusal {
  readonly kind: 'refused'
  readonly code: RefusalCode
  readonly limitSource: LimitSource
  /**
   * The ceiling or the balance that bound; null where there is no number (frozen, revoked). Of a
   * balance: what is posted on all sources that could pay, credits at their value in this call.
   */
  readonly limit: bigint | null
  /** Spent of the ceiling so far; null of a balance, which is what is left after spending. */
  readonly used: bigint | null
  readonly held: bigint | null
  /** The least that this call would have had to hold: one token per answer where it may be clamped. */
  readonly requested: bigint | null
  readonly resetsAtMs: number | null
}
