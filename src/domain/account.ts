/** What money belongs to: an end user of an application, in one mode. Live and test are two accounts. */
export interface Account extends AccountKey {
  readonly applicationId: string
}

/** What an account is found by: an end user's id is unique over all applications. */
export interface AccountKey {
  readonly endUserId: string
  readonly mode: Mode
}

export type Mode = 'live' | 'test'
