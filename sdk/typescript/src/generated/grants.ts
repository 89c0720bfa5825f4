// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { PageCall } from '../page.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions } from '../settings.ts'
import type * as types from './types.ts'

/** Of grants.list: list grants. */
export interface GrantsListInput {
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. Omit for the first page. At most 1200 characters. */
  cursor?: string | undefined
}

/** What grants.list answers. */
export interface GrantsListOutput {
  data: types.Grant[]
  nextCursor: string | null
}

/** Of grants.issue: credit end users. */
export type GrantsIssueInput = {
  /** External IDs of end users. 1 to 10000 of them. */
  endUsers: readonly string[]
  /** Amount for each end user, in micros. An integer as a decimal string. */
  amountUnits: string | bigint
  /** Reason shown on the ledger of each end user. 1 to 256 characters. */
  reason: string
  /**
   * When the credit can first be spent. Requires `expiresAt`. Omit or set to null to start now. ISO 8601.
   */
  startsAt?: string | Date | null | undefined
  /**
   * When the unspent credit expires, in the future and after `startsAt`. Omit or set to null for credit
   * that does not expire. ISO 8601.
   */
  expiresAt?: string | Date | null | undefined
  /**
   * Idempotency key, which credits each end user once. The `Idempotency-Key` header can be sent instead. 1
   * to 255 characters.
   */
  idempotencyKey?: string | undefined
} | {
  /** Slug of a bundle. Credits every end user who is on the bundle now. */
  bundle: string
  /** Amount for each end user, in micros. An integer as a decimal string. */
  amountUnits: string | bigint
  /** Reason shown on the ledger of each end user. 1 to 256 characters. */
  reason: string
  /**
   * When the credit can first be spent. Requires `expiresAt`. Omit or set to null to start now. ISO 8601.
   */
  startsAt?: string | Date | null | undefined
  /**
   * When the unspent credit expires, in the future and after `startsAt`. Omit or set to null for credit
   * that does not expire. ISO 8601.
   */
  expiresAt?: string | Date | null | undefined
  /**
   * Idempotency key, which credits each end user once. The `Idempotency-Key` header can be sent instead. 1
   * to 255 characters.
   */
  idempotencyKey?: string | undefined
} | {
  /** Whether to credit every end user that the application has now. */
  everyone: true
  /** Amount for each end user, in micros. An integer as a decimal string. */
  amountUnits: string | bigint
  /** Reason shown on the ledger of each end user. 1 to 256 characters. */
  reason: string
  /**
   * When the credit can first be spent. Requires `expiresAt`. Omit or set to null to start now. ISO 8601.
   */
  startsAt?: string | Date | null | undefined
  /**
   * When the unspent credit expires, in the future and after `startsAt`. Omit or set to null for credit
   * that does not expire. ISO 8601.
   */
  expiresAt?: string | Date | null | undefined
  /**
   * Idempotency key, which credits each end user once. The `Idempotency-Key` header can be sent instead. 1
   * to 255 characters.
   */
  idempotencyKey?: string | undefined
}

/** Of grants.show: show a grant. */
export interface GrantsShowInput {
  /** ID of the grant, `gr_…`. 1 to 64 characters. */
  id: string
}

/** Of grants.reverse: reverse a grant. */
export interface GrantsReverseInput {
  /** ID of the grant, `gr_…`. 1 to 64 characters. */
  id: string
  /** External IDs of end users who received the grant. Omit for all of them. 1 to 10000 of them. */
  endUsers?: readonly string[] | undefined
  /** Reason shown on the ledger of each end user. 1 to 256 characters. */
  reason: string
}

/** Credit given to end users. */
export class Grants {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List grants. Returns the grants issued in the mode of the request, newest first.
   *
   * GET /v1/grants
   */
  list(input?: GrantsListInput, options?: CallOptions): PageCall<types.Grant, GrantsListOutput> {
    return this.#sender.page(
      { id: 'grants.list', method: 'GET', path: '/v1/grants', query: ['limit', 'cursor'] },
      input,
      options,
    )
  }

  /**
   * Credit end users. Credits each end user with the same amount, in the mode of the request. Set exactly
   * one of `endUsers`, `bundle` and `everyone`.
   *
   * - Without `expiresAt`, the credit goes to the wallet. With `expiresAt`, it is spent before the wallet,
   * soonest expiry first, and unspent credit expires with a ledger entry. Plan pools are never credited.
   * - The end users are fixed when the grant is issued, and each one is credited once.
   * - A repeat with the same idempotency key, in the body or in the header, returns the same grant. It
   * continues the grant if it was interrupted.
   * - A grant to many end users returns after at most ten seconds and continues. `done` of `endUsers` have
   * been credited.
   *
   * POST /v1/grants
   * @throws ApiError not_found, idempotency_mismatch
   */
  issue(input: GrantsIssueInput, options?: CallOptions): Call<types.Grant> {
    return this.#sender.call(
      { id: 'grants.issue', method: 'POST', path: '/v1/grants', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Show a grant. Returns one grant, with its progress and its reversals.
   *
   * GET /v1/grants/{id} (an extension)
   * @throws ApiError not_found
   */
  show(input: GrantsShowInput, options?: CallOptions): Call<types.Grant> {
    return this.#sender.call(
      { id: 'grants.show', method: 'GET', path: '/v1/grants/{id}' },
      input,
      options,
    )
  }

  /**
   * Reverse a grant. Takes back the unspent credit of a grant from some or all of its end users, in the
   * mode of the grant.
   *
   * - Gifts are spent oldest first. Credit that was spent, or that requests in flight hold, is not taken
   * back.
   * - Repeating the reversal takes back credit that was released since, and never takes credit twice.
   * - A reversal for many end users returns after at most ten seconds and continues: `done` of `endUsers`
   * have been processed.
   *
   * POST /v1/grants/{id}/reverse (an extension)
   * @throws ApiError not_found, grant_running
   */
  reverse(input: GrantsReverseInput, options?: CallOptions): Call<types.GrantReversal> {
    return this.#sender.call(
      { id: 'grants.reverse', method: 'POST', path: '/v1/grants/{id}/reverse', body: 'json', isKeyed: true },
      input,
      options,
    )
  }
}
