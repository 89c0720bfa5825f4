import type { Unit } from '#money/decision-types.ts'
import type { LedgerKind } from '#money/posting.ts'

/** Money that the end user can spend: the wallet plus expiring credit. */
export interface Wallet {
  /** The balance of the wallet and of the credit that can be spent now, in micros. */
  readonly postedMicros: bigint
  readonly heldMicros: bigint
  /**
   * The balance of the wallet without expiring credit, minus the amount held in the wallet, in micros. Negative if the
   * end user owes money.
   */
  readonly lastingMicros: bigint
  /** Credit that has not expired and has a remaining balance. The credit that expires earliest comes first. */
  readonly expiring: readonly ExpiringCredit[]
}

export interface ExpiringCredit {
  readonly grantId: string
  readonly postedMicros: bigint
  readonly heldMicros: bigint
  readonly startsAtMs: number
  readonly endsAtMs: number
}

export interface LedgerEntry {
  readonly id: string
  readonly sequence: number
  readonly kind: LedgerKind
  readonly unit: Unit
  readonly amount: bigint
  readonly balanceAfter: bigint
  /**
   * Name of a source: `wallet`, `on_demand/2026-11`, `pro/tokens/2026-11-20`, `pro/welcome`. Each month of on-demand
   * usage and each period of a pool has its own source.
   */
  readonly source: string
  readonly poolName: string | null
  /** Null if no plan granted the source, or if the plan was deleted. */
  readonly planName: string | null
  readonly callId: string | null
  readonly grantId: string | null
  /** For an entry that clears a month of on-demand usage, the invoice for the month. */
  readonly invoiceId: string | null
  readonly paymentReference: string | null
  readonly reason: string | null
  readonly createdAtMs: number
}

export interface OnDemandSetting {
  readonly isEnabled: boolean
  readonly limitMicros: bigint | null
}

export interface PoolUse {
  readonly sourceId: string
  readonly alias: string
  readonly amount: bigint
}
