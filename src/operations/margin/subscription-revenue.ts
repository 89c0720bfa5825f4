import type { DayRange, MarginBy } from '#domain/reports.ts'
import type { ApplicationContext } from '#operations/operation.ts'

/** Amounts of invoices, paid or open, in micros. */
export interface SubscriptionRevenue {
  /** By the group of a margin: external id, slug of a bundle, or number of the day since 1970 (UTC). */
  readonly byGroup: ReadonlyMap<string, bigint>
  readonly totalMicros: bigint
}

/**
 * What people were invoiced for their subscriptions in these days, by the day of the invoice.
 * @param groups the groups that are shown
 * @returns null: it is not known, and no margin says anything of it (a name or an account has no subscription)
 */
export function subscriptionRevenue(
  _context: ApplicationContext,
  _by: MarginBy,
  _days: DayRange,
  _groups: readonly string[],
): Promise<SubscriptionRevenue | null> {
  // No invoice is stored.
  return Promise.resolve(null)
}
