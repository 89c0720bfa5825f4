// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { PageCall } from '../page.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions, ConditionalOptions } from '../settings.ts'
import type * as types from './types.ts'

/** Of sessions.list: list sessions. */
export interface SessionsListInput {
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. Omit for the first page. At most 1200 characters. */
  cursor?: string | undefined
  /**
   * Email address of a member. Returns only sessions of this member. Defaults to the signed-in member, or
   * to the whole team for a token. At most 254 characters.
   */
  email?: string | undefined
}

/** What sessions.list answers. */
export interface SessionsListOutput {
  data: types.Session[]
  nextCursor: string | null
}

/** Of sessions.create: sign in with a password. */
export interface SessionsCreateInput {
  /** Email address of the member. At most 254 characters. */
  email: string
  /** Password of the member. 1 to 256 characters. */
  password: string
  /**
   * Response of a registered passkey to the challenge of sessions.passkeyChallenge. Required if the member
   * has a passkey.
   */
  passkey?: types.UsedCredential | undefined
  /**
   * New passkey for the same challenge. Required if the organization requires passkeys and the member has
   * no passkey.
   */
  newPasskey?: {
    /** Display name of the passkey. 1 to 64 characters. */
    name: string
    credential: types.NewCredential
  } | undefined
}

/** What sessions.options answers. */
export interface SessionsOptionsOutput {
  /**
   * Whether a member has joined a team. If false, the link that the server prints at its first start
   * creates the first owner.
   */
  isSetUp: boolean
  /** Whether members can sign in with a password. */
  password: boolean
  /** Identity provider for sign-ins. Null if no identity provider is configured. */
  oidc: {
    /** Host name of the identity provider. */
    label: string
    /** Path at which the sign-in begins. */
    path: string
  } | null
}

/** Of sessions.passkey: sign in with a passkey. */
export interface SessionsPasskeyInput {
  credential: types.UsedCredential
}

/** Of sessions.passkeyChallenge: start signing in with a passkey. */
export interface SessionsPasskeyChallengeInput {
  /** Email address for which sessions.create is to register a new passkey. At most 254 characters. */
  email?: string | undefined
}

/** Of sessions.password: change the member's password. */
export interface SessionsPasswordInput {
  /** Current password. Omit if the member has no password. 1 to 256 characters. */
  currentPassword?: string | undefined
  /**
   * Password, 12 to 256 characters. Passwords that are easy to guess are rejected, such as common
   * passwords, repetitions, sequences and keyboard rows. The member's email address and the names of
   * member, organization and product are rejected too. 12 to 256 characters.
   */
  newPassword: string
}

/** Of sessions.setPolicy: change the sign-in policy. */
export interface SessionsSetPolicyInput {
  /**
   * Whether members need a passkey to sign in with a password. Sign-ins with the identity provider are not
   * affected.
   */
  passkeyRequired: boolean
}

/** Of sessions.end: end a session. */
export interface SessionsEndInput {
  /** ID of the session, `ses_…`. 1 to 64 characters. */
  id: string
  /**
   * Current password of the signed-in member. Omit for a token, for a member without a password, and for
   * the current session. 1 to 256 characters.
   */
  password?: string | undefined
}

