import type { OnDemandMonth } from '#money/invoice.ts'
import type { AccountKey, Mode } from './money-account-key.ts'
import type { ClearMonthRequest } from '#domain/ledger-interface.ts'

/** The amounts are read from the source to which the month's usage is debited. */
export interface UsedMonth extends OnDemandMonth {
  /** Amount held by calls in flight, which may still be debited to the month, in micros. */
  readonly heldMicros: bigint
}

export function sourceOfMonth(name: string): string {
  return `on_demand/${name}`
}

/** A month that the control plane has recorded as paid or waived. The ledger has no entry for the month yet. */
export interface UnwrittenMonth extends Omit<ClearMonthRequest, 'nowMs'> {
  readonly testClockOffsetMs: number
}

/**
 * Each month is on one invoice. The control plane writes a month together with its invoice. The ledger later adds the
 * entry that returns the balance of the month to 0 (`Ledger.clearMonth`).
 */
export interface OnDemandMonths {
  /**
   * Locks the end user until this transaction ends. Until then, no other process moves the end user's money, so the
   * months that the transaction reads cannot change.
   */
  lock(endUserId: string): Promise<void>
  /** Returns the months that end after `closedUntilMs`, including the current month, oldest first. */
  unclosed(endUserId: string, mode: Mode, closedUntilMs: number): Promise<readonly UsedMonth[]>
  /** If a month belongs to another invoice, the month is moved to this invoice. */
  put(account: AccountKey, invoiceId: string, months: readonly OnDemandMonth[]): Promise<void>
  /**
   * Records that the months of the invoice were paid or waived. Afterwards, the ledger sets the balances of these
   * months to 0.
   */
  setCleared(invoiceId: string, reason: ClearMonthRequest['reason']): Promise<void>
  /**
   * Returns up to `limit` months whose balances the ledger still has to set to 0. @param invoiceId null means any
   * invoice
   */
  unwritten(invoiceId: string | null, limit: number): Promise<readonly UnwrittenMonth[]>
}
