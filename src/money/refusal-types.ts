import type { PoolSource, RateLimit, RateSource } from './decision-types.ts'

/**
 * The reasons why a request may not spend money, in the order in which `admit` checks them. The reason that lasts
 * longest comes first, so the same state always gives the same reason. `balance_held` comes last, because held amounts
 * become available again when requests in flight end.
 */
export type RefusalCode =
  | 'end_user_frozen'
  | 'key_revoked'
  | 'key_expired'
  | 'outcome_capped'
  | 'outcome_finished'
  | 'spend_limit_exceeded'
  | 'insufficient_credit'
  | 'rate_limited'
  | 'balance_held'

export type LimitSource =
  | 'end_user'
  | 'key'
  | 'key_cap'
  | 'portal_total'
  | RateSource
  | 'outcome_run'
  /** The maximum amount that a team member may spend from the payer's wallet in a month. */
  | 'member_cap'
  | 'on_demand_ceiling'
  /**
   * The pools of the plan are exhausted. `insufficient_credit` states the amounts of the pool that ends first. If the
   * last pool allows no other source, `balance_held` states the amounts of all sources and the end of the last pool.
   */
  | 'pool'
  /** On-demand billing would have paid, but an invoice is past due. */
  | 'unpaid_invoice'
  | 'balance'

export interface Refusal {
  readonly kind: 'refused'
  readonly code: RefusalCode
  readonly limitSource: LimitSource
  /**
   * Null if the reason is not an amount, such as a frozen end user or a revoked key. A balance is the sum of the posted
   * amounts of all sources that could pay, with credits at their value in this request. For a pool, the limit is the
   * granted amount.
   */
  readonly limit: bigint | null
  /** Null for a balance, from which spending is already subtracted. */
  readonly used: bigint | null
  readonly held: bigint | null
  /**
   * The hold of the smallest possible request, with one output token per choice. Null if the reason is not an amount.
   */
  readonly requested: bigint | null
  readonly resetsAtMs: number | null
  /** The pool that renews first. Absent if no plan pool could pay for this request. */
  readonly pool?: PoolSource
  /** Like `requested`, in the credits of `pool`. Absent if `pool` is in micros. */
  readonly requestedCredits?: bigint
  /**
   * The rate limit that rejects the request. The numbers of the refusal are then in the unit of this rate limit's
   * measure. Absent for refusals by other limits.
   */
  readonly rate?: Pick<RateLimit, 'measure' | 'window' | 'models' | 'tag' | 'team'>
  /** Amount that all sources together can still hold. If absent, the amount is `limit - used - held`. */
  readonly available?: bigint
}
