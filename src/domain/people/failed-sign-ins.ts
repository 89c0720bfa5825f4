/** Failed sign-ins of members, summed by account, site and hour, so that an attack cannot fill the store. */

/** Number of sites that are listed separately per account and hour. Attempts from other sites are summed together. */
export const sitesPerHourMax = 5
export const otherSites = 'other networks'

/** Failed sign-ins of one account from one site within one hour. */
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
  /** ID of the entry in the audit log that shows it. */
  readonly auditId: string
}

/** Failed sign-ins of one account. */
export interface FailedSignInSum {
  readonly count: number
  readonly firstAtMs: number
  readonly lastAtMs: number
  readonly lastAddress: string
}

export interface FailedSignIns {
  /**
   * Adds failures to their hour, or to that of `otherSites` if the hour has too many sites.
   * @returns the hour as it is now; its `auditId` is the given one if it is new
   */
  add(failures: FailedSignInHour): Promise<FailedSignInHour>
  /** By member ID, of hours that end after a time. */
  sums(organizationId: string, sinceMs: number): Promise<ReadonlyMap<string, FailedSignInSum>>
  /** Deletes hours that began before a time. Their audit entries are kept. */
  prune(beforeMs: number): Promise<void>
}
