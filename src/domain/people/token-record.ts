import type { Role } from './team-roles.ts'

/** Only the SHA-256 of the secret is stored. */
export interface Token {
  readonly id: string
  readonly organizationId: string
  readonly label: string
  readonly prefix: string
  readonly lastFour: string
  readonly role: Role
  /** Null means every application of its organization. */
  readonly applicationId: string | null
  /** The member who signed in on the device that has the token. Null if the token belongs to the organization. */
  readonly memberId: string | null
  /** Null if the operator created the token on the server, or if the token was created before this field existed. */
  readonly createdByKind: 'member' | 'token' | null
  readonly createdById: string | null
  readonly createdByLabel: string | null
  /** The member who created the token, directly or through a chain of tokens. */
  readonly createdByMemberId: string | null
  readonly activeApplicationId: string | null
  readonly createdAtMs: number
  readonly lastUsedAtMs: number | null
  readonly revokedAtMs: number | null
  readonly expiresAtMs: number | null
}
