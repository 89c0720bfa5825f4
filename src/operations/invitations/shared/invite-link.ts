import { isRandomText } from '#domain/secrets/random-link-and-cookie-secrets.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import type { Member } from '#domain/people/member-records.ts'
import type { PublicContext } from '#operations/kernel/operation-context.ts'
import { text } from '#operations/kernel/value-and-page-schemas.ts'

export const InviteToken = text(64).meta({ description: 'Secret of the link: the part after `#`.' })

export type Joining = { readonly expiresAtMs: number } & (
  | { readonly kind: 'invited'; readonly member: Member }
  | { readonly kind: 'first_owner'; readonly organizationId: string }
)

/** Null if the link cannot be used now. */
export async function joiningBy(token: string, { nowMs, store }: PublicContext): Promise<Joining | null> {
  if (!isRandomText(token)) return null
  const hash = sha256(token)
  const member = await store.members.byInvite(hash)
  if (member) {
    const expiresAtMs = member.inviteExpiresAtMs ?? 0
    return expiresAtMs > nowMs ? { kind: 'invited', member, expiresAtMs } : null
  }
  const link = await store.members.setupLink(hash)
  if (!link || link.expiresAtMs <= nowMs) return null
  const { expiresAtMs, organizationId } = link
  const hasOwner = (await store.members.joinedCount(organizationId, 'owner')) > 0
  return hasOwner ? null : { kind: 'first_owner', organizationId, expiresAtMs }
}
