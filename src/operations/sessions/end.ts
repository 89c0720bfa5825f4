import * as z from 'zod'
import { operation } from '#operations/kernel/declare-operation.ts'
import { ownSession } from '#operations/kernel/find-resources-of-caller.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'
import { text } from '#operations/kernel/value-and-page-schemas.ts'
import { SessionView, sessionView } from '#operations/sessions/shared/session-view.ts'

export default operation({
  id: 'sessions.end',
  method: 'POST',
  path: '/v1/sessions/{id}/end',
  scope: 'organization',
  isExtension: true,
  leastRole: 'viewer',
  summary: 'End a session',
  description:
    "Ends a session. The next request of the session returns 401 `session_ended`. All portal sessions that the session's member opened also end. Ending the session of another member requires the admin role.\n\n- To end any session but the current one, a member with a password must send the password. The password keeps an intruder in one browser from ending the member's other sessions.\n- A request with a token needs no password.",
  parameters: { id: ownSession.schema },
  body: z.strictObject({
    password: text(256).optional().meta({
      description:
        'Current password of the signed-in member. Omit for a token, for a member without a password, and for the current session.',
    }),
  }),
  output: SessionView,
  errors: ['not_found', 'wrong_password'],
  guessable: 'password',
  async prepare({ body: { password = '' }, path }, context) {
    const { actor, client, ports } = context
    const session = await ownSession.find(path.id, context)
    if (session instanceof Refused) return session
    if (actor.kind !== 'member' || session.id === actor.session.id) return undefined
    const { email, passwordHash } = actor.member
    if (passwordHash === null) return undefined
    const caller = { address: client.address, proof: actor.session.id }
    const isRight = await ports.passwords.isRight(email, password, passwordHash, caller)
    return isRight ? undefined : refused('wrong_password', {}, 'password')
  },
  async run({ path }, context) {
    const session = await ownSession.find(path.id, context)
    if (session instanceof Refused) return session
    await context.store.memberSessions.remove(session.id)
    // The store does not know from which of the member's sessions a portal session was opened.
    await context.store.portals.endVisitsOpenedBy(session.memberId, 'in_session')
    return sessionView(session, context.actor.credentialId)
  },
})
