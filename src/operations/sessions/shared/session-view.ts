import * as z from 'zod'
import { type MemberSession, sessionExpiresAtMs } from '#domain/people/member-sessions.ts'
import type { Member } from '#domain/people/member-records.ts'
import type { Organization } from '#domain/organization-record.ts'
import { Timestamp } from '#operations/kernel/value-and-page-schemas.ts'
import { MemberView, memberView } from '#operations/team/shared/member-view.ts'

export const SessionView = z
  .object({
    id: z.string().meta({ description: 'ID of the session, `ses_…`.' }),
    memberId: z.string().meta({ description: 'ID of the member, `mem_…`.' }),
    address: z.string().meta({ description: 'Network address from which the member signed in.' }),
    userAgent: z.string().meta({ description: 'User agent of the browser at sign-in.' }),
    createdAt: Timestamp.meta({ description: 'When the member signed in.' }),
    lastUsedAt: Timestamp.meta({ description: 'When the session was last used, accurate to ten minutes.' }),
    expiresAt: Timestamp.meta({
      description: 'When the session expires: 30 days after the sign-in, or after 7 days without use.',
    }),
    isCurrent: z.boolean().meta({ description: 'Whether the request uses this session.' }),
  })
  .meta({ id: 'Session', description: 'A sign-in of a member in one browser.' })

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
    id: z.string().meta({ description: 'ID of the session, `ses_…`.' }),
    expiresAt: Timestamp.meta({
      description: 'When the session expires: 30 days after the sign-in, or after 7 days without use.',
    }),
    csrfToken: z.string().meta({
      description:
        'Value of the header `x-csrf-token`, which a page must send with every request other than GET.',
    }),
    activeApplication: z.string().nullable().meta({
      description:
        'Slug of the application that `apps.use` made active for the session. Null if no application is active.',
    }),
    member: MemberView.meta({ description: 'Signed-in member.' }),
    organization: z
      .object({
        id: z.string().meta({ description: 'ID of the organization, `org_…`.' }),
        name: z.string().meta({ description: 'Name of the organization.' }),
      })
      .meta({ description: 'Organization of the member.' }),
  })
  .meta({ id: 'SignedIn', description: 'A session and its member. The secret is only in the cookie.' })

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
