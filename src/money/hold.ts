/**
 * The plain values that a decision about money reads and writes. No clock, no I/O: the store loads
 * a `PersonState`, asks `admit`, `extend`, `settle`, `release` or `recover`, and saves what they answer.
 * Amounts are bigint: micros, or millionths of a credit where `unit` is `credits`.
 */
import { assertMoney } from './amount.ts'
import type { Dimension, Price } from './price.ts'

export type Unit = 'micros' | 'credits'
export type TerminationPolicy = 'hard_token' | 'complete_message' | 'grace'

/**
 * The prices and the policy that a call is admitted at. Immutable and stored once by content (`id`), so that
 * re-rating a settled call gives its charge to the micro.
 */
export interface Quote {
  readonly id: string
  /** What the provider account is charged. Complete for what the provider can report (assumed-rates.ts). */
  readonly cost: Price
  /** Dimensions of `cost` whose rate is not known and was assumed. Absent: none, or not known (older quotes). */
  readonly assumed?: readonly Dimension[]
  /** What the bundle sells the alias at; equals `cost` where the bundle sets nothing. */
  readonly sell: Price
  /** The price that holds, charges, caps and limits are computed from (`debitBasis`). */
  readonly basis: 'provider_cost' | 'sell_price'
  /** Credit price of the alias in the bundle's named currency; null: no credit pool can pay for it. */
  readonly credits: Price | null
  readonly policy: TerminationPolicy
  /** How far past its hold a `grace` call may run; 0n for the other policies. */
  readonly maxOverdraftMicros: bigint
}

/** One place that money can come from. Spent in the order of `payingSources` (sources.ts). */
export type Source = PoolSource | WalletSource | OnDemandSource

interface Balance {
  readonly id: string
  /** The sum of this source's ledger. */
  readonly posted: bigint
  /** Promised to calls in flight; `available = posted - held` (+ the ceiling for on-demand). */
  readonly held: bigint
}

export interface PoolSource extends Balance {
  readonly kind: 'pool'
  readonly slug: string
  readonly unit: Unit
  /** The named currency of a credit pool; null for micros. */
  readonly currency: string | null
  readonly granted: bigint
  /** What changes of plan have taken off it and not given back (plan-pools.ts). */
  readonly withheld: bigint
  /** What lapsed with its period, for good. Granted = consumed + posted + withheld + expired. */
  readonly expired: bigint
  /** The pool belongs to a plan that the person is not on now: it pays nothing until they come back. */
  readonly isSuspended: boolean
  /** Frozen when granted; lower pays first. `sequence` makes the order strict. */
  readonly rank: PoolRank
  /** Patterns of the aliases that this pool may pay for. */
  readonly models: readonly string[]
  /** Slug of the pool that pays next once this one is spent; `nextByRank`; null: no pool does. */
  readonly spilloverTo: string | null
  /** False: for the aliases that this pool covers, nothing pays once the last such pool is spent. */
  readonly thenOnDemand: boolean
  readonly startsAtMs: number
  /** Half-open: at this instant the pool is gone. Null: it never ends. */
  readonly endsAtMs: number | null
}

/** Fewest models, soonest end, free before paid, sequence: compared field by field. */
export interface PoolRank {
  readonly models: number
  /** Number.MAX_SAFE_INTEGER for a pool without an end. */
  readonly endsAtMs: number
  readonly isPaid: boolean
  readonly sequence: number
}

export interface WalletSource extends Balance {
  readonly kind: 'wallet'
  /** The part of the balance that no one paid for; 0 <= given <= max(posted, 0). Spent first (paid.ts). */
  readonly given: bigint
}

/** Invoiced after the month. `posted` is minus what is owed for it; the payment of its invoice brings it back to 0. */
export interface OnDemandSource extends Balance {
  readonly kind: 'on_demand'
  readonly isEnabled: boolean
  /** The person's own ceiling for the month; null while enabled: no ceiling. */
  readonly limitMicros: bigint | null
  /** From then on an invoice of the person is past due, and it promises nothing new; null: none will be. */
  readonly untilMs: number | null
  /**
   * The person's months that end by then are closed: they are invoiced, and nothing is debited to them any more. A
   * call that comes late goes on the month that begins then. 0: none is closed.
   */
  readonly closedUntilMs: number
  readonly startsAtMs: number
  readonly endsAtMs: number
}

/** A ceiling on the sum of charges, whichever source pays. */
export interface Limit {
  readonly kind: LimitKind
  /** Key id, `portal`, bundle slug, window or run id. */
  readonly id: string
  readonly limitMicros: bigint
  /** Settled in the period so far. */
  readonly spentMicros: bigint
  readonly heldMicros: bigint
  /** Null: never (a cap for all time, a run). */
  readonly resetsAtMs: number | null
}
/**
 * `key_cap`: a line of keys, which rotation extends. `portal_total`: all keys that the end user created in the
 * portal. `end_user_limit`: all keys and plans of the end user; one limit per window.
 */
export type LimitKind = 'outcome_run' | 'key_cap' | 'portal_total' | 'bundle_limit' | 'end_user_limit'

/** The stored facts about the caller at the instant of the decision. */
export interface PersonState {
  readonly nowMs: number
  readonly isFrozen: boolean
  readonly key: { readonly revokedAtMs: number | null; readonly expiresAtMs: number | null }
  /** Null when the call belongs to no run. */
  readonly run: { readonly status: RunStatus } | null
  /** Pools of this person and mode that are not over, the wallet, this month's on-demand. */
  readonly sources: readonly Source[]
  readonly limits: readonly Limit[]
}
export type RunStatus = 'running' | 'done' | 'capped' | 'failed'

/** What a call may use at most, before anyone has answered it (docs/reference/tokens.md "The bound of an input"). */
export interface CallBound {
  readonly alias: string
  readonly textTokens: number
  readonly audioTokens: number
  readonly imageTokens: number
  /** Output tokens over all choices together. */
  readonly outputTokens: number
  /** How many answers the output is shared by (`n`); a clamp leaves each the same share. */
  readonly choices: number
  /** The service tier asked for; null: the provider's default. */
  readonly serviceTier: string | null
  readonly canReport: CanReport
}

/**
 * Which of the rarely reported dimensions this call can report. The hold covers no other; what the provider
 * reports of others is past the hold.
 */
export interface CanReport {
  readonly cacheWrite: boolean
  readonly cacheWriteLong: boolean
  readonly audioOutput: boolean
  readonly imageOutput: boolean
}

/** A part of a hold that one source backs. `micros` is what it stands for in the call's price. */
export interface Leg {
  readonly sourceId: string
  readonly kind: Source['kind']
  readonly unit: Unit
  readonly amount: bigint
  readonly micros: bigint
}

/** A promise of money to one call in flight. It ends in exactly one settle or release. */
export interface Hold {
  readonly callId: string
  readonly quote: Quote
  readonly bound: CallBound
  /** Worst case in the basis price; the sum of `legs[].micros`. */
  readonly worstMicros: bigint
  /** Worst case in credits; 0n without a credit price. */
  readonly worstCredits: bigint
  readonly legs: readonly Leg[]
}

/** Every decision relies on this: the legs of a hold add up to its worst case, to the micro. */
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
