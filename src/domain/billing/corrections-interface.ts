import type { Mode } from './money-account-key.ts'
import type { CallCorrection, CorrectionSums } from './call-correction-record.ts'
import type { Credit, Grant, GrantReversal } from './grants-and-balance-changes.ts'

export interface CorrectionsAsked {
  readonly applicationId: string
  readonly mode: Mode
  /** Range of days, as numbers of days since January 1, 1970 (UTC). `fromDay` is inclusive and `toDay` is exclusive. */
  readonly fromDay: number
  readonly toDay: number
  /** End users, keys, accounts and runs are identified by their IDs. */
  readonly by: 'endUser' | 'model' | 'bundle' | 'key' | 'provider' | 'day' | 'run' | null
  readonly endUserId: string | null
}

export interface Corrections {
  /** Returns a top-up or an adjustment of one end user's wallet. */
  credit(endUserId: string, mode: Mode, id: string): Promise<Credit | null>
  /** The corrections of each call are sorted oldest first. */
  ofCalls(applicationId: string, callIds: readonly string[]): Promise<readonly CallCorrection[]>
  /**
   * A correction counts on the day of the correction, not on the day of its call. `group` is null if the call has no
   * bundle or run, or if `by` is not set.
   */
  sums(asked: CorrectionsAsked): Promise<readonly ({ readonly group: string | null } & CorrectionSums)[]>
  /** Returns the reversals of these grants, oldest first. */
  reversals(applicationId: string, grantIds: readonly string[]): Promise<readonly GrantReversal[]>
  reversal(applicationId: string, id: string): Promise<GrantReversal | null>
  /**
   * Returns the end users who received the grant. @param endUserIds the end users to search; null means all end users
   */
  recipients(grant: Grant, endUserIds: readonly string[] | null): Promise<readonly string[]>
}
