import type { DayRange, MarginBy } from '#domain/reports.ts'
import type { ApplicationContext } from '#operations/context.ts'

/** What people were invoiced for their subscriptions and what is not void, in micros. */
export interface SubscriptionRevenue {
  /** By the group of a margin: external id, or number of the day since 1970 (UTC). Null: a group has none. */
  readonly byGroup: ReadonlyMap<string, bigint> | null
  readonly totalMicros: bigint
}

/** The revenue of these days, each invoice on its day. A name, a bundle or an account has no subscription. */
export async function subscriptionRevenue(
  { application, mode, store }: ApplicationContext,
  by: MarginBy,
  days: DayRange,
): Promise<SubscriptionRevenue> {
  const grouping = by === 'day' ? 'day' : 'endUser'
  const byGroup = await store.invoices.revenue(application.id, mode, days, grouping)
  const totalMicros = byGroup.values().reduce((sum, amount) => sum + amount, 0n)
  return { byGroup: by === 'day' || by === 'endUser' ? byGroup : null, totalMicros }
}
