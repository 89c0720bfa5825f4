import type { OnDemandMonth } from '#money/invoice.ts'
import type { AccountKey, Mode } from './account.ts'
import type { ClearMonthRequest } from './ledger.ts'

/** A month of on-demand usage as its source has it. */
export interface UsedMonth extends OnDemandMonth {
  /** Held by calls in flight, which may yet be debited to the month. */
  readonly heldMicros: bigint
}

/** The id of the source that a month like `2026-11` is debited to. */
export function sourceOfMonth(name: string): string {
  return `on_demand/${name}`
}

/** A month that was cleared in the control plane, and has no entry yet. */
export interface UnwrittenMonth extends Omit<ClearMonthRequest, 'nowMs'> {
  /** Of its application. */
  readonly testClockOffsetMs: number
}

/**
 * Closed months of on-demand usage, each on one invoice. The control plane writes them with the invoice; the ledger names
 * the entry that clears a month (`Ledger.clearMonth`).
 */
export interface OnDemandMonths {
  /**
   * Makes the ledger wait until this transaction ends before it moves money of the end user, in any process. What is
   * read of a month after this is final.
   */
  lock(endUserId: string): Promise<void>
  /** The months that end after `closedUntilMs`, the one under way too, oldest first. */
  unclosed(endUserId: string, mode: Mode, closedUntilMs: number): Promise<readonly UsedMonth[]>
  /** Puts the months on that invoice; one that was on another invoice is moved. */
  put(account: AccountKey, invoiceId: string, months: readonly OnDemandMonth[]): Promise<void>
  /** Notes that the months of the invoice were paid or waived; the ledger then clears them. */
  setCleared(invoiceId: string, reason: ClearMonthRequest['reason']): Promise<void>
  /** Up to `limit` months that the ledger has to clear. @param invoiceId null: of any invoice */
  unwritten(invoiceId: string | null, limit: number): Promise<readonly UnwrittenMonth[]>
}
