import assert from 'node:assert/strict'
import { operation } from '#operations/kernel/declare-operation.ts'
import { SignedIn, signedIn } from '#operations/sessions/shared/session-view.ts'

export default operation({
  id: 'sessions.current',
  method: 'GET',
  path: '/v1/sessions/current',
  scope: 'organization',
  isExtension: true,
  isForPeople: true,
  summary: 'Show the current session',
  description:
    'Returns the session and the signed-in member. A page must send the value of `csrfToken` as the header `x-csrf-token`. The response contains the token in the body and in the header `x-csrf-token`, so that a reloaded page can read the token again.',
  output: SignedIn,
  async run(_, { actor, browser, organization, setHeader, store }) {
    assert(actor.kind === 'member' && browser.csrfToken !== null, 'a session has a member and a token')
    setHeader('x-csrf-token', browser.csrfToken)
    const activeId = actor.activeApplicationId
    const active = activeId === null ? null : await store.applications.byId(organization.id, activeId)
    return signedIn(actor.session, actor.member, organization, {
      activeApplication: active?.slug ?? null,
      csrfToken: browser.csrfToken,
    })
  },
})
