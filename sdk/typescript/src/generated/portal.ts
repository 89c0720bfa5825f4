// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { PageCall } from '../page.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions, ConditionalOptions } from '../settings.ts'
import type { Open } from './types.ts'
import type * as types from './types.ts'

/** Of portal.application: show whose portal it is. */
export interface PortalApplicationInput {
  /** The `<code>` in `ak_<code>_…`. 1 to 16 characters. */
  keyCode: string
}

/** What portal.application answers. */
export interface PortalApplicationOutput {
  /** Name of the application. */
  name: string
  /** Address of its portal. */
  portal: string
  /** The same by address and port, for clients that do not resolve `*.localhost`. */
  localPortal?: string
  /** How the portal looks. */
  brand: types.PortalBrand
}

/** Of portal.link: hand an end user to their portal. */
export interface PortalLinkInput {
  /** The customer's own id of the person. 1 to 256 characters. */
  endUserId: string
  /**
   * Where on the portal to go then: a path that begins with one `/`; `/` when left out. At most 512
   * characters.
   */
  returnPath?: string | undefined
  /**
   * What the session may do. `read`: every change returns 403 `portal_read_only`. Defaults to `read` for a
   * member of the team who has signed in, and to `write` for a token.
   */
  access?: 'read' | 'write' | undefined
}

/** What portal.link answers. */
export interface PortalLinkOutput {
  /** Id of the handoff, `pl_…`. */
  id: string
  /** What the session may do. */
  access: Open<'read' | 'write'>
  /** Where to send the browser of the person. */
  url: string
  /** The same by address and port, for clients that do not resolve `*.localhost`. */
  localUrl?: string
  /** When the link is worth nothing any more. ISO 8601. */
  expiresAt: string
}

/** Of portal.redeem: spend a handoff token. */
export interface PortalRedeemInput {
  /** What follows `#handoff=` in the link, `ph_…`. 1 to 128 characters. */
  token: string
}

/** What portal.redeem answers. */
export interface PortalRedeemOutput {
  /** The customer's own id of the person. 1 to 256 characters. */
  endUserId: string
  /** Slug of the application. */
  application: string
  /** Whether live data are shown; false: test data. */
  livemode: boolean
  /** Where on the portal to go now. */
  returnPath: string
  /** When the session ends at the latest. ISO 8601. */
  expiresAt: string
  /** What pages send as `x-csrf-token`; at the portal's host only. */
  csrfToken?: string
  /** The secret of the session, `ps_…`, shown once; at the control plane only. */
  sessionToken?: string
}

/** Of portal.configure: change what end users may do in the portal. */
export interface PortalConfigureInput {
  /**
   * Whether end users create keys in the portal, and rotate and revoke keys that the application created
   * for them. False until it is set.
   */
  endUsersMayMintKeys?: boolean | undefined
  /**
   * Maximum cap of one key that an end user creates, in micros per `keyCapPeriod`. Null means any cap, or
   * none. It limits a key, not the end user: see `keyCapsTotalMicros` and users.limit. An integer as a
   * decimal string.
   */
  keyCapMicros?: string | bigint | null | undefined
  /** Calendar window (UTC) after which the cap and the total reset; `total` never resets. */
  keyCapPeriod?: 'day' | 'week' | 'month' | 'total' | undefined
  /**
   * Maximum that all keys that one end user created in the portal can spend together, in micros per
   * `keyCapPeriod`, including keys that were revoked since. Their caps add up to this at most. Null means
   * no total. An integer as a decimal string.
   */
  keyCapsTotalMicros?: string | bigint | null | undefined
}

/** Of portal.keys: list the keys of the signed-in end user. */
export interface PortalKeysInput {
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the page before. At most 1200 characters. */
  cursor?: string | undefined
}

/** What portal.keys answers. */
export interface PortalKeysOutput {
  data: types.PortalKey[]
  nextCursor: string | null
}

/** Of portal.mintKey: mint a key of the signed-in end user. */
export interface PortalMintKeyInput {
  /** Label of the key; `portal` when left out. 1 to 128 characters. */
  name?: string | undefined
  /**
   * Maximum spend per `capPeriod`, in micros. Omit for the most that is allowed. An integer as a decimal
   * string.
   */
  capMicros?: string | bigint | null | undefined
  /**
   * Calendar window (UTC) after which the cap resets. Defaults to the period that the application has set,
   * or `month`.
   */
  capPeriod?: 'day' | 'week' | 'month' | 'total' | undefined
  /** When the key expires; in the future. ISO 8601. */
  expiresAt?: string | Date | null | undefined
}

