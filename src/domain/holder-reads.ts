import type { LimitKind, OwnRateSource } from '#money/hold.ts'
import type { KeyRecord } from './application-config.ts'

/**
 * Reads of a key's holder about their own money and usage. The reads run in the end user's share of the store
 * (docs/decisions/2026-11-23-reads-in-shares.md). Amounts are decimal strings.
 */
export interface HolderReads {
  /** @throws Failure rate_limited, too_many_reads, overloaded, invalid_key */
  balance(holder: Holder, model: HeldModel | null): Promise<HolderBalance>
  /** Returns the usage in the current calendar month (UTC). @throws Failure as `balance` */
  usage(holder: Holder): Promise<HolderUsage>
}

export interface Holder {
  readonly organizationId: string
  readonly key: KeyRecord
  /** The offset of the application's test clock. */
  readonly testClockOffsetMs: number
  /** The real time. */
  readonly nowMs: number
}

/** A model name whose remaining amount is requested. */
export interface HeldModel {
  readonly alias: string
  /** Whether pools in credits can pay for the name. */
  readonly hasCreditPrice: boolean
}

export interface HolderBalance {
  readonly livemode: boolean
  readonly frozen: boolean
  /** The maximum that a further request can hold, in micros. Null means no limit. */
  readonly remainingMicros: string | null
  readonly wallet: { readonly balanceMicros: string; readonly heldMicros: string }
  /** Pools of the plan, in micros or millionths of a credit. */
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
    /** Null means no ceiling. 0 if on-demand billing is off or blocked. */
    readonly remainingMicros: string | null
  }
  /** The limits on requests with this key. */
  readonly limits: readonly {
    readonly kind: HolderLimitKind
    readonly limitMicros: string
    readonly usedMicros: string
    readonly heldMicros: string
    /** Negative if the limit was exceeded. */
    readonly remainingMicros: string
    readonly resetsAt: string | null
  }[]
}

/** `key_limit` is another limit of the key on charges than its cap. */
export type HolderLimitKind = Exclude<LimitKind, 'outcome_run'> | OwnRateSource

export interface HolderUsage {
  readonly livemode: boolean
  /** First day of the range (UTC), `YYYY-MM-DD`. */
  readonly from: string
  /** The day after the range. */
  readonly to: string
  readonly models: readonly ({ readonly model: string } & HolderUse)[]
  readonly totals: HolderUse
}

export interface HolderUse {
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
  /** Charges of the range, minus refunds made in the range. */
  readonly chargeMicros: string
}
