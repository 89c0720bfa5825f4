/**
 * What an end user may see and do: the one part that is for browsers as well. On a page of the portal's host the
 * session is a cookie; elsewhere it is the `ps_` secret of `portal.redeem`.
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
  /** A `ps_` session; left out: the cookie of the page. */
  readonly token?: string | null | undefined
  /** Address of the portal, or of the control plane; on a page, its own host when left out. */
  readonly baseUrl?: string | undefined
}

export class TollgatePortal {
  readonly portal: EndUserPortal
  #csrfToken: string | null = null

  /** @throws TollgateError when an option cannot be what it is */
  constructor({ baseUrl, token = null, ...options }: PortalOptions = {}) {
    if (token?.startsWith('sk_')) {
      throw new TollgateError(
        'An sk_ token can mint keys and is not for the portal; redeem a handoff instead.',
      )
    }
    this.portal = new EndUserPortal(
      new Sender({ ...options, token, baseUrl: baseUrl ?? pageOrigin() }, () =>
        this.#csrfToken === null ? {} : { 'x-csrf-token': this.#csrfToken },
      ),
    )
  }

  /** What a page sends with each change: of `portal.redeem` or `portal.account`. Null: there is no cookie. */
  set csrfToken(token: string | null) {
    this.#csrfToken = token
  }
}
