import type { MemberSession } from './member-sessions.ts'
import type { Member } from './member-records.ts'
import type { Token } from './token-record.ts'
import type { Role } from './team-roles.ts'

export type Actor = TokenActor | MemberActor

interface ActorFacts {
  readonly id: string
  readonly credentialId: string
  /** Display name: the label of a token, or the email address of a member. */
  readonly label: string
  readonly role: Role
  /** Null means every application of the caller's organization. */
  readonly applicationId: string | null
  /** The application that `apps.use` selected for the caller. */
  readonly activeApplicationId: string | null
}

export interface TokenActor extends ActorFacts {
  readonly kind: 'token'
  readonly token: Token
}

export interface MemberActor extends ActorFacts {
  readonly kind: 'member'
  readonly member: Member
  readonly session: MemberSession
}

export function tokenActor(token: Token): TokenActor {
  const { activeApplicationId, applicationId, id, label, role } = token
  return { kind: 'token', id, credentialId: id, label, role, applicationId, activeApplicationId, token }
}

export function memberActor(member: Member, session: MemberSession): MemberActor {
  const { email, id, role } = member
  const { activeApplicationId } = session
  const facts = { id, credentialId: session.id, label: email, role, applicationId: null, activeApplicationId }
  return { kind: 'member', ...facts, member, session }
}

/** An end user is not a member of the team and has no role. */
export interface EndUserActor {
  readonly kind: 'end_user'
  readonly id: string
  /**
   * The label is the end user's ID. Records of actions are kept, but the external ID is deleted together with the end
   * user.
   */
  readonly label: string
  /** The member of the team who acts in the end user's portal. */
  readonly openedBy: { readonly id: string; readonly label: string } | null
}
