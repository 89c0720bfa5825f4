/**
 * The decisions about money use no clock and no I/O. The store loads a `PersonState`, calls one of the deciding
 * functions such as `admit` or `settle`, and saves the result. Amounts are bigint: micros, or millionths of a credit if
 * `unit` is `credits`.
 */
import { assertMoney } from './amount.ts'
import type { Dimension, Price, Uses } from './price.ts'

export type Unit = 'micros' | 'credits'
export type TerminationPolicy = 'hard_token' | 'complete_message' | 'grace'

/** Immutable, and stored once by content (`id`), so the charge of a settled request can be recomputed exactly. */
export interface Quote {
  readonly id: string
  /**
   * The price that the provider charges to the account. The price has a rate for every dimension that the provider can
   * report (assumed-rates.ts).
   */
  readonly cost: Price
  /**
   * The dimensions of `cost` whose rate is assumed. Absent if no rate is assumed. Older quotes never have this field.
   */
  readonly assumed?: readonly Dimension[]
  /** Equals `cost` if the bundle sets no price for the alias. */
  readonly sell: Price
  /** Holds, charges, caps and limits are computed from this price (`debitBasis`). */
  readonly basis: 'provider_cost' | 'sell_price'
  /** Null means that no credit pool can pay for the alias. */
  readonly credits: Price | null
  readonly policy: TerminationPolicy
  /** Maximum amount by which a request may exceed its hold under the policy `grace`. 0n for other policies. */
  readonly maxOverdraftMicros: bigint
}

/** Sources are spent in the order of `payingSources` (payment-sources.ts). */
export type Source = PoolSource | WalletSource | TeamPoolSource | TeamSource | OnDemandSource

interface Balance {
  readonly id: string
  /** The sum of all ledger entries of this source. */
  readonly posted: bigint
  /**
   * Amount that is held for requests in flight. The available amount is `posted - held`, plus the ceiling for
   * on-demand.
   */
  readonly held: bigint
}

export interface PoolSource extends Balance {
  readonly kind: 'pool'
  readonly slug: string
  readonly unit: Unit
  /** Null for micros. */
  readonly currency: string | null
  readonly granted: bigint
  /** Amount that plan changes have removed from the pool and have not given back (plan-pools.ts). */
  readonly withheld: bigint
  /**
   * Amount that expired permanently with the pool's period. The grant equals consumed + posted + withheld + expired.
   */
  readonly expired: bigint
  /** Whether the pool belongs to a plan that the end user is currently not on. */
  readonly isSuspended: boolean
  /** The rank of the pool, which is fixed when the pool is granted. The pool with the lowest rank pays first. */
  readonly rank: PoolRank
  readonly models: readonly string[]
  /**
   * If the end user pays for a team, the maximum amount that each member may use of this pool. Null means that members
   * cannot use the pool.
   */
  readonly memberCap: bigint | null
  /** Slug of the pool that pays when this pool is exhausted, or `nextByRank`. Null means that no other pool pays. */
  readonly spilloverTo: string | null
  /** Whether other sources, such as the wallet, may pay when no pool is left for the alias. */
  readonly thenOnDemand: boolean
  readonly startsAtMs: number
  /** End of the pool (exclusive). Null means that the pool never ends. */
  readonly endsAtMs: number | null
}

/** Ranks are compared in this order: fewest models, earliest end, free before paid, lowest sequence. */
export interface PoolRank {
  readonly models: number
  /** Number.MAX_SAFE_INTEGER for a pool without an end. */
  readonly endsAtMs: number
  readonly isPaid: boolean
  readonly sequence: number
}

export interface WalletSource extends Balance {
  readonly kind: 'wallet'
  /**
   * The part of the balance that was granted and not paid for. This part is spent first (charge-split-by-payer.ts).
   * 0 <= given <= max(posted, 0).
   */
  readonly given: bigint
}

/**
 * The part of the wallet of the team's payer that a member may spend in one calendar month. `posted` is the negative of
 * the amount that the member has spent from this wallet in the month. Each posting on a share is repeated on the
 * payer's wallet.
 */
