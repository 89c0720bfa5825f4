import { type Ledger, StoreUnavailable } from '#domain/ledger-interface.ts'
import type { Store } from '#domain/store-interface.ts'
import { timeIn } from '#domain/test-clock.ts'

/** The next run clears the remaining months. */
const monthsAtOnce = 1_000

export interface ClearMonths {
  readonly store: Pick<Store, 'read'>
  readonly ledger: Pick<Ledger, 'clearMonth'>
}

/**
 * Makes the ledger return the balance of on-demand months to 0 after the months were paid or waived. A repeated call
 * changes nothing, so the next run can finish the work of a process that died.
 * @param invoiceId clears only months of this invoice; null means any invoice
 * @param nowMs the real time, not that of a test clock
 * @throws StoreUnavailable immediately, and any other first error after trying the remaining months
 */
export async function clearMonths(
  { ledger, store }: ClearMonths,
  invoiceId: string | null,
  nowMs: number,
): Promise<void> {
  const faults: unknown[] = []
  for (const { testClockOffsetMs, ...month } of await store.read.onDemandMonths.unwritten(
    invoiceId,
    monthsAtOnce,
  )) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- few months, and operations of other calls run in between
      await ledger.clearMonth({ ...month, nowMs: timeIn(month.mode, { testClockOffsetMs }, nowMs) })
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error
      faults.push(error)
    }
  }
  if (faults.length > 0) throw faults[0]
}
