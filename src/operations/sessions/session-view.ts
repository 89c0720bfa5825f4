import * as z from 'zod'
import { type MemberSession, sessionExpiresAtMs } from '#domain/people/member-sessions.ts'
import type { Member } from '#domain/people/members.ts'
import type { Organization } from '#domain/records.ts'
import { Timestamp } from '#operations/schemas.ts'
import { MemberView, memberView } from '#operations/team/member-view.ts'

export const SessionView = z
  .object({
    id: z.string().meta({ description: 'Id of the session, `ses_…`.' }),
    memberId: z.string().meta({ description: 'Id of the member whose it is, `mem_…`.' }),
    address: z.string().meta({ description: 'Network address from which the member signed in.' }),
    userAgent: z.string().meta({ description: 'What the browser called itself then.' }),
    createdAt: Timestamp.meta({ description: 'When the member signed in.' }),
    lastUsedAt: Timestamp.meta({ description: 'When the session was last used, to ten minutes.' }),
    expiresAt: Timestamp.meta({
      description: 'When it ends by itself: 30 days after the sign-in, or after 7 days without use.',
    }),
    isCurrent: z.boolean().meta({ description: 'True: the session of this request.' }),
  })
  .meta({ id: 'Session', description: 'A person who is signed in on one browser.' })

export function sessionView(session: MemberSession, currentId: string | null): z.output<typeof SessionView> {
  return {
    id: session.id,
    memberId: session.memberId,
    address: session.address,
    userAgent: session.userAgent,
    createdAt: session.createdAtMs,
    lastUsedAt: session.lastUsedAtMs,
    expiresAt: sessionExpiresAtMs(session),
    isCurrent: session.id === currentId,
  }
}

export const SignedIn = z
  .object({
    id: z.string().meta({ description: 'Id of the session, `ses_…`.' }),
    expiresAt: Timestamp.meta({ description: 'When it ends by itself.' }),
    csrfToken: z.string().meta({
      description: 'What a page sends as the header `x-csrf-token` with every request that is not a GET.',
    }),
    activeApplication: z.string().nullable().meta({
      description: 'Slug of the application that `apps.use` made active for the session; null: none.',
    }),
    member: MemberView.meta({ description: 'Who is signed in.' }),
    organization: z
      .object({
        id: z.string().meta({ description: 'Id of the organization, `org_…`.' }),
        name: z.string().meta({ description: 'Its name.' }),
      })
      .meta({ description: 'The organization whose team it is.' }),
  })
  .meta({ id: 'SignedIn', description: 'A session and whose it is. Its secret is in the cookie alone.' })

/** @param activeApplication the slug of the active application; null if there is none */
export function signedIn(
  session: MemberSession,
  member: Member,
  { id, name }: Organization,
  { activeApplication, csrfToken }: { readonly activeApplication: string | null; readonly csrfToken: string },
): z.output<typeof SignedIn> {
  return {
    id: session.id,
    expiresAt: sessionExpiresAtMs(session),
    csrfToken,
    activeApplication,
    member: memberView(member),
    organization: { id, name },
  }
}
