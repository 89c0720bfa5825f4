import assert from 'node:assert/strict'
import type * as z from 'zod'
import { memberActor } from '#domain/people/caller-types.ts'
import { idOf } from '#domain/ids-sorted-by-time.ts'
import type { MemberSession } from '#domain/people/member-sessions.ts'
import type { Member } from '#domain/people/member-records.ts'
import { randomText } from '#domain/secrets/random-link-and-cookie-secrets.ts'
import { sha256 } from '#domain/secrets/sha256.ts'
import type { PublicContext } from '#operations/kernel/operation-context.ts'
import { signedIn, type SignedIn } from './session-view.ts'

/**
 * Ends the browser's previous session. The browser's cookie contains the session's secret, of which the server stores
 * only a hash.
 */
export async function startSession(
  member: Member,
  context: Pick<PublicContext, 'store' | 'nowMs' | 'ports' | 'client' | 'browser' | 'actAs'>,
): Promise<z.output<typeof SignedIn>> {
  const { actAs, browser, client, nowMs, ports, store } = context
  const organization = await store.organizations.byId(member.organizationId)
  assert(organization, `the member ${member.id} has no organization`)
  const session: MemberSession = {
    id: idOf('ses', ports.newId()),
    organizationId: organization.id,
    memberId: member.id,
    address: client.address,
    userAgent: client.userAgent,
    activeApplicationId: null,
    createdAtMs: nowMs,
    lastUsedAtMs: nowMs,
  }
  // This browser loses the cookie of its former session, and could no longer end that session.
  if (browser.formerSessionHash !== null) await store.memberSessions.removeByHash(browser.formerSessionHash)
  const secret = randomText(ports)
  await store.memberSessions.insert(session, sha256(secret))
  actAs({ organization, actor: memberActor(member, session) })
  return signedIn(session, member, organization, {
    activeApplication: null,
    csrfToken: browser.begin(secret),
  })
}
