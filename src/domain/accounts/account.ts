/** The owner of money: an end user of an application in one mode. Live and test are separate accounts. */
export interface Account extends AccountKey {
  readonly applicationId: string
}

/** The key of an account. An end user's ID is unique over all applications. */
export interface AccountKey {
  readonly endUserId: string
  readonly mode: Mode
}

export type Mode = 'live' | 'test'
