import { isRoleAtLeast } from '#domain/people/team-roles.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { findIfNamed, ownMember } from '#operations/kernel/find-resources-of-caller.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'
import {
  answerOf,
  listOf,
  MemberEmail,
  pageOf,
  pageQuery,
} from '#operations/kernel/value-and-page-schemas.ts'
import { SessionView, sessionView } from '#operations/sessions/shared/session-view.ts'

export default operation({
  id: 'sessions.list',
  method: 'GET',
  path: '/v1/sessions',
  scope: 'organization',
  isExtension: true,
  summary: 'List sessions',
  description:
    "Returns sessions that have not ended, newest first. By default, members get their own sessions, and tokens get the sessions of the whole team. Reading sessions other than the member's own requires the admin role.",
  query: {
    ...pageQuery,
    email: MemberEmail.optional().meta({
      description:
        'Email address of a member. Returns only sessions of this member. Defaults to the signed-in member, or to the whole team for a token.',
    }),
  },
  output: listOf(SessionView),
  errors: ['not_found', 'role_required'],
  async run({ query }, context) {
    const { actor, nowMs, organization, store } = context
    const isOwn = actor.kind === 'member' && (query.email ?? actor.label) === actor.label
    if (!isOwn && !isRoleAtLeast(actor.role, 'admin')) {
      return refused('role_required', { role: actor.role, needed: 'admin' }, 'email')
    }
    const member = isOwn ? actor : await findIfNamed(ownMember, query.email, context, 'email')
    if (member instanceof Refused) return member
    const page = await store.memberSessions.list(organization.id, member?.id ?? null, nowMs, pageOf(query))
    return answerOf(page, (session) => sessionView(session, actor.credentialId))
  },
})
