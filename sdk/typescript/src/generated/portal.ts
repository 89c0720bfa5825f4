// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { PageCall } from '../page.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions, ConditionalOptions } from '../settings.ts'
import type { Open } from './types.ts'
import type * as types from './types.ts'

/** Of portal.application: show a portal's application. */
export interface PortalApplicationInput {
  /** The `<code>` in `ak_<code>_…`. 1 to 16 characters. */
  keyCode: string
}

/** What portal.application answers. */
export interface PortalApplicationOutput {
  /** Name of the application. */
  name: string
  /** Address of the application's portal. */
  portal: string
  /** The same address by IP and port, for clients that do not resolve `*.localhost`. */
  localPortal?: string
  /** Appearance of the portal. */
  brand: types.PortalBrand
}

/** Of portal.link: create a portal link. */
export interface PortalLinkInput {
  /** External ID of the end user. 1 to 256 characters. */
  endUserId: string
  /**
   * Path in the portal to open after the sign-in. It starts with one `/`. Defaults to `/`. At most 512
   * characters. `/` when left out.
   */
  returnPath?: string | undefined
  /**
   * Access of the session. With `read`, every change returns 403 `portal_read_only`. Defaults to `read` for
   * a signed-in team member and to `write` for a token.
   */
  access?: 'read' | 'write' | undefined
}

/** What portal.link answers. */
export interface PortalLinkOutput {
  /** ID of the link, `pl_…`. */
  id: string
  /** Access of the session. */
  access: Open<'read' | 'write'>
  /** Address to open in the end user's browser. */
  url: string
  /** The same address by IP and port, for clients that do not resolve `*.localhost`. */
  localUrl?: string
  /** When the link expires. ISO 8601. */
  expiresAt: string
}

/** Of portal.redeem: redeem a portal link. */
export interface PortalRedeemInput {
  /** Token of the link: the part after `#handoff=`, `ph_…`. 1 to 128 characters. */
  token: string
}

/** What portal.redeem answers. */
export interface PortalRedeemOutput {
  /** External ID of the end user, chosen by the application. 1 to 256 characters. */
  endUserId: string
  /** Slug of the application. */
  application: string
  /** Whether the session shows live data. Otherwise it shows test data. */
  livemode: boolean
  /** Path in the portal to open. */
  returnPath: string
  /** When the session expires at the latest. ISO 8601. */
  expiresAt: string
  /** Token that pages send as `x-csrf-token`. Returned only on the portal's host. */
  csrfToken?: string
  /** Secret of the session, `ps_…`. It is returned once, and only on the control plane. */
  sessionToken?: string
}

/** Of portal.configure: change the portal settings. */
export interface PortalConfigureInput {
  /**
   * Whether end users can create keys in the portal, and rotate and revoke keys that the application
   * created for them. Defaults to false.
   */
  endUsersMayMintKeys?: boolean | undefined
  /**
   * Maximum cap of one key that an end user creates, in micros per `keyCapPeriod`. Null means no maximum.
   * It limits one key, not the end user. Use `keyCapsTotalMicros` or users.limit to limit the end user. An
   * integer as a decimal string.
   */
  keyCapMicros?: string | bigint | null | undefined
  /** Calendar period (UTC) after which the cap and the total reset. With `total`, they never reset. */
  keyCapPeriod?: 'day' | 'week' | 'month' | 'total' | undefined
  /**
   * Maximum that all keys that one end user created in the portal can spend together, in micros per
   * `keyCapPeriod`. Keys that were revoked since are included. The sum of the caps cannot exceed this
   * maximum. Null means no total. An integer as a decimal string.
   */
  keyCapsTotalMicros?: string | bigint | null | undefined
}

/** Of portal.keys: list the end user's keys. */
export interface PortalKeysInput {
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. Omit for the first page. At most 1200 characters. */
  cursor?: string | undefined
}

/** What portal.keys answers. */
export interface PortalKeysOutput {
  data: types.PortalKey[]
  nextCursor: string | null
}

