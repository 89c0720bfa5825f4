// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { PageCall } from '../page.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions } from '../settings.ts'
import type * as types from './types.ts'

/** Of keys.list: list keys. */
export interface KeysListInput {
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. Omit for the first page. At most 1200 characters. */
  cursor?: string | undefined
  /**
   * Sort order. `spent` sorts by `spentMicros`, each key in its own `capPeriod`. `last_used` sorts by
   * `lastUsedAt`, with null first in ascending order. Defaults to `created`. `created` when left out.
   */
  sort?: 'created' | 'name' | 'spent' | 'last_used' | undefined
  /**
   * Sort direction. Defaults to `asc` for `name` and to `desc` for other orders. Rows with equal values are
   * sorted by ID.
   */
  direction?: 'asc' | 'desc' | undefined
  /** External ID of an end user. Returns only keys of that end user. 1 to 256 characters. */
  endUserId?: string | undefined
  /**
   * Text to search for. Matches part of the name (ignoring case), the beginning of the secret, the whole
   * ID, or the last four characters. 1 to 128 characters.
   */
  search?: string | undefined
  /** Returns only keys in this state. A revoked key never counts as expired. */
  state?: 'active' | 'revoked' | 'expired' | undefined
}

/** What keys.list answers. */
export interface KeysListOutput {
  data: types.ApiKeySummary[]
  nextCursor: string | null
}

/** Of keys.mint: create a key. */
export interface KeysMintInput {
  /** External ID of the end user that the key belongs to. 1 to 256 characters. */
  endUserId: string
  /**
   * Email address of the end user. Stored only if the end user has no address yet. At most 254 characters.
   */
  email?: string | undefined
  /** Slug of the bundle for the end user. */
  bundle?: string | undefined
  /** Display name of the key. Defaults to `endUserId`. 1 to 128 characters. */
  name?: string | undefined
  /**
   * Whether to create a live key. Test keys never reach a provider. Defaults to the mode of the request.
   */
  livemode?: boolean | undefined
  /**
   * Maximum spend per `capPeriod`, in micros. Null or omitted means no cap. An integer as a decimal string.
   */
  capMicros?: string | bigint | null | undefined
  /**
   * Calendar period (UTC) after which the cap resets. With `total`, the cap never resets. `month` when left
   * out.
   */
  capPeriod?: 'day' | 'week' | 'month' | 'total' | undefined
  /** When the key expires. Must be in the future. Null or omitted means never. ISO 8601. */
  expiresAt?: string | Date | null | undefined
}

/** Of keys.show: show a key. */
export interface KeysShowInput {
  /**
   * ID or prefix of the key, or the ID or external ID of an end user who has exactly one key. 1 to 256
   * characters.
   */
  id: string
}

/** Of keys.revoke: revoke a key. */
export interface KeysRevokeInput {
  /**
   * ID or prefix of the key, or the ID or external ID of an end user who has exactly one key. 1 to 256
   * characters.
   */
  id: string
}

/** Of keys.cap: change a key's cap. */
export interface KeysCapInput {
  /**
   * ID or prefix of the key, or the ID or external ID of an end user who has exactly one key. 1 to 256
   * characters.
   */
  id: string
  /**
   * Maximum spend per `capPeriod`, in micros, for the key and the keys it replaced. Null means no cap. An
   * integer as a decimal string.
   */
  capMicros: string | bigint | null
  /** Calendar period (UTC) after which the cap resets. Omit to keep the current value. */
  capPeriod?: 'day' | 'week' | 'month' | 'total' | undefined
}

/** Of keys.rotate: rotate a key. */
export interface KeysRotateInput {
  /**
   * ID or prefix of the key, or the ID or external ID of an end user who has exactly one key. 1 to 256
   * characters.
   */
  id: string
  /**
   * Grace period during which both keys work, in seconds (max 86,400). 0 revokes the old key immediately.
   * The grace period does not extend the old key's expiry. From 0 to 86400.
   */
  graceSeconds: number
}

