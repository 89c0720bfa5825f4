/** The owner of money: an end user of an application in one mode. Live and test are two accounts. */
export interface Account extends AccountKey {
  readonly applicationId: string
}

/** The key of an account: an end user's id is unique over all applications. */
export interface AccountKey {
  readonly endUserId: string
  readonly mode: Mode
}

export type Mode = 'live' | 'test'