/** Of portal.mintKey: create a portal key. */
export interface PortalMintKeyInput {
  /** Display name of the key. Defaults to `portal`. 1 to 128 characters. `portal` when left out. */
  name?: string | undefined
  /**
   * Maximum spend per `capPeriod`, in micros. Defaults to the maximum that is allowed. Null means no cap.
   * An integer as a decimal string.
   */
  capMicros?: string | bigint | null | undefined
  /**
   * Calendar period (UTC) after which the cap resets. Defaults to the period that the application has set,
   * or `month`.
   */
  capPeriod?: 'day' | 'week' | 'month' | 'total' | undefined
  /** When the key expires. Must be in the future. Null or omitted means never. ISO 8601. */
  expiresAt?: string | Date | null | undefined
}

/** Of portal.revokeKey: revoke a portal key. */
export interface PortalRevokeKeyInput {
  /** ID of the key, `key_…`. 1 to 64 characters. */
  id: string
}

/** Of portal.rotateKey: rotate a portal key. */
export interface PortalRotateKeyInput {
  /** ID of the key, `key_…`. 1 to 64 characters. */
  id: string
  /**
   * Grace period during which both keys work, in seconds (max 86,400). 0 revokes the old key immediately.
   * The grace period does not extend the old key's expiry. From 0 to 86400.
   */
  graceSeconds: number
}

/** Of portal.ledger: list the end user's ledger. */
export interface PortalLedgerInput {
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. Omit for the first page. At most 1200 characters. */
  cursor?: string | undefined
  /**
   * `wallet` returns wallet entries only. `all` also returns entries of pools and on-demand usage. Defaults
   * to `wallet`. `wallet` when left out.
   */
  source?: 'wallet' | 'all' | undefined
}

/** What portal.ledger answers. */
export interface PortalLedgerOutput {
  data: types.LedgerEntry[]
  nextCursor: string | null
}

/** What portal.models answers. */
export interface PortalModelsOutput {
  /** Address of the gateway. */
  gateway: string
  /** The same address by IP and port, for clients that do not resolve `*.localhost`. */
  localGateway?: string
  /** Model names, sorted by name. Empty if the end user has no plan. */
  models: {
    /** Model name to send in requests. */
    requestedModel: string
    /**
     * Price of requests, before credits are applied. Null if the price depends on the model that the router
     * chooses.
     */
    price: types.Price | null
  }[]
}

/** Of portal.onDemand: set on-demand billing. */
export interface PortalOnDemandInput {
  /** Whether on-demand billing is enabled. */
  enabled: boolean
  /**
   * Monthly on-demand ceiling (UTC), in micros. Omit to keep the current value. Null means no ceiling, and
   * is rejected if the application has set a maximum. An integer as a decimal string.
   */
  limitMicros?: string | bigint | null | undefined
}

/** Of portal.requests: list the end user's requests. */
export interface PortalRequestsInput {
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. Omit for the first page. At most 1200 characters. */
  cursor?: string | undefined
  /** ID of a key, `key_…`. Returns only requests made with this key. 1 to 64 characters. */
  keyId?: string | undefined
  /** Requested model name. Returns only requests for this name. 1 to 128 characters. */
  model?: string | undefined
  /** Returns only requests with this status. */
  status?: 'settled' | 'released' | 'refused' | 'recovered' | 'in_flight' | undefined
  /** Returns only requests at or after this day (UTC) or time. ISO 8601. */
  from?: string | Date | undefined
  /** Returns only requests before this day (UTC) or time. ISO 8601. */
  to?: string | Date | undefined
}

/** What portal.requests answers. */
export interface PortalRequestsOutput {
  data: types.PortalRequest[]
  nextCursor: string | null
}

/** Of portal.request: show a request's receipt. */
export interface PortalRequestInput {
  /** ID of the request, `req_…`. 1 to 64 characters. */
  id: string
}

/** What portal.signOut answers. */
export interface PortalSignOutOutput {
  /** When the session ended. ISO 8601. */
  endedAt: string
}

