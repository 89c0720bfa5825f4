/**
 * Signs in with a link from your product (`#handoff=ph_…`). End users can sign in only with such a link. The token of
 * the link works once, and is removed from the address bar before any request is sent.
 */
import { sameHostPath } from '#safe-text/same-host-path.ts'
import { readAccount } from './account-and-plan-hooks.ts'
import { keep } from './response-cache.ts'
import { handoffOf } from './pages-of-url-paths.ts'
import { become, client, isCode } from './end-user-session.ts'

/**
 * Keep the token until the server has accepted or rejected it, so that a failed connection does not use up the link.
 */
let token: string | null = null

export async function signInByLink(): Promise<void> {
  token = handoffOf(location.hash) ?? token
  if (location.hash !== '') history.replaceState(null, '', location.pathname + location.search)
  become({ state: 'opening' })
  try {
    if (token !== null) {
      const { returnPath } = await client.portal.redeem({ token })
      token = null
      // The server also checks the path, but a page must check the path before it navigates.
      history.replaceState(null, '', sameHostPath(returnPath) ?? '/')
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
