/** Failed sign-ins of members, counted by account, site and hour, so that an attack cannot fill the store. */

/**
 * Number of sites that are listed separately per account and hour. Attempts from all other sites are counted under one
 * name.
 */
export const sitesPerHourMax = 5
export const otherSites = 'other networks'

export interface FailedSignInHour {
  readonly memberId: string
  readonly hourMs: number
  /** A range of addresses (siteOf), or `otherSites`. */
  readonly site: string
  readonly organizationId: string
  readonly failures: number
  readonly firstAtMs: number
  readonly lastAtMs: number
  readonly lastAddress: string
  /** ID of the audit entry that shows these failures. */
  readonly auditId: string
}

export interface FailedSignInSum {
  readonly count: number
  readonly firstAtMs: number
  readonly lastAtMs: number
  readonly lastAddress: string
}

export interface FailedSignIns {
  /**
   * If the hour has too many sites, the failures count for `otherSites`.
   * @returns the stored count after the addition; a new count has the `auditId` of `failures`
   */
  add(failures: FailedSignInHour): Promise<FailedSignInHour>
  /** Returns the failures of hours that end after `sinceMs`, by member ID. */
  sums(organizationId: string, sinceMs: number): Promise<ReadonlyMap<string, FailedSignInSum>>
  /** The audit entries of the deleted counts are kept. */
  prune(beforeMs: number): Promise<void>
}