/** Of portal.usage: show the end user's usage. */
export interface PortalUsageInput {
  /** First day, or a time within it. Defaults to 30 days before the end. ISO 8601. */
  from?: string | Date | undefined
  /** End of the range (exclusive). Defaults to the end of today. ISO 8601. */
  to?: string | Date | undefined
}

/** What portal.usage answers. */
export interface PortalUsageOutput {
  /** First day of the range. A day, like 2026-11-20 (UTC). */
  from: string
  /** Day after the last day of the range. A day, like 2026-11-20 (UTC). */
  to: string
  /** Usage by model name, sorted by name. */
  rows: types.ChargedUsageOfModel[]
  /** Usage by day and model name, newest day first. Days without usage are omitted. */
  days: {
    /** Day (UTC). A day, like 2026-11-20 (UTC). */
    date: string
    /** The requested model name. */
    requestedModel: string
    /** Number of settled requests. */
    calls: number
    /** Input tokens. */
    inputTokens: number
    /** Output tokens. */
    outputTokens: number
    /**
     * Amount charged to pools, wallet and on-demand billing, in micros, minus refunds made in the range. An
     * integer as a decimal string.
     */
    billedMicros: string
  }[]
  /** Totals of all rows. */
  totals: types.ChargedUsage
}

/** What an end user may see and do, with a session of their own. */
export class EndUserPortal {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * Show a portal's application. Returns the name, brand and portal address of the application with this
   * key code. Sign-in pages use it before a session exists. On a portal's host, only the portal's own
   * application is returned.
   *
   * GET /v1/portal-applications/{keyCode}
   * @throws ApiError not_found
   */
  application(input: PortalApplicationInput, options?: CallOptions): Call<PortalApplicationOutput> {
    return this.#sender.call(
      { id: 'portal.application', method: 'GET', path: '/v1/portal-applications/{keyCode}' },
      input,
      options,
    )
  }

  /**
   * Redeem a portal link. Signs in the end user of a portal link (portal.link). A session lasts 24 hours
   * and expires after one hour without use.
   *
   * - On the portal's host, the session is an HTTP-only cookie. Its pages send `csrfToken` with each
   * change.
   * - On the control plane, for a portal of the customer's own, the session is the secret `sessionToken`.
   * Send it as `Authorization: Bearer`.
   * - Unknown, used and expired tokens, and tokens for another portal, all return the same error.
   *
   * POST /v1/portal-sessions/redeem
   * @throws ApiError invalid_handoff
   */
  redeem(input: PortalRedeemInput, options?: CallOptions): Call<PortalRedeemOutput> {
    return this.#sender.call(
      { id: 'portal.redeem', method: 'POST', path: '/v1/portal-sessions/redeem', body: 'json' },
      input,
      options,
    )
  }

  /**
   * Show the end user's account. Returns the signed-in end user with their balance and limits, in the
   * session's mode. The account is returned even if the end user has no money or is frozen.
   *
   * GET /v1/portal/account
   */
  account(input?: Record<string, never>, options?: CallOptions): Call<types.PortalAccount> {
    return this.#sender.call(
      { id: 'portal.account', method: 'GET', path: '/v1/portal/account' },
      input,
      options,
    )
  }

  /**
   * List the end user's keys. Returns the end user's keys in the mode of the session, newest first,
   * including revoked keys. Secrets are never returned.
   *
   * GET /v1/portal/keys
   */
  keys(input?: PortalKeysInput, options?: CallOptions): PageCall<types.PortalKey, PortalKeysOutput> {
    return this.#sender.page(
      { id: 'portal.keys', method: 'GET', path: '/v1/portal/keys', query: ['limit', 'cursor'] },
      input,
      options,
    )
  }

  /**
   * Create a portal key. Creates an `ak_` key for the signed-in end user, in the mode of the session. The
   * secret is returned once and cannot be retrieved again.
   *
   * - If the application limits portal keys (portal.configure), the key's cap cannot exceed `keyCapMicros`.
   * The caps of all portal keys together cannot exceed `keyCapsTotalMicros`.
   * - Spending of revoked and expired keys in the current period counts toward the total.
   * - An end user can have 25 portal keys at a time.
   *
   * POST /v1/portal/keys (an extension)
   * @throws ApiError portal_keys_refused, too_many_keys
   */
  mintKey(input?: PortalMintKeyInput, options?: CallOptions): Call<types.MintedKey> {
    return this.#sender.call(
      { id: 'portal.mintKey', method: 'POST', path: '/v1/portal/keys', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Revoke a portal key. Revokes the key, starting with the next request. The key stays in the list.
   * Revoking a key again changes nothing.
   *
   * - If the key replaced another key whose grace period has not ended, that key is revoked too
   * (`alsoRevoked`).
   * - End users can always revoke keys that they created in the portal.
   * - Revoking a key that the application created requires that end users may create keys
   * (portal.configure).
   *
   * DELETE /v1/portal/keys/{id} (an extension)
   * @throws ApiError not_found, portal_keys_refused
   */
  revokeKey(input: PortalRevokeKeyInput, options?: CallOptions): Call<types.RevokedPortalKey> {
    return this.#sender.call(
      { id: 'portal.revokeKey', method: 'DELETE', path: '/v1/portal/keys/{id}' },
      input,
      options,
    )
  }

  /**
   * Rotate a portal key. Creates a key that replaces this one, with the same name, cap and expiry. The
   * secret is returned once and cannot be retrieved again.
   *
   * - Both keys work until the grace period ends.
   * - Both keys share the cap. Spending and holds of the old key in the current period count toward it.
   * - End users must be allowed to create keys (portal.configure).
   * - A replaced, revoked or expired key cannot be rotated.
   *
   * POST /v1/portal/keys/{id}/rotate (an extension)
   * @throws ApiError not_found, portal_keys_refused, too_many_keys, key_ended
   */
  rotateKey(input: PortalRotateKeyInput, options?: CallOptions): Call<types.RotatedKey> {
    return this.#sender.call(
      { id: 'portal.rotateKey', method: 'POST', path: '/v1/portal/keys/{id}/rotate', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * List the end user's ledger. Returns the entries of the end user's wallet in the mode of the session,
   * newest first, with the reasons that the application gave. Entries are never changed or removed. Their
   * sum is the balance.
   *
   * GET /v1/portal/ledger
   */
  ledger(input?: PortalLedgerInput, options?: CallOptions): PageCall<types.LedgerEntry, PortalLedgerOutput> {
    return this.#sender.page(
      { id: 'portal.ledger', method: 'GET', path: '/v1/portal/ledger', query: ['limit', 'cursor', 'source'] },
      input,
      options,
    )
  }

  /**
   * List the end user's model names. Returns the gateway's address and the model names that the end user's
   * plan allows, with the price charged for each. Providers are never returned.
   *
   * GET /v1/portal/models (an extension)
   */
  models(input?: Record<string, never>, options?: CallOptions): Call<PortalModelsOutput> {
    return this.#sender.call(
      { id: 'portal.models', method: 'GET', path: '/v1/portal/models' },
      input,
      options,
    )
  }

  /**
   * Set on-demand billing. Enables or disables on-demand billing in the mode of the session, starting with
   * the next request, with a monthly ceiling. On-demand billing pays only after pools and wallet are
   * exhausted. The ceiling cannot exceed the maximum that the application has set with
   * subscription.onDemand.
   *
   * POST /v1/portal/on-demand
   * @throws ApiError not_found
   */
  onDemand(input: PortalOnDemandInput, options?: CallOptions): Call<types.Subscription> {
    return this.#sender.call(
      { id: 'portal.onDemand', method: 'POST', path: '/v1/portal/on-demand', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * List the end user's requests. Returns the signed-in end user's requests in the session's mode, newest
   * first. Rejected requests and requests in flight are included. The content of requests and responses is
   * never returned.
   *
   * GET /v1/portal/requests (an extension)
   */
  requests(input?: PortalRequestsInput, options?: CallOptions): PageCall<types.PortalRequest, PortalRequestsOutput> {
    return this.#sender.page(
      { id: 'portal.requests', method: 'GET', path: '/v1/portal/requests', query: ['limit', 'cursor', 'keyId', 'model', 'status', 'from', 'to'] },
      input,
      options,
    )
  }

  /**
   * Show a request's receipt. Returns the usage, prices and charges of a request of the signed-in end user.
   * Rejected requests and requests in flight are included. Amounts are in micros, times in milliseconds.
   * Content is never returned.
   *
   * GET /v1/portal/requests/{id} (an extension)
   * @throws ApiError not_found
   */
  request(input: PortalRequestInput, options?: CallOptions): Call<types.EndUserRequest> {
    return this.#sender.call(
      { id: 'portal.request', method: 'GET', path: '/v1/portal/requests/{id}' },
      input,
      options,
    )
  }

  /**
   * Sign out of the portal. Ends the current session immediately, on the server. Other sessions of the end
   * user continue.
   *
   * POST /v1/portal/sign-out (an extension)
   */
  signOut(input?: Record<string, never>, options?: CallOptions): Call<PortalSignOutOutput> {
    return this.#sender.call(
      { id: 'portal.signOut', method: 'POST', path: '/v1/portal/sign-out', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Show the end user's subscription. Returns the end user's plan, with granted and remaining credit, in
   * the mode of the session.
   *
   * GET /v1/portal/subscription
   * @throws ApiError not_found
   */
  subscription(input?: Record<string, never>, options?: CallOptions): Call<types.Subscription> {
    return this.#sender.call(
      { id: 'portal.subscription', method: 'GET', path: '/v1/portal/subscription' },
      input,
      options,
    )
  }

  /**
   * Show the end user's usage. Returns the end user's usage in the mode of the session, by model name, and
   * by day and model name. A range has at most 366 days (UTC). Defaults to the last 30 days, including
   * today. Amounts are charges. Costs and margins are not included.
   *
   * GET /v1/portal/usage
   */
  usage(input?: PortalUsageInput, options?: CallOptions): Call<PortalUsageOutput> {
    return this.#sender.call(
      { id: 'portal.usage', method: 'GET', path: '/v1/portal/usage', query: ['from', 'to'] },
      input,
      options,
    )
  }
}

