/**
 * How one comes in: by the link of the product alone (`#handoff=ph_…`), whose token is spent once and is out of the
 * address bar before anything is asked.
 */
import { readAccount } from './account.ts'
import { keep } from './answers.ts'
import { handoffOf, safeReturnPath } from './routes.ts'
import { become, client, isCode } from './session.ts'

/** Kept until the server has taken it or refused it: a connection that fails spends no link. */
let token: string | null = null

export async function enter(): Promise<void> {
  token = handoffOf(location.hash) ?? token
  if (location.hash !== '') history.replaceState(null, '', location.pathname + location.search)
  become({ state: 'opening' })
  try {
    if (token !== null) {
      const { returnPath } = await client.portal.redeem({ token })
      token = null
      history.replaceState(null, '', safeReturnPath(returnPath))
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
