import { isRoleAtLeast } from '#domain/people/team-roles.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import { ownMember } from '#operations/kernel/find-resources-of-caller.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'
import {
  answerOf,
  listOf,
  MemberEmail,
  pageOf,
  pageQuery,
} from '#operations/kernel/value-and-page-schemas.ts'
import { PasskeyView, passkeyView } from '#operations/passkeys/shared/passkey-view.ts'

export default operation({
  id: 'passkeys.list',
  method: 'GET',
  path: '/v1/passkeys',
  scope: 'organization',
  isExtension: true,
  summary: 'List passkeys',
  description:
    "Returns the passkeys of a member, newest first. Reading another member's passkeys requires the admin role.",
  query: {
    ...pageQuery,
    email: MemberEmail.optional().meta({
      description:
        'Email address of the member. Defaults to the signed-in member. Required if the request uses a token.',
    }),
  },
  output: listOf(PasskeyView),
  errors: ['not_found', 'role_required'],
  async run({ query }, context) {
    const { actor, store } = context
    const email = query.email ?? (actor.kind === 'member' ? actor.label : undefined)
    if (email === undefined) return refused('invalid_request', { reason: 'email is required.' }, 'email')
    if (email !== actor.label && !isRoleAtLeast(actor.role, 'admin')) {
      return refused('role_required', { role: actor.role, needed: 'admin' }, 'email')
    }
    const member = await ownMember.find(email, context, 'email')
    if (member instanceof Refused) return member
    return answerOf(store.passkeys.list(member.id, pageOf(query)), passkeyView)
  },
})
