// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions } from '../settings.ts'
import type { Open } from './types.ts'
import type * as types from './types.ts'

/** Of deviceAuth.show: show a pending sign-in. */
export interface DeviceAuthShowInput {
  /** Code that the device shows. Case, hyphens and spaces are ignored. 1 to 32 characters. */
  userCode: string
}

/** Of deviceAuth.start: start a command-line sign-in. */
export interface DeviceAuthStartInput {
  /**
   * Name of the device. It is shown to the member and becomes the label of the token. 1 to 64 characters.
   */
  clientName?: string | undefined
  /**
   * Requested role of the token. Defaults to `admin`. The token never has a higher role than the approving
   * member.
   */
  role?: 'viewer' | 'developer' | 'admin' | 'owner' | undefined
}

/** What deviceAuth.start answers. */
export interface DeviceAuthStartOutput {
  /** Secret of the device. It is returned once and cannot be retrieved again. */
  deviceCode: string
  /** Code to show to the member. */
  userCode: string
  /** URL of the page where the member enters the code. */
  verificationUri: string
  /** URL of the same page with the code filled in. The member must still compare the code. */
  verificationUriComplete: string
  /** Lifetime of both codes, in seconds. */
  expiresIn: number
  /** Minimum time between polls, in seconds. */
  interval: number
}

/** Of deviceAuth.approve: approve a command-line sign-in. */
export interface DeviceAuthApproveInput {
  /** Code that the device shows. Case, hyphens and spaces are ignored. 1 to 32 characters. */
  userCode: string
  /** Whether to approve the sign-in. False denies it. */
  approve: boolean
}

/** What deviceAuth.approve answers. */
export interface DeviceAuthApproveOutput {
  /** Name that the device reports, which is not verified. Null if the device reports no name. */
  clientName: string | null
  /** Network address of the device. */
  address: string
  /** User agent that the device reported, which is not verified. */
  userAgent: string
  /** Role that the device requested. Null if it requested no role. */
  askedRole: Open<'viewer' | 'developer' | 'admin' | 'owner'> | null
  /** Role of the token after approval. It is never higher than the role of the approving member. */
  role: Open<'viewer' | 'developer' | 'admin' | 'owner'>
  /** When the device started the sign-in. ISO 8601. */
  createdAt: string
  /** When the codes expire. ISO 8601. */
  expiresAt: string
  /** Decision on the sign-in. */
  decision: Open<'approved' | 'denied'>
}

/** Of deviceAuth.poll: poll a command-line sign-in. */
export interface DeviceAuthPollInput {
  /** `deviceCode` from `deviceAuth.start`. 1 to 128 characters. */
  deviceCode: string
}

/** What deviceAuth.poll answers. */
export interface DeviceAuthPollOutput {
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
  /** Secret of the token. It is returned once and cannot be retrieved again. */
  token: string
  /** Organization of the token. */
  organization: {
    /** ID of the organization, `org_…`. */
    id: string
    /** Name of the organization. */
    name: string
  }
}

/** Sign-ins from the command line (RFC 8628). */
export class DeviceAuth {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * Show a pending sign-in. Returns the device that requests a sign-in, its network address, and the role
   * that its token would have. Each network address has 5 attempts per minute, shared with
   * `deviceAuth.approve`.
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
   * Start a command-line sign-in. Sends the device authorization request of RFC 8628. Show `userCode` and
   * `verificationUri` to the member, and poll `deviceAuth.poll` with `deviceCode` every `interval` seconds.
   *
   * - Each network address can start 10 sign-ins per minute.
   * - At most 1000 sign-ins can be pending. 400 of these are reserved for networks from which a team member
   * has signed in or a token has been used. Other networks get 429 `rate_limited` when the rest is taken.
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
   * Approve a command-line sign-in. Approves or denies a command-line sign-in. Each sign-in can be decided
   * once. Check the device with `deviceAuth.show` first, and approve only a device at hand.
   *
   * The device gets a token of the organization with the role shown. The token is listed by `tokens.list`
   * and is valid until it is revoked with `tokens.revoke` or the member is removed.
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
   * Poll a command-line sign-in. Sends the device access token request of RFC 8628. Exactly one poll after
   * the approval returns the `sk_` token, because only its hash is stored.
   *
   * - Until the sign-in is decided, polls return `authorization_pending`.
   * - A poll that comes too soon returns `slow_down` and lengthens the interval by 5 seconds permanently.
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
