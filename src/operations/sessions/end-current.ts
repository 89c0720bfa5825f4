import assert from 'node:assert/strict'
import { operation } from '#operations/kernel/declare-operation.ts'
import { SessionView, sessionView } from '#operations/sessions/shared/session-view.ts'

export default operation({
  id: 'sessions.endCurrent',
  method: 'DELETE',
  path: '/v1/sessions/current',
  scope: 'organization',
  isExtension: true,
  isForPeople: true,
  leastRole: 'viewer',
  summary: 'Sign out',
  description:
    'Ends the session of this request and deletes its cookie. All portal sessions that the member opened also end.',
  output: SessionView,
  async run(_, { actor, browser, store }) {
    assert(actor.kind === 'member', 'the operation requires a member')
    await store.memberSessions.remove(actor.session.id)
    await store.portals.endVisitsOpenedBy(actor.id, 'in_session')
    browser.end()
    return sessionView(actor.session, actor.session.id)
  },
})
