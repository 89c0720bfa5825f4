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
  /** `nextCursor` of the page before. At most 1200 characters. */
  cursor?: string | undefined
  /**
   * Sessions of this member only. When left out: one’s own, and for a token those of the team. At most 254
   * characters.
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
  /** E-mail address of the member. At most 254 characters. */
  email: string
  /** The password. 1 to 256 characters. */
  password: string
  /**
   * Answer of a registered passkey to the challenge of sessions.passkeyChallenge. Required if the member
   * has a passkey.
   */
  passkey?: types.UsedCredential | undefined
  /**
   * A new passkey for the same challenge. Required if the organization requires passkeys and the member has
   * none.
   */
  newPasskey?: {
    /** Name for people. 1 to 64 characters. */
    name: string
    credential: types.NewCredential
  } | undefined
}

/** What sessions.options answers. */
export interface SessionsOptionsOutput {
  /**
   * Whether anybody has joined a team; false: the link that the first start prints makes the first owner.
   */
  isSetUp: boolean
  /** Whether a password signs people in. */
  password: boolean
  /** The identity provider that signs people in; null: none. */
  oidc: {
    /** Host name of the provider. */
    label: string
    /** Where the sign-in begins. */
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

/** Of sessions.password: change one’s password. */
export interface SessionsPasswordInput {
  /** The present password; left out where there is none. 1 to 256 characters. */
  currentPassword?: string | undefined
  /**
   * The password, 12 to 256 characters. Passwords that guessers try first are rejected: common passwords,
   * repetitions, sequences, rows of keys, your e-mail address, and the names of the person, the
   * organization or the product. 12 to 256 characters.
   */
  newPassword: string
}

/** Of sessions.setPolicy: change the sign-in policy. */
export interface SessionsSetPolicyInput {
  /** Whether members need a passkey to sign in with a password. */
  passkeyRequired: boolean
}

/** Of sessions.end: end a session. */
export interface SessionsEndInput {
  /** Id of the session, `ses_…`. 1 to 64 characters. */
  id: string
  /**
   * The current password of the signed-in member. Omit it for a token, for a member without a password, and
   * for the current session. 1 to 256 characters.
   */
  password?: string | undefined
}

/** People who sign in. */
export class Sessions {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List sessions. Sessions that have not ended, newest first: those of the member who asks, or for an
   * admin, or a token with that role, those of another member or of the whole team.
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
   * Sign in with a password. Starts a session, whose secret is in a cookie that no script can read. Wrong
   * address and wrong password are one answer. After five wrong passwords in a row each further try on the
   * address waits first, up to 8 seconds, and a right one is taken all the same; one network address has 10
   * tries a minute. A browser in which the member has signed in before sends a second cookie, by which its
   * tries are counted and queued apart from those of strangers. Ends the session that the browser had
   * before.
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
   * Show the session in use. Who is signed in. A page that was loaded anew finds here what it must send as
   * `x-csrf-token`, in the body and in the header of that name.
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
   * Sign out. Ends the session of this request on the server, and takes its cookie away.
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
   * Show how people sign in. What a page for signing in offers, before anybody has signed in. The way by an
   * identity provider begins at `path`, to which a browser goes with `?returnPath=`, a path of this host.
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
   * Sign in with a passkey. Starts a session with the answer of an authenticator to the challenge of
   * sessions.passkeyChallenge. No password is needed, so the authenticator must have verified the person by
   * a PIN, a fingerprint or the like.
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
   * Start signing in with a passkey. Creates a challenge for a sign-in. A browser passes it to an
   * authenticator, and sessions.passkey or sessions.create takes the answer. The response is the same
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
   * Change one’s password. Ends every other session of the member. Tokens of devices go on; tokens.revoke
   * ends those. A member who has only signed in by the identity provider sets a first password so.
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
   * Show the sign-in policy. Returns what the organization requires of members who sign in.
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
   * Change the sign-in policy. Changes what the organization requires of members who sign in, starting with
   * the next sign-in. Open sessions continue. A member without a passkey registers one during the next
   * sign-in with a password.
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
   * End a session. Ends a session: its next request returns 401 `session_ended`. A member can end their own
   * sessions, and an admin can end those of the whole team. A member with a password must send the password
   * again to end any session but the current one, so that someone who finds a browser signed in cannot lock
   * out the member's other browsers. A token needs no password.
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
