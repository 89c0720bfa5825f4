import type { TeamSource } from '#money/decision-types.ts'
import type { Mode } from '#domain/application-config.ts'
import type { EndUser } from '#domain/end-user-record.ts'
import type { Page, Rows } from '#domain/list-page.ts'
import type { Team } from './team-record.ts'

/** The spending of a member from a payer's wallet in one calendar month, in micros. */
export interface MemberSpending {
  readonly payerId: string
  readonly endUserId: string
  readonly spentMicros: bigint
  readonly heldMicros: bigint
}

/** The spending of a member from one pool of the payer, in micros. */
export interface MemberPoolSpending extends MemberSpending {
  readonly poolId: string
}

export interface Teams {
  /** Creates the team, or changes the name and the limits of the team with this ID. */
  put(team: Team): Promise<void>
  bySlug(applicationId: string, slug: string): Promise<Team | null>
  ofPayer(payerId: string): Promise<Team | null>
  list(applicationId: string, page: Page): Promise<Rows<Team>>
  /** Returns all teams in the order of their slugs, each with the external ID of its payer. */
  whole(applicationId: string): Promise<readonly { readonly team: Team; readonly payer: string }[]>
  /** Returns the slugs of all teams, by payer. */
  slugs(applicationId: string): Promise<ReadonlyMap<string, string>>
  limited(applicationId: string): Promise<readonly Team[]>
  remove(team: Team): Promise<void>
  /** Locks the team until the end of the transaction. @returns false if the team was deleted */
  lock(team: Team): Promise<boolean>
  /** Locks the end user until the end of the transaction, and returns the end user as stored. */
  lockEndUser(endUser: EndUser): Promise<EndUser | null>
  /**
   * Returns a function that checks whether the payer can pay for the end user with this ID. On a distributed database,
   * the payer and the end user must be on one shard.
   */
  payableBy(payerId: string): Promise<(endUserId: string) => boolean>
  /**
   * Puts the end user into the payer's team, or changes the member's cap. If `payer` is null, removes the end user from
   * the team.
   */
  setMember(
    endUserId: string,
    payer: { readonly id: string; readonly capMicros: bigint | null } | null,
  ): Promise<void>
  counts(teams: readonly Team[]): Promise<ReadonlyMap<string, number>>
  /** Returns the members of a team, newest end user first. */
  members(team: Team, page: Page): Promise<Rows<EndUser>>
  /**
   * Returns the spending of each payer's members in the calendar month that contains `nowMs`. The result includes end
   * users who have left the team.
   */
  spending(payerIds: readonly string[], mode: Mode, nowMs: number): Promise<readonly MemberSpending[]>
  /**
   * Returns the amounts that members have spent from these pools of the payer. The result includes end users who have
   * left the team.
   */
  poolSpending(
    payerId: string,
    mode: Mode,
    poolIds: readonly string[],
  ): Promise<readonly MemberPoolSpending[]>
  /** Returns the part of the payer's wallet that the end user can spend with the next request. */
  share(
    endUser: Pick<EndUser, 'id' | 'payerId' | 'payerCapMicros'>,
    mode: Mode,
    nowMs: number,
  ): Promise<TeamSource | null>
}
