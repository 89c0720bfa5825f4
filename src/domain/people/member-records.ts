import type { Role } from './team-roles.ts'
import type { Page, Rows } from '#domain/list-page.ts'

export interface Member {
  readonly id: string
  readonly organizationId: string
  /** Email address in lower case. The address is unique among all members who have joined. */
  readonly email: string
  /** Null until the member has accepted the invitation. */
  readonly name: string | null
  readonly role: Role
  /** The hash of the password, in the format of hash-and-check-passwords.ts. */
  readonly passwordHash: string | null
  readonly oidcIssuer: string | null
  readonly oidcSubject: string | null
  readonly createdAtMs: number
  /** Null while the invitation is open. */
  readonly joinedAtMs: number | null
  readonly removedAtMs: number | null
  readonly inviteExpiresAtMs: number | null
}

/** The link that creates the first owner of an organization. */
export interface SetupLink {
  readonly organizationId: string
  readonly hash: string
  readonly expiresAtMs: number
}

/** No method returns removed members. */
export interface Members {
  insert(member: Member, inviteHash: string | null): Promise<void>
  /**
   * Replaces all fields except ID, organization and creation time. @param inviteHash null if the member has no open
   * invitation
   */
  update(member: Member, inviteHash: string | null): Promise<void>
  setRole(id: string, role: Role): Promise<void>
  setPassword(id: string, passwordHash: string): Promise<void>
  byId(organizationId: string, id: string): Promise<Member | null>
  byEmail(organizationId: string, email: string): Promise<Member | null>
  /** Returns the member of any organization who signs in with this address. */
  joinedByEmail(email: string): Promise<Member | null>
  /**
   * Returns members with an open invitation to this address, in any organization. The result includes members whose
   * invitation has expired.
   */
  invitedByEmail(email: string): Promise<readonly Member[]>
  bySubject(issuer: string, subject: string): Promise<Member | null>
  byInvite(hash: string): Promise<Member | null>
  list(organizationId: string, page: Page): Promise<Rows<Member>>
  /** Counts the members who have joined. @param role if set, counts only members with this role */
  joinedCount(organizationId: string, role?: Role): Promise<number>
  isAnyoneJoined(): Promise<boolean>
  /** Replaces the organization's link for the first owner. */
  putSetupLink(link: SetupLink): Promise<void>
  setupLink(hash: string): Promise<SetupLink | null>
  removeSetupLink(organizationId: string): Promise<void>
}
