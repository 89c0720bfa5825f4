// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions } from '../settings.ts'
import type { Open } from './types.ts'
import type * as types from './types.ts'

/** Of deviceAuth.show: show who asks to be signed in. */
export interface DeviceAuthShowInput {
  /** The code that the device shows; case, hyphens and spaces do not matter. 1 to 32 characters. */
  userCode: string
}

/** Of deviceAuth.start: start a command-line sign-in. */
export interface DeviceAuthStartInput {
  /** What the device calls itself: shown to the person, and the label of the token. 1 to 64 characters. */
  clientName?: string | undefined
  /**
   * What the token is to do; when left out, `admin`. It never does more than the person who approves may.
   */
  role?: 'viewer' | 'developer' | 'admin' | 'owner' | undefined
}

/** What deviceAuth.start answers. */
export interface DeviceAuthStartOutput {
  /** Secret of the device, shown once. */
  deviceCode: string
  /** The code for the person. */
  userCode: string
  /** Where the person enters the code. */
  verificationUri: string
  /** The same with the code in it, which the person still has to compare. */
  verificationUriComplete: string
  /** How long both codes live, in seconds. */
  expiresIn: number
  /** Least time between polls, in seconds. */
  interval: number
}

/** Of deviceAuth.approve: approve a command-line sign-in. */
export interface DeviceAuthApproveInput {
  /** The code that the device shows; case, hyphens and spaces do not matter. 1 to 32 characters. */
  userCode: string
  /** False: the device is refused. */
  approve: boolean
}

/** What deviceAuth.approve answers. */
export interface DeviceAuthApproveOutput {
  /** What the device calls itself; null: it does not say. Anybody can say anything here. */
  clientName: string | null
  /** Network address from which the device asked. */
  address: string
  /** What its program called itself. */
  userAgent: string
  /** The role that the device asked for; null: it does not say. */
  askedRole: Open<'viewer' | 'developer' | 'admin' | 'owner'> | null
  /** What its token may do once approved: never more than the member who approves. */
  role: Open<'viewer' | 'developer' | 'admin' | 'owner'>
  /** When the device asked. ISO 8601. */
  createdAt: string
  /** When its codes expire. ISO 8601. */
  expiresAt: string
  /** What was decided. */
  decision: Open<'approved' | 'denied'>
}

/** Of deviceAuth.poll: poll a command-line sign-in. */
export interface DeviceAuthPollInput {
  /** `deviceCode` of deviceAuth.start. 1 to 128 characters. */
  deviceCode: string
}

/** What deviceAuth.poll answers. */
export interface DeviceAuthPollOutput {
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
  /** The secret, shown once. */
  token: string
  /** The organization that the token is bound to. */
  organization: {
    /** Id of the organization, `org_…`. */
    id: string
    /** Its name. */
    name: string
  }
}

/** Sign-ins of command lines (RFC 8628). */
export class DeviceAuth {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * Show who asks to be signed in. What a person sees before they approve: which device asks, from where,
   * and what its token may do. One network address has 5 tries a minute, here and in deviceAuth.approve
   * together.
   *
   * GET /v1/device-auth (an extension)
   * @throws ApiError not_found
   */
  show(input: DeviceAuthShowInput, options?: CallOptions): Call<types.DeviceSignIn> {
    return this.#sender.call(
      { id: 'deviceAuth.show', method: 'GET', path: '/v1/device-auth', query: ['userCode'] },
      input,
      options,
    )
  }

  /**
   * Start a command-line sign-in. The device authorization request of RFC 8628. Show `userCode` and
   * `verificationUri` to the person, and poll with `deviceCode` every `interval` seconds. One network
   * address starts 10 sign-ins a minute. At most 1000 sign-ins wait concurrently. 400 of these are reserved
   * for networks from which a team member has signed in or a token has been used; other networks get 429
   * `rate_limited` when the rest is taken.
   *
   * POST /v1/device-auth
   */
  start(input?: DeviceAuthStartInput, options?: CallOptions): Call<DeviceAuthStartOutput> {
    return this.#sender.call(
      { id: 'deviceAuth.start', method: 'POST', path: '/v1/device-auth', body: 'json' },
      input,
      options,
    )
  }

  /**
   * Approve a command-line sign-in. The decision of a person who has signed in, once: look with
   * deviceAuth.show first, and approve only a device that is before you. The device gets a token of the
   * organization with the role shown, which is listed by tokens.list and ends with tokens.revoke, or when
   * the member is removed.
   *
   * POST /v1/device-auth/approve
   * @throws ApiError not_found
   */
  approve(input: DeviceAuthApproveInput, options?: CallOptions): Call<DeviceAuthApproveOutput> {
    return this.#sender.call(
      { id: 'deviceAuth.approve', method: 'POST', path: '/v1/device-auth/approve', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Poll a command-line sign-in. The device access token request of RFC 8628. Once the person has approved,
   * it answers an `sk_` token, to one request: only its hash is kept. Until then it is refused with
   * `authorization_pending`, and for a poll that comes too soon with `slow_down`, which makes the interval
   * 5 seconds longer for good.
   *
   * POST /v1/device-auth/token
   * @throws ApiError authorization_pending, slow_down, expired_token, access_denied
   */
  poll(input: DeviceAuthPollInput, options?: CallOptions): Call<DeviceAuthPollOutput> {
    return this.#sender.call(
      { id: 'deviceAuth.poll', method: 'POST', path: '/v1/device-auth/token', body: 'json' },
      input,
      options,
    )
  }
}
