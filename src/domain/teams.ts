import type { RateRule } from '#money/hold.ts'
import type { Mode } from './application-config.ts'
import type { EndUser, Page, Rows } from './records.ts'

/** End users of an application who spend from the wallet of one end user, the payer. */
export interface Team {
  readonly id: string
  readonly applicationId: string
  readonly slug: string
  readonly displayName: string
  /** The end user whose wallet the members spend from. A payer is in no team. */
  readonly payerId: string
  /** Limits of all members together. */
  readonly limits: readonly RateRule[]
  readonly createdAtMs: number
}

/** What a member spent from the payer's wallet in one calendar month, in micros. */
export interface MemberSpending {
  readonly spentMicros: bigint
  /** The amount that requests in flight hold. */
  readonly heldMicros: bigint
}

export interface Teams {
  put(team: Team): Promise<void>
  bySlug(applicationId: string, slug: string): Promise<Team | null>
  /** Returns the team that the end user pays for. */
  ofPayer(applicationId: string, payerId: string): Promise<Team | null>
  list(applicationId: string, page: Page): Promise<Rows<Team>>
  /** Deletes the team. Its members and its payer stay end users, and the members leave the team. */
  remove(team: Team): Promise<void>
  /** Returns the number of members, by team ID. Teams without members are omitted. */
  counts(teams: readonly Team[]): Promise<ReadonlyMap<string, number>>
  /** Returns the members of a team, newest end user first. */
  members(team: Team, page: Page): Promise<Rows<EndUser>>
  /**
   * Returns the spending in the month that begins at this time, by member. End users who have left the team are included.
   * Members who never spent in the month are omitted.
   */
  spending(
    payerIds: readonly string[],
    mode: Mode,
    monthStartsAtMs: number,
  ): Promise<ReadonlyMap<string, MemberSpending & { readonly payerId: string }>>
}
