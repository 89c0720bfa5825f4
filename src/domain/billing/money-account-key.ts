/** The owner of money: an end user of an application, in either live mode or test mode. */
export interface Account extends AccountKey {
  readonly applicationId: string
}

/** The ID of an end user is unique across all applications. */
export interface AccountKey {
  readonly endUserId: string
  readonly mode: Mode
}

export type Mode = 'live' | 'test'
