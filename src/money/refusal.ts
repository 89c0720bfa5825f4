import type { PoolSource } from './hold.ts'

/**
 * Why a call may not spend, in the fixed order in which `admit` decides: the same state always gives the same
 * answer, and the most lasting reason wins. `balance_held` is last: only calls in flight are in the way, and
 * they end.
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
  | 'portal_total'
  | 'bundle_limit'
  | 'end_user_limit'
  | 'outcome_run'
  | 'on_demand_ceiling'
  /** A pool of the plan: the one that renews first, or the last one where nothing pays after it. */
  | 'pool'
  /** On-demand would have paid, and an invoice is past due. */
  | 'unpaid_invoice'
  | 'balance'

export interface Refusal {
  readonly kind: 'refused'
  readonly code: RefusalCode
  readonly limitSource: LimitSource
  /**
   * The ceiling or the balance that was too small; null where there is no number (frozen, revoked). A balance
   * is the sum posted on all sources that could pay, credits at their value in this call. The ceiling of a pool is
   * what was granted.
   */
  readonly limit: bigint | null
  /** What is spent of a ceiling so far; null for a balance, which is what is left after spending. */
  readonly used: bigint | null
  readonly held: bigint | null
  /** The least that this call could hold: one token per answer. */
  readonly requested: bigint | null
  readonly resetsAtMs: number | null
  /** The pool of the plan that renews first, of those that could pay for this call. Absent: there is none. */
  readonly pool?: PoolSource
  /** What all sources together can still promise. Absent: `limit - used - held`. */
  readonly available?: bigint
}