/** Of portal.revokeKey: revoke a key of the signed-in end user. */
export interface PortalRevokeKeyInput {
  /** Id of the key, `key_…`. 1 to 64 characters. */
  id: string
}

/** Of portal.rotateKey: rotate a key of the signed-in end user. */
export interface PortalRotateKeyInput {
  /** Id of the key, `key_…`. 1 to 64 characters. */
  id: string
  /**
   * Grace period during which both keys work, in seconds (max 86,400). 0 ends the old key immediately. A
   * key that expires earlier ends when it expires. From 0 to 86400.
   */
  graceSeconds: number
}

/** Of portal.ledger: list the balance entries of the signed-in end user. */
export interface PortalLedgerInput {
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the page before. At most 1200 characters. */
  cursor?: string | undefined
  /** `all`: pools and on-demand too. `wallet` when left out. */
  source?: 'wallet' | 'all' | undefined
}

/** What portal.ledger answers. */
export interface PortalLedgerOutput {
  data: types.LedgerEntry[]
  nextCursor: string | null
}

/** What portal.models answers. */
export interface PortalModelsOutput {
  /** Address that calls go to. */
  gateway: string
  /** The same by address and port, for clients that do not resolve `*.localhost`. */
  localGateway?: string
  /** In name order; empty: without a plan nothing is open. */
  models: {
    /** What a call asks for as its model. */
    requestedModel: string
    /** What calls are charged, before credits; null: it depends on which model behind the name answers. */
    price: types.Price | null
  }[]
}

/** Of portal.onDemand: set the signed-in end user's overage. */
export interface PortalOnDemandInput {
  /** Whether more may be used than is paid for. */
  enabled: boolean
  /**
   * The monthly ceiling (UTC), in micros; null: none, where the application has set no bound; left out: as
   * it is. An integer as a decimal string.
   */
  limitMicros?: string | bigint | null | undefined
}

/** Of portal.requests: list recent requests of the signed-in end user. */
export interface PortalRequestsInput {
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the page before. At most 1200 characters. */
  cursor?: string | undefined
  /** Id of a key of theirs: only calls with it. 1 to 64 characters. */
  keyId?: string | undefined
  /** Only calls that asked for that name. 1 to 128 characters. */
  model?: string | undefined
  /** Only calls of that status. */
  status?: 'settled' | 'released' | 'refused' | 'recovered' | 'in_flight' | undefined
  /** Only calls from that day (UTC) or time on. ISO 8601. */
  from?: string | Date | undefined
  /** Only calls before that day (UTC) or time. ISO 8601. */
  to?: string | Date | undefined
}

/** What portal.requests answers. */
export interface PortalRequestsOutput {
  data: types.PortalRequest[]
  nextCursor: string | null
}

/** Of portal.request: show the receipt of a request of the signed-in end user. */
export interface PortalRequestInput {
  /** Id of the call, `req_…`. 1 to 64 characters. */
  id: string
}

/** What portal.signOut answers. */
export interface PortalSignOutOutput {
  /** When the session ended. ISO 8601. */
  endedAt: string
}

/** Of portal.usage: show the usage of the signed-in end user. */
export interface PortalUsageInput {
  /** The first day, or a time in it. ISO 8601. */
  from?: string | Date | undefined
  /** The end, not included; left out: today is the last day. ISO 8601. */
  to?: string | Date | undefined
}

/** What portal.usage answers. */
export interface PortalUsageOutput {
  /** The first day. A day, like 2026-11-20 (UTC). */
  from: string
  /** The day after the last. A day, like 2026-11-20 (UTC). */
  to: string
  /** By name, in name order. */
  rows: types.ChargedUsageOfModel[]
  /** By day and name, the newest day first; days without use are left out. */
  days: {
    /** The day (UTC). A day, like 2026-11-20 (UTC). */
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
     * Amount charged for them, in micros, less refunds made in the range: what pools, wallet and on-demand
     * paid. An integer as a decimal string.
     */
    billedMicros: string
  }[]
  /** All rows together. */
  totals: types.ChargedUsage
}

