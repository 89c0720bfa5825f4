/**
 * The plain values that a decision about money reads and writes. This file uses no clock and no I/O. The store loads a
 * `PersonState`, calls `admit`, `extend`, `settle`, `release` or `recover`, and saves the result. Amounts are bigint:
 * micros, or millionths of a credit if `unit` is `credits`.
 */
import { assertMoney } from './amount.ts'
import type { Dimension, Price, Uses } from './price.ts'

export type Unit = 'micros' | 'credits'
export type TerminationPolicy = 'hard_token' | 'complete_message' | 'grace'

/**
 * The prices and the policy that apply when a request is admitted. A quote is immutable and stored once by content
 * (`id`), so re-rating a settled request gives exactly the same charge, to the micro.
 */
export interface Quote {
  readonly id: string
  /**
   * The price charged to the provider account. It has a rate for everything that the provider can report
   * (assumed-rates.ts).
   */
  readonly cost: Price
  /**
   * Dimensions of `cost` with an assumed rate. Absent if no rate is assumed, or if the dimensions are not known (older
   * quotes).
   */
  readonly assumed?: readonly Dimension[]
  /** The bundle's sell price for the alias. Equals `cost` if the bundle sets no price. */
  readonly sell: Price
  /** Selects the price from which holds, charges, caps and limits are computed (`debitBasis`). */
  readonly basis: 'provider_cost' | 'sell_price'
  /** Credit price of the alias in the bundle's named currency. Null means that no credit pool can pay for the alias. */
  readonly credits: Price | null
  readonly policy: TerminationPolicy
  /** Maximum amount by which a `grace` request may exceed its hold. 0n for the other policies. */
  readonly maxOverdraftMicros: bigint
}

/** A source of money. Sources are spent in the order of `payingSources` (sources.ts). */
export type Source = PoolSource | WalletSource | OnDemandSource

interface Balance {
  readonly id: string
  /** The sum of this source's ledger. */
  readonly posted: bigint
  /** Amount promised to requests in flight. `available = posted - held`, plus the ceiling for on-demand. */
  readonly held: bigint
}

export interface PoolSource extends Balance {
  readonly kind: 'pool'
  readonly slug: string
  readonly unit: Unit
  /** The named currency of a credit pool. Null for micros. */
  readonly currency: string | null
  readonly granted: bigint
  /** Amount that plan changes have removed from the pool and not returned (plan-pools.ts). */
  readonly withheld: bigint
  /** Amount that expired with the pool's period, permanently. Granted = consumed + posted + withheld + expired. */
  readonly expired: bigint
  /**
   * Whether the pool belongs to a plan that the end user is not on now. A suspended pool pays nothing until the end
   * user returns to that plan.
   */
  readonly isSuspended: boolean
  /** Fixed when the pool is granted. The lowest rank pays first. `sequence` makes the order strict. */
  readonly rank: PoolRank
  /** Patterns of the aliases that this pool may pay for. */
  readonly models: readonly string[]
  /** Slug of the pool that pays after this pool is exhausted, or `nextByRank`. Null means that no pool pays next. */
  readonly spilloverTo: string | null
  /** If false, no other source pays for the aliases of this pool after the last pool that covers them is exhausted. */
  readonly thenOnDemand: boolean
  readonly startsAtMs: number
  /** Exclusive end of the pool. Null means that the pool never ends. */
  readonly endsAtMs: number | null
}

/** Ranks are compared field by field: fewest models, soonest end, free before paid, sequence. */
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
   * The part of the balance that was granted and not paid for, and is spent first (paid.ts). 0 <= given <= max(posted,
   * 0).
   */
  readonly given: bigint
}

/** Usage invoiced after the month. `posted` is the owed amount, negated. Paying the invoice returns it to 0. */
export interface OnDemandSource extends Balance {
  readonly kind: 'on_demand'
  readonly isEnabled: boolean
  /** The end user's own ceiling for the month. If on-demand is enabled, null means no ceiling. */
  readonly limitMicros: bigint | null
  /**
   * The time from which an invoice of the end user is past due. From then on, on-demand promises no new money. Null if
   * no invoice will be past due.
   */
  readonly untilMs: number | null
  /**
   * The end user's months that end by this time are closed: they are invoiced and accept no more debits. A late request
   * is debited to the month that begins at this time. 0 means that no month is closed.
   */
  readonly closedUntilMs: number
  readonly startsAtMs: number
  readonly endsAtMs: number
}

/** A ceiling on the sum of charges, whichever source pays. */
export interface Limit {
  readonly kind: LimitKind
  /** Key ID, `portal`, bundle slug, window or run ID. */
  readonly id: string
  readonly limitMicros: bigint
  /** Amount settled so far in the period. */
  readonly spentMicros: bigint
  readonly heldMicros: bigint
  /** Null if the limit never resets (an all-time cap, a run). */
  readonly resetsAtMs: number | null
}
/**
 * `key_cap` covers a key and the keys that replaced it by rotation. `portal_total` covers all keys that the end user
 * created in the portal. `end_user_limit` covers all keys and plans of the end user, with one limit per window.
 */
