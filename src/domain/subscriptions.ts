import type { Covered, PaidPlan } from '#money/invoice.ts'
import type { Interval } from '#money/period.ts'
import type { AccountKey, Mode } from './account.ts'

/** The subscription of a person in one mode; its times are those of the mode. */
export interface StoredSubscription {
  /** The plan that test mode has of its own; null: the plan of live mode, which the end user's record names. */
  readonly bundleId: string | null
  /** Anchor of its periods; null: as the person's record says. */
  readonly subscribedAtMs: number | null
  /** When the person came to their bundle; null: as the person's record says. */
  readonly bundleSinceMs: number | null
  /** From then on they are on no plan; null: until they are put on another one. */
  readonly planEndsAtMs: number | null
  /** From then on an invoice is past due and on-demand is not to be had; null: never, as it stands. */
  readonly onDemandUntilMs: number | null
  /** The terms for which they came to the plan; null: they came before there were invoices. */
  readonly terms: SubscriptionTerms | null
  readonly covered: Covered | null
  readonly creditMicros: bigint
  /** The number of invoices so far. */
  readonly invoices: number
  /** When the clock brings the next invoice for the plan; null: none will come. */
  readonly nextInvoiceAtMs: number | null
  /** Whether on-demand is on. `put` does not change it. */
  readonly onDemandEnabled: boolean
  /** Months of on-demand usage that end by then are closed (money/hold.ts `OnDemandSource`); 0: none is. */
  readonly onDemandClosedUntilMs: number
  /**
   * When the clock brings the next look at months that have ended; null: there is nothing to look at, or nobody has
   * looked since on-demand was turned on; 0: months may have ended before they were invoiced.
   */
  readonly onDemandClosesAtMs: number | null
}

export interface SubscriptionTerms {
  /** Null: it costs nothing. */
  readonly priceMicros: PaidPlan['priceMicros'] | null
  readonly interval: Interval
}

/** The part of a subscription that says which plan a person is on. */
export type PlanDates = Pick<StoredSubscription, 'subscribedAtMs' | 'bundleSinceMs' | 'planEndsAtMs'>

/**
 * The bundle that an end user was put on last in a mode; null: none.
 * @param stored the subscription in that mode; null: nothing is stored
 */
export function bundleIdIn(
  endUser: { readonly bundleId: string | null; readonly removedAtMs: number | null },
  stored: Pick<StoredSubscription, 'bundleId'> | null,
): string | null {
  return endUser.removedAtMs === null ? (stored?.bundleId ?? endUser.bundleId) : null
}

/** The plan of a person at that time; null: none. @param bundleId the one that they were put on last */
export function planAt(
  bundleId: string | null,
  { planEndsAtMs }: Pick<PlanDates, 'planEndsAtMs'>,
  nowMs: number,
): string | null {
  return planEndsAtMs !== null && planEndsAtMs <= nowMs ? null : bundleId
}

export interface Subscriptions {
  /** Null: nothing is stored of it. */
  of(endUserId: string, mode: Mode): Promise<StoredSubscription | null>
  /** Those that have ended by then, of these people. */
  ended(endUserIds: readonly string[], mode: Mode, nowMs: number): Promise<ReadonlySet<string>>
  /** By end-user id, the plans that test mode has of its own, of these people. */
  ownPlans(endUserIds: readonly string[], mode: Mode): Promise<ReadonlyMap<string, string>>
  put(endUserId: string, mode: Mode, subscription: StoredSubscription): Promise<void>
  /**
   * Up to `limit` subscriptions for which the clock has brought an invoice, or the end of a month of on-demand usage; the
   * latter of end users who were removed, too. With `mode: null`, test modes whose clock was advanced are left out.
   */
  due(scope: DueScope, limit: number): Promise<readonly DueSubscription[]>
  /** Up to `limit` people who came to a plan with a price before there were invoices. */
  withoutTerms(mode: Mode, limit: number): Promise<readonly DueSubscription[]>
  /** Up to `limit` end users whose on-demand usage was turned on by a process that does not invoice it. */
  unwatched(limit: number): Promise<readonly DueSubscription[]>
}

export interface DueScope {
  /** Null: of every application. */
  readonly applicationId: string | null
  /** Null: of both. */
  readonly mode: Mode | null
  readonly nowMs: number
}

export interface DueSubscription extends AccountKey {
  readonly applicationId: string
}
