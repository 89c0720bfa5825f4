/** The team of an organization: people who sign in, and those who are invited. */
import type { Role } from './role.ts'
import type { Page, Rows } from '#domain/records.ts'

export interface Member {
  readonly id: string
  readonly organizationId: string
  /** Lower case. Of all people who have joined, one has it. */
  readonly email: string
  /** Null until the person has accepted. */
  readonly name: string | null
  readonly role: Role
  /** As passwords.ts writes it; null: the person has none. */
  readonly passwordHash: string | null
  /** Who they are to the identity provider; null: they never came from there. */
  readonly oidcIssuer: string | null
  readonly oidcSubject: string | null
  readonly createdAtMs: number
  /** Null: the invitation is open. */
  readonly joinedAtMs: number | null
  readonly removedAtMs: number | null
  /** When the open invitation expires. */
  readonly inviteExpiresAtMs: number | null
}

/** The link that makes the first owner of an organization. */
export interface SetupLink {
  readonly organizationId: string
  readonly hash: string
  readonly expiresAtMs: number
}

/** A removed member is found by none of these. */
export interface Members {
  insert(member: Member, inviteHash: string | null): Promise<void>
  /** Replaces all fields but id, organization and creation time. @param inviteHash null: no link is open */
  update(member: Member, inviteHash: string | null): Promise<void>
  setRole(id: string, role: Role): Promise<void>
  setPassword(id: string, passwordHash: string): Promise<void>
  byId(organizationId: string, id: string): Promise<Member | null>
  byEmail(organizationId: string, email: string): Promise<Member | null>
  /** Who signs in with this address, in any organization. */
  joinedByEmail(email: string): Promise<Member | null>
  /** Whoever has an open invitation to this address, in any organization; expired ones too. */
  invitedByEmail(email: string): Promise<readonly Member[]>
  bySubject(issuer: string, subject: string): Promise<Member | null>
  byInvite(hash: string): Promise<Member | null>
  list(organizationId: string, page: Page): Promise<Rows<Member>>
  /** Who has joined. @param role those of the role alone */
  joinedCount(organizationId: string, role?: Role): Promise<number>
  /** Whether anybody has joined, in any organization. */
  isAnyoneJoined(): Promise<boolean>
  /** Replaces the organization's own. */
  putSetupLink(link: SetupLink): Promise<void>
  setupLink(hash: string): Promise<SetupLink | null>
  removeSetupLink(organizationId: string): Promise<void>
}