export type LimitKind = 'outcome_run' | 'key_cap' | 'portal_total' | 'bundle_limit' | 'end_user_limit'

export const rateMeasures = ['requests', 'tokens', 'inputTokens', 'outputTokens', 'micros', 'calls'] as const
/** `calls` counts requests in flight, and `micros` counts charges. */
export type RateMeasure = (typeof rateMeasures)[number]

export const rateWindows = ['minute', '5h', 'hour', 'day', 'week', 'month', 'total'] as const
export type RateWindow = (typeof rateWindows)[number]

/** The definition of a limit. */
export interface RateRule {
  readonly measure: RateMeasure
  /** Null only for `calls`. */
  readonly window: RateWindow | null
  readonly most: bigint
  /** Patterns of the model names that the limit applies to. Null means all. */
  readonly models: readonly string[] | null
}

export interface RateSlot {
  readonly startsAtMs: number
  readonly amount: bigint
}

/**
 * Where a rule of an end user is set. `key_limit` covers a key and the keys that replaced it by rotation. `bundle_limit`
 * covers each end user of the bundle separately.
 */
export type OwnRateSource = 'key_limit' | 'bundle_limit' | 'end_user_limit'
/** `application_limit` covers all end users of the application together. */
export type RateSource = OwnRateSource | 'application_limit'

/** A rule that applies to a request, with its counted usage. */
export interface RateLimit extends RateRule {
  readonly source: RateSource
  readonly slots: readonly RateSlot[]
  /** Amount that requests in flight hold. */
  readonly held: bigint
}

/** The part of a hold that rate limits count. */
export type HeldBound = Pick<Hold, 'bound' | 'worstMicros'>

/** The stored facts about the caller at the time of the decision. */
export interface PersonState {
  readonly nowMs: number
  readonly isFrozen: boolean
  readonly key: { readonly revokedAtMs: number | null; readonly expiresAtMs: number | null }
  /** Null if the request belongs to no run. */
  readonly run: { readonly status: RunStatus } | null
  /** The wallet, this month's on-demand, and the pools of this end user and mode that have not ended. */
  readonly sources: readonly Source[]
  readonly limits: readonly Limit[]
  /** Limits of other measures and windows that apply to the model name. Absent if none applies. */
  readonly rates?: readonly RateLimit[]
}
export type RunStatus = 'running' | 'done' | 'capped' | 'failed'

/**
 * The maximum usage of a request, before any provider has responded (docs/reference/tokens.md "The bound of an input").
 */
export interface CallBound {
  readonly alias: string
  readonly textTokens: number
  readonly audioTokens: number
  readonly imageTokens: number
  /** Output tokens, summed over all choices. */
  readonly outputTokens: number
  /** Number of choices that share the output (`n`). Clamping gives each choice the same share. */
  readonly choices: number
  /** The requested service tier. Null means the provider's default. */
  readonly serviceTier: string | null
  readonly canReport: CanReport
  /** The tools that the provider runs for this request. Absent if it runs none at a cost. */
  readonly tools?: ToolBound
  /** The maximum uses that follow from the request itself, such as search units. Absent if it has none. */
  readonly uses?: Uses
}

/**
 * The uses of all tools that the provider runs for one request. Each use adds input, and may have a price of its own
 * (docs/reference/tokens.md "Tools that providers run").
 */
export interface ToolBound {
  /** Number of uses that the hold covers. At least 1. An extension increases it. */
  readonly uses: number
  /** Number of uses after which the provider stops. At least `uses`. */
  readonly usesMax: number
  /** Input tokens of one use. */
  readonly tokensPerUse: number
  /** Web searches that one use is billed as: 0 or 1. */
  readonly searchesPerUse: number
}

/**
 * The rarely reported dimensions that this request can report. The hold covers only these. If the provider reports
 * others, their cost is beyond the hold.
 */
export interface CanReport {
  readonly cacheWrite: boolean
  readonly cacheWriteLong: boolean
  readonly audioOutput: boolean
  readonly imageOutput: boolean
}

/** The part of a hold that one source backs. `micros` is its value in the price of the request. */
export interface Leg {
  readonly sourceId: string
  readonly kind: Source['kind']
  readonly unit: Unit
  readonly amount: bigint
  readonly micros: bigint
}

/** A promise of money to one request in flight. It ends in exactly one settle or release. */
export interface Hold {
  readonly callId: string
  readonly quote: Quote
  readonly bound: CallBound
  /** Worst case in the basis price. Equals the sum of `legs[].micros`. */
  readonly worstMicros: bigint
  /** Worst case in credits. 0n without a credit price. */
  readonly worstCredits: bigint
  readonly legs: readonly Leg[]
}

/** Throws unless the legs of a hold add up to its worst case, to the micro. Every decision relies on this. */
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
