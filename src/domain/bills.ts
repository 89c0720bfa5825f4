import type { BillInput } from '#money/bill.ts'
import type { TierChange } from '#money/tier-timeline.ts'

/** A bill that stays as it is: its input, and a hash of what came out of it. */
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

/** What an organization pays the operator of the server. */
export interface Bills {
  /** In the order of their days, those ahead too. */
  tierChanges(organizationId: string): Promise<readonly TierChange[]>
  /** Drops the changes of the days after `today`, and notes this one; one of the same day is replaced. */
  setTier(organizationId: string, today: number, change: TierChange | null, nowMs: number): Promise<void>
  /** Live calls of all its applications by the day on which they settled; `toDay` is not included. */
  settledCalls(organizationId: string, fromDay: number, toDay: number): Promise<readonly SettledCalls[]>
  /** The newest first. */
  issued(organizationId: string): Promise<readonly IssuedBill[]>
  /** @returns false: the month has a bill, which stays */
  issue(bill: IssuedBill): Promise<boolean>
}