/** `ak_` keys that authenticate end users at the gateway. */
export class Keys {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List keys. Returns the application's keys in the mode of the request, newest first unless `sort` is
   * set. Revoked keys are included.
   *
   * GET /v1/keys
   * @throws ApiError not_found
   */
  list(input?: KeysListInput, options?: CallOptions): PageCall<types.ApiKeySummary, KeysListOutput> {
    return this.#sender.page(
      { id: 'keys.list', method: 'GET', path: '/v1/keys', query: ['limit', 'cursor', 'sort', 'direction', 'endUserId', 'search', 'state'] },
      input,
      options,
    )
  }

  /**
   * Create a key. Creates an `ak_` key for an end user. The secret is returned once and cannot be retrieved
   * again.
   *
   * - An end user who does not exist yet is created on the default bundle.
   * - `bundle` moves the end user to that bundle in the mode of the key, as users.subscribe does.
   * - The first live key of an end user who was created in test mode puts them on the default bundle.
   *
   * POST /v1/keys
   * @throws ApiError not_found, bundle_required, already_exists
   */
  mint(input: KeysMintInput, options?: CallOptions): Call<types.MintedKey> {
    return this.#sender.call(
      { id: 'keys.mint', method: 'POST', path: '/v1/keys', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Show a key. Returns a key without its secret.
   *
   * GET /v1/keys/{id}
   * @throws ApiError not_found, ambiguous_key
   */
  show(input: KeysShowInput, options?: CallOptions): Call<types.ApiKeySummary> {
    return this.#sender.call(
      { id: 'keys.show', method: 'GET', path: '/v1/keys/{id}' },
      input,
      options,
    )
  }

  /**
   * Revoke a key. Revokes the key. Starting with the next request, the key returns 401 `key_revoked`.
   *
   * - Requests in flight continue and are charged.
   * - If the key replaced another key whose grace period has not ended, that key is revoked too
   * (`alsoRevoked`).
   * - Revoked keys stay in the list. Revoking a key again changes nothing.
   *
   * DELETE /v1/keys/{id}
   * @throws ApiError not_found, ambiguous_key
   */
  revoke(input: KeysRevokeInput, options?: CallOptions): Call<types.RevokedKey> {
    return this.#sender.call(
      { id: 'keys.revoke', method: 'DELETE', path: '/v1/keys/{id}' },
      input,
      options,
    )
  }

  /**
   * Change a key's cap. Sets the spend cap of a key, starting with the next request. Spending of the key
   * and the keys it replaced counts for the whole current period. A cap below that spending blocks the key
   * until the period ends.
   *
   * POST /v1/keys/{id}/cap
   * @throws ApiError not_found, ambiguous_key
   */
  cap(input: KeysCapInput, options?: CallOptions): Call<types.ApiKeySummary> {
    return this.#sender.call(
      { id: 'keys.cap', method: 'POST', path: '/v1/keys/{id}/cap', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Rotate a key. Creates a key that replaces this one, for the same end user, with the same name, cap and
   * expiry. The secret is returned once and cannot be retrieved again.
   *
   * - Both keys work until the grace period ends. Requests of the old key that are in flight then continue.
   * - Both keys share the cap. Spending and holds of the old key in the current period count toward it.
   * - A repeat with the same Idempotency-Key is rejected.
   * - A replaced, revoked or expired key cannot be rotated.
   *
   * POST /v1/keys/{id}/rotate (an extension)
   * @throws ApiError not_found, ambiguous_key, key_ended
   */
  rotate(input: KeysRotateInput, options?: CallOptions): Call<types.RotatedKey> {
    return this.#sender.call(
      { id: 'keys.rotate', method: 'POST', path: '/v1/keys/{id}/rotate', body: 'json', isKeyed: true },
      input,
      options,
    )
  }
}
