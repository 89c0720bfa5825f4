/** Who makes a request to the control plane. */
import type { Token } from './records.ts'
import type { Role } from './role.ts'

export type Actor = TokenActor

interface ActorFacts {
  readonly id: string
  /** Its name for people: the label of a token. */
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

export function tokenActor(token: Token): TokenActor {
  const { activeApplicationId, applicationId, id, label, role } = token
  return { kind: 'token', id, label, role, applicationId, activeApplicationId, token }
}

/** A person of an application who is signed in at its portal: no member of its team, and without a role in it. */
export interface EndUserActor {
  readonly kind: 'end_user'
  readonly id: string
  /** The same: the customer's own id of the person is forgotten with the person. */
  readonly label: string
}
