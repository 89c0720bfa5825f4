import type { Covered, PaidPlan } from '#money/invoice.ts'
import type { Interval } from '#money/periods-and-windows.ts'
import type { AccountKey, Mode } from './money-account-key.ts'

/** The times are by the clock of this mode (the real clock or the test clock). */
export interface StoredSubscription {
  /** The plan for test mode only. Null means the plan of live mode, which is in the end user's record. */
  readonly bundleId: string | null
  /** Null means the value in the end user's record. */
  readonly subscribedAtMs: number | null
  /** Null means the value in the end user's record. */
  readonly bundleSinceMs: number | null
  /**
   * From this time on, the end user has no plan in this mode. Null means that the plan lasts until another plan is
   * assigned.
   */
  readonly planEndsAtMs: number | null
  /** From this time on, an invoice is past due and on-demand billing is blocked. */
  readonly onDemandUntilMs: number | null
  /** Null if the plan began before invoices existed. */
  readonly terms: SubscriptionTerms | null
  readonly covered: Covered | null
  readonly creditMicros: bigint
  readonly invoices: number
  /** Null if no invoice will follow. */
  readonly nextInvoiceAtMs: number | null
  /** `put` does not change this field. */
  readonly onDemandEnabled: boolean
  /**
   * Months of on-demand usage that ended by this time are closed (money/decision-types.ts `OnDemandSource`). 0 means
   * that no month is closed.
   */
  readonly onDemandClosedUntilMs: number
  /**
   * When to check next whether a month of on-demand usage has ended. Null if no check is needed, or if no check has run
   * since on-demand was turned on. 0 means that some months may have ended without an invoice.
   */
  readonly onDemandClosesAtMs: number | null
}

export interface SubscriptionTerms {
  /** Null means that the plan is free of charge. */
  readonly priceMicros: PaidPlan['priceMicros'] | null
  readonly interval: Interval
}

export type PlanDates = Pick<StoredSubscription, 'subscribedAtMs' | 'bundleSinceMs' | 'planEndsAtMs'>

/**
 * Returns the bundle that was most recently assigned to an end user in a mode.
 * @param stored the subscription in that mode; null if nothing is stored
 */
export function bundleIdIn(
  endUser: { readonly bundleId: string | null; readonly removedAtMs: number | null },
  stored: Pick<StoredSubscription, 'bundleId'> | null,
): string | null {
  return endUser.removedAtMs === null ? (stored?.bundleId ?? endUser.bundleId) : null
}

/**
 * Returns the plan that the end user has at `nowMs`.
 * @param bundleId the bundle that was most recently assigned
 */
export function planAt(
  bundleId: string | null,
  { planEndsAtMs }: Pick<PlanDates, 'planEndsAtMs'>,
  nowMs: number,
): string | null {
  return planEndsAtMs !== null && planEndsAtMs <= nowMs ? null : bundleId
}

export interface Subscriptions {
  of(endUserId: string, mode: Mode): Promise<StoredSubscription | null>
  ended(endUserIds: readonly string[], mode: Mode, nowMs: number): Promise<ReadonlySet<string>>
  /** Returns the test-mode plans of these end users that differ from their live plans, by end-user ID. */
  ownPlans(endUserIds: readonly string[], mode: Mode): Promise<ReadonlyMap<string, string>>
  put(endUserId: string, mode: Mode, subscription: StoredSubscription): Promise<void>
  /**
   * Returns up to `limit` subscriptions with a due invoice, or with an ended month of on-demand usage. Deleted end
   * users are included only if a month of on-demand usage has ended. If `mode` is null, test-mode subscriptions of
   * applications with an advanced test clock are omitted.
   */
  due(scope: DueScope, limit: number): Promise<readonly DueSubscription[]>
  /** Returns up to `limit` end users whose paid plan began before invoices existed. */
  withoutTerms(mode: Mode, limit: number): Promise<readonly DueSubscription[]>
  /**
   * Returns up to `limit` end users whose on-demand billing was enabled by an older version of the server. The older
   * version does not invoice on-demand usage.
   */
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
