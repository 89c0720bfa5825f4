import * as z from 'zod'
import { operation } from '#operations/kernel/declare-operation.ts'
import { Timestamp } from '#operations/kernel/value-and-page-schemas.ts'

export default operation({
  id: 'portal.signOut',
  method: 'POST',
  path: '/v1/portal/sign-out',
  scope: 'end_user',
  isExtension: true,
  isForReaders: true,
  summary: 'Sign out of the portal',
  description:
    'Ends the current session immediately, on the server. Other sessions of the end user continue.',
  output: z.object({ endedAt: Timestamp.meta({ description: 'When the session ended.' }) }),
  async run(_, { browser, nowMs, session, store }) {
    await store.portals.endSession(session.id)
    browser.end()
    return { endedAt: nowMs }
  },
})
