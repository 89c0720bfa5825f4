import type { Identity } from '#domain/people/identity-provider-interface.ts'
import type { Member } from '#domain/people/member-records.ts'
import type { PublicContext } from '#operations/kernel/operation-context.ts'
import { type Refused, refused } from '#operations/kernel/returned-error.ts'

/**
 * Returns the member to whom the identity is bound. If the identity is not bound yet, binds it to the member with the
 * same email address, and accepts that member's pending invitation. Call this in a transaction.
 */
export async function memberOfIdentity(
  { issuer, name, subject, verifiedEmail }: Identity,
  allowedDomains: readonly string[] | null,
  { nowMs, store }: Pick<PublicContext, 'nowMs' | 'store'>,
): Promise<Member | Refused<'not_on_team'>> {
  const domain = verifiedEmail?.split('@').at(-1) ?? ''
  if (allowedDomains !== null && !allowedDomains.includes(domain)) return refused('not_on_team')
  const bound = await store.members.bySubject(issuer, subject)
  if (bound) return bound
  if (verifiedEmail === null) return refused('not_on_team')
  const joined = await store.members.joinedByEmail(verifiedEmail)
  if (joined) {
    // The member is bound to another user of this identity provider, so the email address now belongs to a different
    // user.
    if (joined.oidcIssuer === issuer) return refused('not_on_team')
    const member = { ...joined, oidcIssuer: issuer, oidcSubject: subject }
    await store.members.update(member, null)
    return member
  }
  const invited = await store.members.invitedByEmail(verifiedEmail)
  const [only, ...others] = invited.filter(({ inviteExpiresAtMs }) => (inviteExpiresAtMs ?? 0) > nowMs)
  if (!only || others.length > 0) return refused('not_on_team')
  const member: Member = {
    ...only,
    name: name ?? verifiedEmail,
    oidcIssuer: issuer,
    oidcSubject: subject,
    joinedAtMs: nowMs,
    inviteExpiresAtMs: null,
  }
  await store.members.update(member, null)
  return member
}
