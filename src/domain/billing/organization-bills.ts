import type { BillInput } from '#money/organization-bill.ts'
import type { TierChange } from '#money/organization-tier-by-day.ts'

export interface IssuedBill {
  readonly organizationId: string
  /** The month of the bill, such as `2026-11`. */
  readonly month: string
  readonly input: BillInput
  /** SHA-256 of the bill's text, lower-case hex. */
  readonly digest: string
  readonly totalMicros: bigint
  readonly issuedAtMs: number
}

export interface SettledCalls {
  /** Number of days since January 1, 1970 (UTC). */
  readonly day: number
  readonly calls: number
}

/** The bills that an organization pays to the operator of the server. */
export interface Bills {
  /** Returns the changes of the tier in the order of their days, including future changes. */
  tierChanges(organizationId: string): Promise<readonly TierChange[]>
  /**
   * Deletes all changes after `today`, and stores this change. The change replaces an earlier change of the same day.
   */
  setTier(organizationId: string, today: number, change: TierChange | null, nowMs: number): Promise<void>
  /**
   * Returns the number of live-mode calls of all the organization's applications, by the day on which the calls
   * settled. `toDay` is exclusive.
   */
  settledCalls(organizationId: string, fromDay: number, toDay: number): Promise<readonly SettledCalls[]>
  /** Returns the stored bills, newest first. */
  issued(organizationId: string): Promise<readonly IssuedBill[]>
  /** @returns false if the month already has a bill; that bill is then kept */
  issue(bill: IssuedBill): Promise<boolean>
}
