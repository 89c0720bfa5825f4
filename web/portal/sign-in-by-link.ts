/**
 * End users can sign in only with a link of the application (`#handoff=ph_…`). The token works once, and is removed
 * from the address bar before any request is sent.
 */
import { sameHostPath } from '#safe-text/same-host-path.ts'
import { readAccount } from './account-and-plan-hooks.ts'
import { keep } from './response-cache.ts'
import { handoffOf } from './pages-of-url-paths.ts'
import { go } from './portal-router.tsx'
import { become, client, isCode } from './end-user-session.ts'

/** A failed connection does not use up the link, so keep the token until the server has accepted or rejected it. */
let token: string | null = null

export async function signInByLink(): Promise<void> {
  token = handoffOf(location.hash) ?? token
  if (location.hash !== '') go(location.pathname + location.search, { replace: true })
  become({ state: 'opening' })
  try {
    if (token !== null) {
      const { returnPath } = await client.portal.redeem({ token })
      token = null
      // A page must check the path before it navigates, although the server also checks it.
      go(sameHostPath(returnPath) ?? '/', { replace: true })
    }
    const account = await readAccount()
    client.csrfToken = account.session.csrfToken
    keep('account', account)
    become({ state: 'open' })
  } catch (error) {
    if (isCode(error, 'invalid_handoff')) {
      token = null
      become({ state: 'link_refused' })
    } else if (isCode(error, 'portal_session_required')) become({ state: 'absent' })
    else become({ state: 'failed', error })
  }
}
