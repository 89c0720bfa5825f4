import type { PoolSource, RateRule, RateSource } from './hold.ts'

/**
 * The reason why a request may not spend, in the fixed order in which `admit` decides. The same state always gives the
 * same reason, and the most lasting reason wins. `balance_held` is last, because only requests in flight block the
 * request, and they end.
 */
export type RefusalCode =
  | 'end_user_frozen'
  | 'key_revoked'
  | 'key_expired'
  | 'outcome_capped'
  | 'outcome_finished'
  | 'spend_limit_exceeded'
  | 'insufficient_credit'
  /** A limit of requests or tokens, or of charges within hours. It clears by waiting. */
  | 'rate_limited'
  | 'balance_held'

export type LimitSource =
  | 'end_user'
  | 'key'
  | 'key_cap'
  | 'portal_total'
  | RateSource
  | 'outcome_run'
  | 'on_demand_ceiling'
  /** A pool of the plan: the pool that renews first, or the last pool if no source pays after it. */
  | 'pool'
  /** On-demand would have paid, but an invoice is past due. */
  | 'unpaid_invoice'
  | 'balance'

export interface Refusal {
  readonly kind: 'refused'
  readonly code: RefusalCode
  readonly limitSource: LimitSource
  /**
   * The ceiling or balance that was too small. Null if there is no number (frozen, revoked). A balance is the sum
   * posted on all sources that could pay, with credits at their value in this request. The ceiling of a pool is the
   * granted amount.
   */
  readonly limit: bigint | null
  /** Amount of a ceiling that is already spent. Null for a balance, which already excludes spending. */
  readonly used: bigint | null
  readonly held: bigint | null
  /** The smallest possible hold for this request: one token per choice. */
  readonly requested: bigint | null
  readonly resetsAtMs: number | null
  /**
   * The plan's pool that renews first, among the pools that could pay for this request. Absent if no plan pool could
   * pay.
   */
  readonly pool?: PoolSource
  /** The rate limit that rejects the request. The numbers are then in its measure. Absent for all other refusals. */
  readonly rate?: Pick<RateRule, 'measure' | 'window' | 'models'>
  /** Amount that all sources together can still promise. Absent means `limit - used - held`. */
  readonly available?: bigint
}
