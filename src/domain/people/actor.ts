/** Who makes a request to the control plane. */
import type { MemberSession } from './member-sessions.ts'
import type { Member } from './members.ts'
import type { Token } from '#domain/records.ts'
import type { Role } from './role.ts'

export type Actor = TokenActor | MemberActor

interface ActorFacts {
  readonly id: string
  /** Of what it calls with: its own, or that of the session. */
  readonly credentialId: string
  /** Its name for people: the label of a token, the e-mail address of a member. */
  readonly label: string
  readonly role: Role
  /** The one application that it may use; null: every one of its organization. */
  readonly applicationId: string | null
  /** The application that `apps.use` chose for it. */
  readonly activeApplicationId: string | null
}

export interface TokenActor extends ActorFacts {
  readonly kind: 'token'
  readonly token: Token
}

/** A person of the team, who has signed in. */
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

/** A person of an application who is signed in at its portal: no member of its team, and without a role in it. */
export interface EndUserActor {
  readonly kind: 'end_user'
  readonly id: string
  /** The same: the customer's own id of the person is forgotten with the person. */
  readonly label: string
  /** The member of the team who acts in their portal. Null: they act themselves. */
  readonly openedBy: { readonly id: string; readonly label: string } | null
}
