import type { OnDemandMonth } from '#money/invoice.ts'
import type { AccountKey, Mode } from '#domain/accounts/account.ts'
import type { ClearMonthRequest } from '#domain/ledger.ts'

/** A month of on-demand usage with the data of its source. */
export interface UsedMonth extends OnDemandMonth {
  /** Amount held by calls in flight, which may still be debited to the month, in micros. */
  readonly heldMicros: bigint
}

/** Returns the ID of the source that a month like `2026-11` is debited to. */
export function sourceOfMonth(name: string): string {
  return `on_demand/${name}`
}

/** A month that was cleared in the control plane but has no entry yet. */
export interface UnwrittenMonth extends Omit<ClearMonthRequest, 'nowMs'> {
  /** Offset of its application's test clock. */
  readonly testClockOffsetMs: number
}

/**
 * Closed months of on-demand usage, each on one invoice. The control plane writes them with the invoice. The ledger
 * adds the entry that clears a month (`Ledger.clearMonth`).
 */
export interface OnDemandMonths {
  /**
   * Locks the end user until this transaction ends: in every process, the ledger waits before it moves the end user's
   * money. Month data that is read after this call is final.
   */
  lock(endUserId: string): Promise<void>
  /** Returns the months that end after `closedUntilMs`, including the current one, oldest first. */
  unclosed(endUserId: string, mode: Mode, closedUntilMs: number): Promise<readonly UsedMonth[]>
  /** Puts the months on that invoice. A month that was on another invoice is moved. */
  put(account: AccountKey, invoiceId: string, months: readonly OnDemandMonth[]): Promise<void>
  /** Records that the months of the invoice were paid or waived. The ledger then clears them. */
  setCleared(invoiceId: string, reason: ClearMonthRequest['reason']): Promise<void>
  /** Returns up to `limit` months that the ledger has to clear. @param invoiceId null means any invoice */
  unwritten(invoiceId: string | null, limit: number): Promise<readonly UnwrittenMonth[]>
}