export interface TeamSource extends Balance {
  readonly kind: 'team'
  /** Whether the payer pays for new requests of the member now. */
  readonly isOpen: boolean
  /** Maximum amount that the member may spend in the month. Null means no maximum. */
  readonly capMicros: bigint | null
  /** Includes the amounts that all members have spent and hold. */
  readonly wallet: Pick<WalletSource, 'posted' | 'held' | 'given'>
  readonly startsAtMs: number
  readonly endsAtMs: number
}

/**
 * The part of a pool of the team's payer that a member may spend. `posted` is the negative of the amount that the
 * member has spent from this pool. Each posting on a share is repeated on the payer's pool. The unit is always micros.
 */
export interface TeamPoolSource extends Balance {
  readonly kind: 'team_pool'
  readonly isOpen: boolean
  /** Includes the amounts that all members and the payer have spent and hold. Null if the pool has ended. */
  readonly pool: PoolSource | null
  readonly startsAtMs: number
  /** End of the pool (exclusive). Null means that the pool never ends. */
  readonly endsAtMs: number | null
}

/**
 * The on-demand usage of one calendar month. `posted` is the negative of the owed amount. When the invoice is paid,
 * `posted` returns to 0.
 */
export interface OnDemandSource extends Balance {
  readonly kind: 'on_demand'
  readonly isEnabled: boolean
  /** The end user's own ceiling for the month. Null means no ceiling. */
  readonly limitMicros: bigint | null
  /**
   * The time from which an invoice of the end user is past due. From this time on, on-demand billing pays for no new
   * requests. Null if no invoice will become past due.
   */
  readonly untilMs: number | null
  /**
   * Months that end by this time are closed: they are invoiced and accept no more debits. If a request belongs to a
   * closed month, its debit goes to the month that begins at this time. 0 means that no month is closed.
   */
  readonly closedUntilMs: number
  readonly startsAtMs: number
  readonly endsAtMs: number
}

/** A limit on the sum of charges, regardless of which source pays. */
export interface Limit {
  readonly kind: LimitKind
  /** Identifies what the limit applies to: a key ID, `portal`, a bundle slug, a window of time, or a run ID. */
  readonly id: string
  readonly limitMicros: bigint
  readonly spentMicros: bigint
  readonly heldMicros: bigint
  /** Null if the limit never resets (an all-time cap, a run). */
  readonly resetsAtMs: number | null
}
/**
 * The order in which exceeded limits are reported. Every limit applies, regardless of its place in this list.
 *
 * `key_cap` covers a key and the keys that replaced it by rotation. `portal_total` covers all keys that the end user
 * created in the portal. `end_user_limit` covers all keys and plans of the end user, with one limit per window.
 */
export const limitKinds = [
  'outcome_run',
  'key_cap',
  'portal_total',
  'bundle_limit',
  'end_user_limit',
] as const
export type LimitKind = (typeof limitKinds)[number]

export const rateMeasures = ['requests', 'tokens', 'inputTokens', 'outputTokens', 'micros', 'calls'] as const
/** The unit in which a rate limit counts. `calls` counts requests in flight, and `micros` counts charges. */
export type RateMeasure = (typeof rateMeasures)[number]

export const rateWindows = ['minute', '5h', 'hour', 'day', 'week', 'month', 'total'] as const
export type RateWindow = (typeof rateWindows)[number]

export interface RateRule {
  readonly measure: RateMeasure
  /** The time window in which usage counts. Null only for rules that limit requests in flight (`calls`). */
  readonly window: RateWindow | null
  readonly most: bigint
  readonly models: readonly string[] | null
}

export interface RateSlot {
  readonly startsAtMs: number
  readonly amount: bigint
}

/**
 * `key_limit` covers a key and the keys that replaced it by rotation. `bundle_limit` covers each end user of the bundle
 * separately.
 */
export type OwnRateSource = 'key_limit' | 'bundle_limit' | 'end_user_limit'
/**
 * `application_limit` covers all end users of the application together. `tag_limit` covers the requests of all end
 * users with one tag. `team_limit` covers all members of one team.
 */
export const sharedRateSources = ['application_limit', 'tag_limit', 'team_limit'] as const
export type SharedRateSource = (typeof sharedRateSources)[number]
export type RateSource = OwnRateSource | SharedRateSource

