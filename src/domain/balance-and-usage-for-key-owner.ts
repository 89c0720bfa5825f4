import type { LimitKind, OwnRateSource } from '#money/decision-types.ts'
import type { KeyRecord } from './application-config.ts'

/**
 * Queries with which an end user reads the end user's own money and usage, with an API key. The queries count toward
 * the end user's share of the store's capacity (docs/decisions/2026-11-23-reads-in-shares.md). Amounts of money are
 * decimal strings.
 */
export interface HolderReads {
  /** @throws Failure rate_limited, too_many_reads, overloaded, invalid_key */
  balance(holder: Holder, model: HeldModel | null): Promise<HolderBalance>
  /**
   * Returns the end user's usage in the current calendar month (UTC). @throws Failure with the same codes as `balance`
   */
  usage(holder: Holder): Promise<HolderUsage>
}

export interface Holder {
  readonly organizationId: string
  readonly key: KeyRecord
  readonly testClockOffsetMs: number
  /** The real time. */
  readonly nowMs: number
}

export interface HeldModel {
  readonly alias: string
  /** Whether pools in credits can pay for this model name. */
  readonly hasCreditPrice: boolean
}

export interface HolderBalance {
  readonly livemode: boolean
  readonly frozen: boolean
  /** The maximum that one further request can reserve, in micros. Null means no limit. */
  readonly remainingMicros: string | null
  readonly wallet: { readonly balanceMicros: string; readonly heldMicros: string }
  /** Pools of the plan, with amounts in micros or in millionths of a credit. */
  readonly pools: readonly {
    readonly slug: string
    readonly name: string
    readonly unit: 'micros' | 'credits'
    readonly models: readonly string[]
    readonly balanceUnits: string
    readonly heldUnits: string
    readonly endsAt: string | null
  }[]
  readonly onDemand: {
    readonly enabled: boolean
    readonly limitMicros: string | null
    readonly usedMicros: string
    readonly heldMicros: string
    /**
     * The remaining amount that can be billed on demand, in micros. Null means no ceiling. 0 if on-demand billing is
     * off or blocked.
     */
    readonly remainingMicros: string | null
  }
  readonly limits: readonly {
    readonly kind: HolderLimitKind
    readonly limitMicros: string
    readonly usedMicros: string
    readonly heldMicros: string
    /** Negative if the spending exceeds the limit. */
    readonly remainingMicros: string
    readonly resetsAt: string | null
  }[]
}

/**
 * `key_limit` is a limit on the key's charges in addition to the key's cap. `member_cap` is a team member's cap on the
 * wallet of the payer.
 */
export type HolderLimitKind = Exclude<LimitKind, 'outcome_run'> | OwnRateSource | 'member_cap'

export interface HolderUsage {
  readonly livemode: boolean
  /** First day of the range (UTC), as `YYYY-MM-DD`. */
  readonly from: string
  /** The day after the last day of the range. */
  readonly to: string
  readonly models: readonly ({ readonly model: string } & HolderUse)[]
  readonly totals: HolderUse
}

export interface HolderUse {
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Charges in the range, minus refunds that were made in the range. */
  readonly chargeMicros: string
}