/** What an end user may see and do, with a session of their own. */
export class EndUserPortal {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * Show whose portal it is. Name, brand and portal of the application whose keys have that code, for pages
   * that nobody is signed in to yet. The host of a portal tells its own application's alone.
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
   * Spend a handoff token. Signs in the person whom the token of portal.link is for. At the host of the
   * application's portal the session is a cookie that no script can read, and its pages send `csrfToken`
   * with each change. At the control plane, for a portal of the customer's own, the session is the secret
   * `sessionToken`, for `Authorization: Bearer`. A session lasts 24 hours, and ends after an hour without
   * use. A token that is unknown, redeemed, expired or of another application's portal: one refusal.
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
   * Show the account of the signed-in end user. Who is signed in, what they have and what bounds it, in the
   * mode of the session. It is shown whatever may be spent: without any money, and to a person whose
   * spending is stopped.
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
   * List the keys of the signed-in end user. Their keys in the mode of the session, newest first, revoked
   * ones included. Never a secret.
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
   * Mint a key of the signed-in end user. Creates an `ak_` key that spends as the signed-in end user, in
   * the mode of the session. The secret is returned once and cannot be retrieved again. If the application
   * limits such keys (portal.configure), the cap of the key must fit: it is at most `keyCapMicros`, and the
   * caps of all keys created in the portal add up to `keyCapsTotalMicros` at most. What ended keys spent in
   * the current period counts. An end user can have 25 such keys at a time.
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
   * Revoke a key of the signed-in end user. The key is refused from the next call on and stays listed. If
   * it replaced a key whose grace period has not ended, that key is revoked too (`alsoRevoked`). A key that
   * they minted in the portal they may always revoke; one that the application minted for them, only where
   * people mint keys themselves (portal.configure). Revoking it again changes nothing.
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
   * Rotate a key of the signed-in end user. Creates a key that replaces this one, with its name, cap and
   * expiry. Both keys work until the grace period ends. The cap goes on: what the old key has spent and
   * holds in the current period counts for both. The secret is returned once and cannot be retrieved again.
   * Requires that end users may create keys (portal.configure). A key that was replaced, revoked or has
   * expired cannot be rotated.
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
   * List the balance entries of the signed-in end user. What moved their wallet in the mode of the session,
   * newest first, with the reasons that the application gave. Entries are never changed or removed, and
   * their sum is the balance.
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
   * List the names that the signed-in end user may call. Where their calls go, the model names that their
   * plan opens, and what they are charged for each. Never who answers.
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
   * Set the signed-in end user's overage. Turns overage on or off in the mode of the session, from the next
   * call on, with a monthly ceiling. It pays only once pools and wallet are spent. A ceiling that the
   * application has set with subscription.onDemand can be lowered and not passed.
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
   * List recent requests of the signed-in end user. Their calls in the mode of the session, newest first:
   * settled, refused and those in flight. Never their content.
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
   * Show the receipt of a request of the signed-in end user. What one call of theirs used, at which prices,
   * and what it was charged to; refused calls and those in flight too. Amounts are micros, times
   * milliseconds. Never content.
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
   * Sign out of the portal. Ends this session, at once and here at the server. Other sessions of the person
   * go on.
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
   * Show the signed-in end user's subscription. Their plan, what it granted and what is left of it, in the
   * mode of the session.
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
   * Show the usage of the signed-in end user. Returns usage in the mode of the session, by model name, and
   * by day and model name. Days are UTC, 366 at most. Defaults to the last 30 days, including today. The
   * amount is what the end user was charged; costs and margins are not included.
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

/** What end users see of themselves, and how they come there. */
export class Portal extends EndUserPortal {
  readonly #sender: Sender

  constructor(sender: Sender) {
    super(sender)
    this.#sender = sender
  }

  /**
   * Hand an end user to their portal. Makes a link that signs one person in at the portal of the
   * application, in the mode of the request: once, within 60 seconds. Send the browser of the person there
   * at once. The token of the link stands in its fragment (after `#`), which no browser sends: it is in no
   * log and no Referer.
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
   * Show what end users may do in the portal. Returns the rules of the application for keys that end users
   * create in the portal. The look of the portal is in brand.show.
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
   * Change what end users may do in the portal. Omitted fields are kept. End users create keys only after
   * you have decided what those keys may spend together: turning `endUsersMayMintKeys` on requires
   * `keyCapsTotalMicros`, an amount or null for no total, unless a total is set. The total takes effect
   * with the next request. Existing keys keep their caps; keys.cap changes those.
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
