import type { BillInput } from '#money/bill.ts'
import type { TierChange } from '#money/tier-timeline.ts'

/** A final bill: its input, and a hash of its text. */
export interface IssuedBill {
  readonly organizationId: string
  /** `2026-11`. */
  readonly month: string
  readonly input: BillInput
  /** SHA-256 of the bill's text, lower-case hex. */
  readonly digest: string
  readonly totalMicros: bigint
  readonly issuedAtMs: number
}

export interface SettledCalls {
  /** Days since 1970 (UTC). */
  readonly day: number
  readonly calls: number
}

/** The bills that an organization pays to the operator of the server. */
export interface Bills {
  /** In the order of their days. Future changes are included. */
  tierChanges(organizationId: string): Promise<readonly TierChange[]>
  /** Deletes the changes after `today`, and stores this change. A change of the same day is replaced. */
  setTier(organizationId: string, today: number, change: TierChange | null, nowMs: number): Promise<void>
  /**
   * Returns live calls of all the organization's applications by the day on which they settled. `toDay` is exclusive.
   */
  settledCalls(organizationId: string, fromDay: number, toDay: number): Promise<readonly SettledCalls[]>
  /** Newest first. */
  issued(organizationId: string): Promise<readonly IssuedBill[]>
  /** @returns false if the month already has a bill, which is kept */
  issue(bill: IssuedBill): Promise<boolean>
}
