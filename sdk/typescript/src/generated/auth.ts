// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions } from '../settings.ts'
import type { Open } from './types.ts'
import type * as types from './types.ts'

/** What auth.token answers. */
export interface AuthTokenOutput {
  /** Id of the token, `apk_…`. */
  id: string
  /** Name for people. */
  label: string
  /** First characters of the secret; safe to show. */
  prefix: string
  /** Last characters of the secret; safe to show. */
  lastFour: string
  /** The role whose operations it may call. */
  role: Open<'viewer' | 'developer' | 'admin' | 'owner'>
  /** Id of the one application that it may use, `app_…`; null: every one. */
  applicationId: string | null
  /**
   * Id of the member who signed in on the device that holds it, `mem_…`; null: a token of the organization.
   */
  memberId: string | null
  /**
   * Who created the token. Null if the server’s operator created it, or if it was created before creators
   * were recorded.
   */
  createdBy: types.TokenCreator | null
  /** When the token was created. ISO 8601. */
  createdAt: string
  /** When the token expires. Null if it never expires. ISO 8601. */
  expiresAt: string | null
  /** When it was last used, to ten minutes; null: never. ISO 8601. */
  lastUsedAt: string | null
  /** When the token was revoked. Null if it was not revoked. ISO 8601. */
  revokedAt: string | null
  /** Slug of the application that `apps.use` made active; null: none. */
  activeApplication: string | null
}

/** What auth.whoami answers. */
export interface AuthWhoamiOutput {
  /** The organization that the token or the member is bound to. */
  organization: {
    /** Id of the organization, `org_…`. */
    id: string
    /** Its name. */
    name: string
    /** The `<code>` in its tokens. */
    code: string
  }
  /** The token in use; null: a member has signed in. */
  token: types.Token | null
  /** The member who has signed in; null: a token calls. */
  member: types.Member | null
}

/** Who makes a request. */
export class Auth {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * Show the token in use. The token of this request, and the application that it made active. A session
   * has none: sessions.current shows it.
   *
   * GET /v1/auth/token
   * @throws ApiError no_token_in_use
   */
  token(input?: Record<string, never>, options?: CallOptions): Call<AuthTokenOutput> {
    return this.#sender.call(
      { id: 'auth.token', method: 'GET', path: '/v1/auth/token' },
      input,
      options,
    )
  }

  /**
   * Show who the token is. The organization of the caller, and the caller: a token, or a member who has
   * signed in.
   *
   * GET /v1/whoami
   */
  whoami(input?: Record<string, never>, options?: CallOptions): Call<AuthWhoamiOutput> {
    return this.#sender.call(
      { id: 'auth.whoami', method: 'GET', path: '/v1/whoami' },
      input,
      options,
    )
  }
}