/** Sign-ins of team members. */
export class Sessions {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List sessions. Returns sessions that have not ended, newest first. By default, members get their own
   * sessions, and tokens get the sessions of the whole team. Reading sessions other than the member's own
   * requires the admin role.
   *
   * GET /v1/sessions (an extension)
   * @throws ApiError not_found, role_required
   */
  list(input?: SessionsListInput, options?: CallOptions): PageCall<types.Session, SessionsListOutput> {
    return this.#sender.page(
      { id: 'sessions.list', method: 'GET', path: '/v1/sessions', query: ['limit', 'cursor', 'email'] },
      input,
      options,
    )
  }

  /**
   * Sign in with a password. Starts a session and ends the previous session of the browser. The secret is
   * set as a cookie that scripts cannot read. A wrong address and a wrong password return the same error.
   * Attempts are limited:
   * - After five wrong passwords in a row, each attempt for the address is delayed by up to 8 seconds. The
   * right password is still accepted.
   * - A network address has 10 attempts per minute.
   * - A browser in which the member has signed in before sends a second cookie, so its attempts are counted
   * and queued separately.
   *
   * POST /v1/sessions (an extension)
   * @throws ApiError sign_in_failed, passkey_required, passkey_rejected
   */
  create(input: SessionsCreateInput, options?: CallOptions): Call<types.SignedIn> {
    return this.#sender.call(
      { id: 'sessions.create', method: 'POST', path: '/v1/sessions', body: 'json' },
      input,
      options,
    )
  }

  /**
   * Show the current session. Returns the session and the signed-in member. The value that a page must send
   * as `x-csrf-token` is in the body and in the header of that name, for pages that were reloaded.
   *
   * GET /v1/sessions/current (an extension)
   */
  current(input?: Record<string, never>, options?: CallOptions): Call<types.SignedIn> {
    return this.#sender.call(
      { id: 'sessions.current', method: 'GET', path: '/v1/sessions/current' },
      input,
      options,
    )
  }

  /**
   * Sign out. Ends the session of this request and deletes its cookie.
   *
   * DELETE /v1/sessions/current (an extension)
   */
  endCurrent(input?: Record<string, never>, options?: CallOptions): Call<types.Session> {
    return this.#sender.call(
      { id: 'sessions.endCurrent', method: 'DELETE', path: '/v1/sessions/current' },
      input,
      options,
    )
  }

  /**
   * Show sign-in options. Returns the options of a sign-in page. Authentication is not required. To sign in
   * with an identity provider, open `path` in the browser with `?returnPath=`, a path on this host.
   *
   * GET /v1/sessions/options (an extension)
   */
  options(input?: Record<string, never>, options?: CallOptions): Call<SessionsOptionsOutput> {
    return this.#sender.call(
      { id: 'sessions.options', method: 'GET', path: '/v1/sessions/options' },
      input,
      options,
    )
  }

  /**
   * Sign in with a passkey. Starts a session with an authenticator's response to the challenge of
   * sessions.passkeyChallenge. No password is required, so the authenticator must have verified the member,
   * for example by PIN or fingerprint.
   *
   * POST /v1/sessions/passkey (an extension)
   * @throws ApiError passkey_rejected
   */
  passkey(input: SessionsPasskeyInput, options?: CallOptions): Call<types.SignedIn> {
    return this.#sender.call(
      { id: 'sessions.passkey', method: 'POST', path: '/v1/sessions/passkey', body: 'json' },
      input,
      options,
    )
  }

  /**
   * Start signing in with a passkey. Creates a challenge for a sign-in. The browser passes it to an
   * authenticator and sends the result to sessions.passkey or sessions.create. The response is the same
   * whether or not the address belongs to a member.
   *
   * POST /v1/sessions/passkey/challenge (an extension)
   */
  passkeyChallenge(input?: SessionsPasskeyChallengeInput, options?: CallOptions): Call<types.PasskeyChallenge> {
    return this.#sender.call(
      { id: 'sessions.passkeyChallenge', method: 'POST', path: '/v1/sessions/passkey/challenge', body: 'json' },
      input,
      options,
    )
  }

  /**
   * Change the member's password. Changes the password of the signed-in member and ends the member's other
   * sessions. Tokens of devices remain valid until tokens.revoke revokes them. A member who signs in only
   * with the identity provider sets a first password with this operation.
   *
   * POST /v1/sessions/password (an extension)
   * @throws ApiError wrong_password
   */
  password(input: SessionsPasswordInput, options?: CallOptions): Call<types.Member> {
    return this.#sender.call(
      { id: 'sessions.password', method: 'POST', path: '/v1/sessions/password', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Show the sign-in policy. Returns the sign-in requirements of the organization.
   *
   * GET /v1/sessions/policy (an extension)
   */
  policy(input?: Record<string, never>, options?: ConditionalOptions): Call<types.SignInPolicy> {
    return this.#sender.call(
      { id: 'sessions.policy', method: 'GET', path: '/v1/sessions/policy' },
      input,
      options,
    )
  }

  /**
   * Change the sign-in policy. Changes the sign-in requirements of the organization, starting with the next
   * sign-in. Open sessions continue. If passkeys are required, a member without a passkey registers one at
   * the next sign-in with a password.
   *
   * PATCH /v1/sessions/policy (an extension)
   */
  setPolicy(input: SessionsSetPolicyInput, options?: ConditionalOptions): Call<types.SignInPolicy> {
    return this.#sender.call(
      { id: 'sessions.setPolicy', method: 'PATCH', path: '/v1/sessions/policy', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * End a session. Ends a session: its next request returns 401 `session_ended`. Ending the session of
   * another member requires the admin role.
   *
   * - To end any session but the current one, a member with a password must send the password. This keeps
   * an intruder in one browser from ending the member's other sessions.
   * - A token needs no password.
   *
   * POST /v1/sessions/{id}/end (an extension)
   * @throws ApiError not_found, wrong_password
   */
  end(input: SessionsEndInput, options?: CallOptions): Call<types.Session> {
    return this.#sender.call(
      { id: 'sessions.end', method: 'POST', path: '/v1/sessions/{id}/end', body: 'json', isKeyed: true },
      input,
      options,
    )
  }
}
