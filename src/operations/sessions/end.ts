import { operationOn } from '#operations/operation.ts'
import { ownSession } from '#operations/own.ts'
import { SessionView, sessionView } from './session-view.ts'

export default operationOn(ownSession, {
  id: 'sessions.end',
  method: 'DELETE',
  path: '/v1/sessions/{id}',
  isExtension: true,
  leastRole: 'viewer',
  summary: 'End a session',
  description:
    'The session is refused from the next request on. A member ends their own; an admin those of anybody on the team.',
  output: SessionView,
  async run(session, { actor, store }) {
    await store.memberSessions.remove(session.id)
    return sessionView(session, actor.credentialId)
  },
})
