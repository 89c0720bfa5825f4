/** The owner of money: an end user of an application in one mode. Live and test are separate accounts. */
export interface Account extends AccountKey {
  readonly applicationId: string
}

/** The key of an account. The ID of an end user is unique across all applications. */
export interface AccountKey {
  readonly endUserId: string
  readonly mode: Mode
}

export type Mode = 'live' | 'test'
