// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions } from '../settings.ts'
import type { Open } from './types.ts'
import type * as types from './types.ts'

/** What auth.token answers. */
export interface AuthTokenOutput {
  /** ID of the token, `apk_…`. */
  id: string
  /** Display name of the token. */
  label: string
  /** First characters of the secret, safe to display. */
  prefix: string
  /** Last characters of the secret, safe to display. */
  lastFour: string
  /** Role of the token. */
  role: Open<'viewer' | 'developer' | 'admin' | 'owner'>
  /** ID of the only application that the token can use, `app_…`. Null means every application. */
  applicationId: string | null
  /**
   * ID of the member who signed in on the device that stores the token, `mem_…`. Null for a token of the
   * organization.
   */
  memberId: string | null
  /**
   * Creator of the token. Null if the operator of the server created it, or if it was created before
   * creators were recorded.
   */
  createdBy: types.TokenCreator | null
  /** When the token was created. ISO 8601. */
  createdAt: string
  /** When the token expires. Null if it never expires. ISO 8601. */
  expiresAt: string | null
  /** When the token was last used, accurate to ten minutes. Null if it was never used. ISO 8601. */
  lastUsedAt: string | null
  /** When the token was revoked. Null if it was not revoked. ISO 8601. */
  revokedAt: string | null
  /** Slug of the active application, set with `apps.use`. Null if no application is active. */
  activeApplication: string | null
}

/** What auth.whoami answers. */
export interface AuthWhoamiOutput {
  /** Organization of the token or member. */
  organization: {
    /** ID of the organization, `org_…`. */
    id: string
    /** Name of the organization. */
    name: string
    /** Code of the organization, which is the `<code>` part of its tokens. */
    code: string
  }
  /** Token of the request. Null if a member is signed in. */
  token: types.Token | null
  /** Signed-in member. Null if the request uses a token. */
  member: types.Member | null
}

/** The credential of the request. */
export class Auth {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * Show the token in use. Returns the token of this request and its active application. If the request
   * uses a session instead, use `sessions.current`.
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
   * Show the caller. Returns the caller, which is a token or a signed-in member, and the organization of
   * the caller.
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
