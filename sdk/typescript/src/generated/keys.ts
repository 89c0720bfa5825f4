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
  /** `nextCursor` of the page before. At most 1200 characters. */
  cursor?: string | undefined
  /**
   * Sort order: `created`, `name`, `spent` (`spentMicros`, each key in its own `capPeriod`), or `last_used`
   * (`lastUsedAt`; null comes first in ascending order). Defaults to `created`. `created` when left out.
   */
  sort?: 'created' | 'name' | 'spent' | 'last_used' | undefined
  /**
   * Sort direction. Defaults to `asc` for `name` and to `desc` otherwise. Rows with equal values are in the
   * order of their IDs.
   */
  direction?: 'asc' | 'desc' | undefined
  /** External ID. Returns only keys of that end user. 1 to 256 characters. */
  endUserId?: string | undefined
  /**
   * Returns only keys whose name contains this text in upper or lower case, whose secret begins with it, or
   * whose ID or last four characters it is. 1 to 128 characters.
   */
  search?: string | undefined
  /** Returns only keys in that state. A revoked key never counts as expired. */
  state?: 'active' | 'revoked' | 'expired' | undefined
}

/** What keys.list answers. */
export interface KeysListOutput {
  data: types.ApiKeySummary[]
  nextCursor: string | null
}

/** Of keys.mint: mint a key. */
export interface KeysMintInput {
  /** The customer's own id of the person that the key spends as. 1 to 256 characters. */
  endUserId: string
  /** Recorded on the person if none is held. At most 254 characters. */
  email?: string | undefined
  /** Slug of the bundle that the person is to be on. */
  bundle?: string | undefined
  /** Label of the key; `endUserId` when left out. 1 to 128 characters. */
  name?: string | undefined
  /** False: a test key. When left out, the mode of the request: live, unless `x-svc-mode` says test. */
  livemode?: boolean | undefined
  /** What the key may spend per `capPeriod`. An integer as a decimal string. */
  capMicros?: string | bigint | null | undefined
  /** When the cap starts anew (UTC); `total`: never. `month` when left out. */
  capPeriod?: 'day' | 'week' | 'month' | 'total' | undefined
  /** When the key expires; in the future. ISO 8601. */
  expiresAt?: string | Date | null | undefined
}

/** Of keys.show: show a key. */
export interface KeysShowInput {
  /**
   * ID or prefix of the key, or the ID or external ID of an end user who holds exactly one key. 1 to 256
   * characters.
   */
  id: string
}

/** Of keys.revoke: revoke a key. */
export interface KeysRevokeInput {
  /**
   * ID or prefix of the key, or the ID or external ID of an end user who holds exactly one key. 1 to 256
   * characters.
   */
  id: string
}

/** Of keys.cap: set a key's spend ceiling. */
export interface KeysCapInput {
  /**
   * ID or prefix of the key, or the ID or external ID of an end user who holds exactly one key. 1 to 256
   * characters.
   */
  id: string
  /**
   * Maximum spend per `capPeriod`, in micros, for the key and the keys it replaced together. Null means no
   * cap. An integer as a decimal string.
   */
  capMicros: string | bigint | null
  /** When the cap starts anew (UTC); left out: as it is. */
  capPeriod?: 'day' | 'week' | 'month' | 'total' | undefined
}

/** Of keys.rotate: rotate a key. */
export interface KeysRotateInput {
  /**
   * ID or prefix of the key, or the ID or external ID of an end user who holds exactly one key. 1 to 256
   * characters.
   */
  id: string
  /**
   * Grace period during which both keys work, in seconds (max 86,400). 0 ends the old key immediately. A
   * key that expires earlier ends when it expires. From 0 to 86400.
   */
  graceSeconds: number
}

/** The `ak_` keys with which end users call the gateway. */
export class Keys {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List keys. Returns the keys of the application in the mode of the request, revoked ones included,
   * newest first unless `sort` is set.
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
   * Mint a key. Makes an `ak_` key that spends as one person. Its secret is in this answer and nowhere
   * else: only its hash is kept. A person who is not there yet is made on the default bundle; `bundle` puts
   * the end user on that bundle in the mode of the key, as users.subscribe does. The first live key of an
   * end user who was created in test mode puts them on the default bundle.
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
   * Show a key. One key, without its secret.
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
   * Revoke a key. Revokes the key: the next request with it returns 401 `key_revoked`. Requests in flight
   * continue and are charged. If the key replaced another one whose grace period has not ended, that key is
   * revoked too (`alsoRevoked`). Revoked keys stay listed. Revoking a key again changes nothing.
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
   * Set a key's spend ceiling. Takes effect with the next request. What the key and the keys it replaced
   * have spent in the current period counts: a cap below it stops the key until the period ends.
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
   * Rotate a key. Creates a key that replaces this one, for the same end user, with its name, cap and
   * expiry. Both keys work until the grace period ends; requests of the old key that are then in flight
   * continue. The cap goes on: what the old key has spent and holds in the current period counts for both
   * keys together. The secret is returned once and cannot be retrieved again, so a repeat with the same
   * Idempotency-Key is rejected. A key that was replaced, revoked or has expired cannot be rotated.
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
