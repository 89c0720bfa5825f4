/**
 * The operations of an end user who is signed in to the portal. The client can also be used in browsers. On a page of
 * the portal's host, the session is a cookie. Elsewhere, the session is the `ps_` secret that `portal.redeem` returns.
 *
 *   const client = new TollgatePortal()
 *   const { session } = await client.portal.account()
 *   client.csrfToken = session.csrfToken
 *   await client.portal.mintKey({ name: 'laptop' })
 */
import { TollgateError } from './errors.ts'
import { EndUserPortal } from './generated/portal.ts'
import { Sender } from './sender.ts'
import { pageOrigin, type ClientOptions } from './settings.ts'

export * from './errors.ts'
export { dollars, formatMicros } from './money.ts'
export type { Call, WithResponse } from './call.ts'
export type { Page, PageCall } from './page.ts'
export type { CallOptions, Clock, Mode } from './settings.ts'
export type { ErrorCode } from './generated/error-code.ts'
export type * from './generated/portal.ts'
export type * as types from './generated/types.ts'

export interface PortalOptions extends Omit<ClientOptions, 'app' | 'mode'> {
  /** The secret of a session, which begins with `ps_`. Defaults to the session cookie of the page. */
  readonly token?: string | null | undefined
  /** Address of the portal or of the control plane. On a page, defaults to the host of the page. */
  readonly baseUrl?: string | undefined
}

export class TollgatePortal {
  readonly portal: EndUserPortal
  #csrfToken: string | null = null

  /** @throws TollgateError if an option is not valid */
  constructor({ baseUrl, token = null, ...options }: PortalOptions = {}) {
    if (token?.startsWith('sk_')) {
      throw new TollgateError(
        'An sk_ token can create keys and must not be used for the portal. Redeem a handoff instead.',
      )
    }
    this.portal = new EndUserPortal(
      new Sender({ ...options, token, baseUrl: baseUrl ?? pageOrigin() }, () =>
        this.#csrfToken === null ? {} : { 'x-csrf-token': this.#csrfToken },
      ),
    )
  }

  /** CSRF token for changes, from `portal.redeem` or `portal.account`. Null if the session is not a cookie. */
  set csrfToken(token: string | null) {
    this.#csrfToken = token
  }
}