export interface RateLimit extends RateRule {
  readonly source: RateSource
  /** Only for a `tag_limit`. */
  readonly tag?: string
  /** Only for a `team_limit`. */
  readonly team?: string
  readonly slots: readonly RateSlot[]
  readonly held: bigint
}

export type HeldBound = Pick<Hold, 'bound' | 'worstMicros'>

export interface PersonState {
  readonly nowMs: number
  readonly isFrozen: boolean
  readonly key: { readonly revokedAtMs: number | null; readonly expiresAtMs: number | null }
  /** Null if the request belongs to no run. */
  readonly run: { readonly status: RunStatus } | null
  /**
   * Includes the wallet, on-demand billing of this month, pools that have not ended, and shares in the money of a
   * team's payer.
   */
  readonly sources: readonly Source[]
  readonly limits: readonly Limit[]
  /** Only the rate limits that apply to the model name. Absent if none applies. */
  readonly rates?: readonly RateLimit[]
}
export type RunStatus = 'running' | 'done' | 'capped' | 'failed'

export const tagsMax = 10

/**
 * The maximum usage of a request, before any provider has responded (docs/reference/tokens.md "Upper bound of the input
 * tokens").
 */
export interface CallBound {
  readonly alias: string
  readonly textTokens: number
  readonly audioTokens: number
  readonly imageTokens: number
  /** Maximum number of output tokens over all choices. */
  readonly outputTokens: number
  /** Number of choices (`n`) that share the output. */
  readonly choices: number
  /** Null means the provider's default. */
  readonly serviceTier: string | null
  readonly canReport: CanReport
  /** Only tools that the provider runs. Absent if no such tool costs anything. */
  readonly tools?: ToolBound
  /** The maximum uses that the request itself causes, such as search units. Absent if the request causes none. */
  readonly uses?: Uses
  /** For reports. Absent if the end user is in no team. */
  readonly payerId?: string
  readonly tags?: readonly string[]
}

/**
 * Limits on the tool uses that the provider makes for one request. Each use adds input tokens, and may have its own
 * price (docs/reference/tokens.md "Tools that providers run").
 */
export interface ToolBound {
  /** Number of tool uses that the hold covers. At least 1. */
  readonly uses: number
  /** Number of tool uses after which the provider uses no more tools. At least `uses`. */
  readonly usesMax: number
  readonly tokensPerUse: number
  /** 1 if one use is billed as a web search, otherwise 0. */
  readonly searchesPerUse: number
}

/**
 * The rarely used dimensions that the provider can report for this request. The hold covers only dimensions whose flag
 * is true.
 */
export interface CanReport {
  readonly cacheWrite: boolean
  readonly cacheWriteLong: boolean
  readonly audioOutput: boolean
  readonly imageOutput: boolean
}

/** The part of a hold that one source pays. `micros` is the value of this part at the price of the request. */
export interface Leg {
  readonly sourceId: string
  readonly kind: Source['kind']
  readonly unit: Unit
  readonly amount: bigint
  readonly micros: bigint
  /**
   * The amount of this leg that is paid from credit that was granted to a team's payer. Set only if the leg uses the
   * payer's wallet. Absent in holds, and in legs of all other sources.
   */
  readonly givenMicros?: bigint
}

/** A hold is either settled or released, and only once. */
export interface Hold {
  readonly callId: string
  readonly quote: Quote
  readonly bound: CallBound
  /**
   * The worst-case cost of the request at the sell price or at cost, depending on the debit basis. Equals the sum of
   * `legs[].micros`.
   */
  readonly worstMicros: bigint
  /** 0n if the request has no credit price. */
  readonly worstCredits: bigint
  readonly legs: readonly Leg[]
}

/**
 * Throws unless the legs of a hold add up exactly to its worst case in micros, and to at most its worst case in
 * credits.
 */
export function assertHold({ legs, worstCredits, worstMicros }: Hold): void {
  let micros = 0n
  let credits = 0n
  for (const leg of legs) {
    assertMoney(leg.amount >= 0n && leg.micros >= 0n, 'no leg of a hold is negative')
    micros += leg.micros
    if (leg.unit === 'credits') credits += leg.amount
  }
  assertMoney(micros === worstMicros, 'the legs of a hold add up to its worst case')
  assertMoney(credits <= worstCredits, 'the legs of a hold promise no credits beyond its worst case')
}