/** The end users' own view of their account, and their access to it. */
export class Portal extends EndUserPortal {
  readonly #sender: Sender

  constructor(sender: Sender) {
    super(sender)
    this.#sender = sender
  }

  /**
   * Create a portal link. Creates a link that signs an end user in to the application's portal, in the mode
   * of the request. The link works once, within 60 seconds, so redirect the end user's browser immediately.
   * The token is in the fragment (after `#`), which browsers never send, so no log and no Referer contains
   * it.
   *
   * POST /v1/portal-sessions
   * @throws ApiError not_found
   */
  link(input: PortalLinkInput, options?: CallOptions): Call<PortalLinkOutput> {
    return this.#sender.call(
      { id: 'portal.link', method: 'POST', path: '/v1/portal-sessions', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Show the portal settings. Returns the application's rules for keys that end users create in the portal.
   * The appearance of the portal is in brand.show.
   *
   * GET /v1/portal-settings (an extension)
   */
  settings(input?: Record<string, never>, options?: ConditionalOptions): Call<types.PortalSettings> {
    return this.#sender.call(
      { id: 'portal.settings', method: 'GET', path: '/v1/portal-settings' },
      input,
      options,
    )
  }

  /**
   * Change the portal settings. Changes the rules for keys that end users create in the portal. Omitted
   * fields keep their values.
   *
   * - To turn on `endUsersMayMintKeys`, also send `keyCapsTotalMicros` unless a total is set. Null means no
   * total.
   * - The total takes effect with the next request.
   * - Existing keys keep their caps. Change them with keys.cap.
   *
   * PATCH /v1/portal-settings (an extension)
   */
  configure(input?: PortalConfigureInput, options?: ConditionalOptions): Call<types.PortalSettings> {
    return this.#sender.call(
      { id: 'portal.configure', method: 'PATCH', path: '/v1/portal-settings', body: 'json', isKeyed: true },
      input,
      options,
    )
  }
}
