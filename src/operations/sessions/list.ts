import { isRoleAtLeast } from '#domain/people/role.ts'
import { operation } from '#operations/operation.ts'
import { findIfNamed, ownMember } from '#operations/own.ts'
import { Refused, refused } from '#operations/refused.ts'
import { answerOf, listOf, MemberEmail, pageOf, pageQuery } from '#operations/schemas.ts'
import { SessionView, sessionView } from './session-view.ts'

export default operation({
  id: 'sessions.list',
  method: 'GET',
  path: '/v1/sessions',
  scope: 'organization',
  isExtension: true,
  summary: 'List sessions',
  description:
    'Sessions that have not ended, newest first: those of the member who asks, or for an admin, or a token with that role, those of another member or of the whole team.',
  query: {
    ...pageQuery,
    email: MemberEmail.optional().meta({
      description:
        'Sessions of this member only. When left out: one’s own, and for a token those of the team.',
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
