import type { Covered, PaidPlan } from '#money/invoice.ts'
import type { Interval } from '#money/period.ts'
import type { AccountKey, Mode } from '#domain/accounts/account.ts'

/** The subscription of an end user in one mode. Its times are those of the mode. */
export interface StoredSubscription {
  /** The plan for test mode only. Null means the plan of live mode, which is in the end user's record. */
  readonly bundleId: string | null
  /** Anchor of its periods. Null means the value of the end user's record. */
  readonly subscribedAtMs: number | null
  /** When the end user was put on the bundle. Null means the value of the end user's record. */
  readonly bundleSinceMs: number | null
  /** From this time on, the end user has no plan. Null means until another plan is assigned. */
  readonly planEndsAtMs: number | null
  /** From this time on, an invoice is past due and on-demand is blocked. Null means never, as things are. */
  readonly onDemandUntilMs: number | null
  /** The terms with which the plan began. Null if the plan began before invoices existed. */
  readonly terms: SubscriptionTerms | null
  readonly covered: Covered | null
  readonly creditMicros: bigint
  /** Number of invoices so far. */
  readonly invoices: number
  /** When the next invoice for the plan is due. Null if no invoice will follow. */
  readonly nextInvoiceAtMs: number | null
  /** Whether on-demand is on. `put` does not change it. */
  readonly onDemandEnabled: boolean
  /**
   * Months of on-demand usage that end by this time are closed (money/hold.ts `OnDemandSource`). 0 means no month is
   * closed.
   */
  readonly onDemandClosedUntilMs: number
  /**
   * When ended months must be checked next. Null if there is nothing to check, or if no check has run since on-demand
   * was turned on. 0 means that months may have ended before they were invoiced.
   */
  readonly onDemandClosesAtMs: number | null
}

export interface SubscriptionTerms {
  /** Null means free of charge. */
  readonly priceMicros: PaidPlan['priceMicros'] | null
  readonly interval: Interval
}

/** The part of a subscription that determines the end user's plan. */
export type PlanDates = Pick<StoredSubscription, 'subscribedAtMs' | 'bundleSinceMs' | 'planEndsAtMs'>

/**
 * Returns the bundle that was last assigned to an end user in a mode. Null if no bundle was ever assigned.
 * @param stored the subscription in that mode; null if nothing is stored
 */
export function bundleIdIn(
  endUser: { readonly bundleId: string | null; readonly removedAtMs: number | null },
  stored: Pick<StoredSubscription, 'bundleId'> | null,
): string | null {
  return endUser.removedAtMs === null ? (stored?.bundleId ?? endUser.bundleId) : null
}

/** Returns the end user's plan at that time, or null. @param bundleId the bundle that was last assigned */
export function planAt(
  bundleId: string | null,
  { planEndsAtMs }: Pick<PlanDates, 'planEndsAtMs'>,
  nowMs: number,
): string | null {
  return planEndsAtMs !== null && planEndsAtMs <= nowMs ? null : bundleId
}

export interface Subscriptions {
  /** Returns null if no subscription is stored. */
  of(endUserId: string, mode: Mode): Promise<StoredSubscription | null>
  /** Returns the end users whose plan has ended by that time. */
  ended(endUserIds: readonly string[], mode: Mode, nowMs: number): Promise<ReadonlySet<string>>
  /** Returns the plans for test mode only of these end users, by end-user ID. */
  ownPlans(endUserIds: readonly string[], mode: Mode): Promise<ReadonlyMap<string, string>>
  put(endUserId: string, mode: Mode, subscription: StoredSubscription): Promise<void>
  /**
   * Returns up to `limit` subscriptions for which an invoice, or the end of a month of on-demand usage, is due. The
   * latter includes deleted end users. With `mode: null`, test modes whose clock was advanced are omitted.
   */
  due(scope: DueScope, limit: number): Promise<readonly DueSubscription[]>
  /** Returns up to `limit` end users whose plan with a price began before invoices existed. */
  withoutTerms(mode: Mode, limit: number): Promise<readonly DueSubscription[]>
  /** Returns up to `limit` end users whose on-demand was turned on by a process that does not invoice it. */
  unwatched(limit: number): Promise<readonly DueSubscription[]>
}

export interface DueScope {
  /** Null means every application. */
  readonly applicationId: string | null
  /** Null means both modes. */
  readonly mode: Mode | null
  readonly nowMs: number
}

export interface DueSubscription extends AccountKey {
  readonly applicationId: string
}
