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
  /** `nextCursor` of the page before. At most 1200 characters. */
  cursor?: string | undefined
}

/** What grants.list answers. */
export interface GrantsListOutput {
  data: types.Grant[]
  nextCursor: string | null
}

/** Of grants.issue: credit end users. */
export type GrantsIssueInput = {
  /** External ids of people. 1 to 10000 of them. */
  endUsers: readonly string[]
  /** What each person is credited, in micros. An integer as a decimal string. */
  amountUnits: string | bigint
  /** Written to the ledger of each person. 1 to 256 characters. */
  reason: string
  /** When the credit can first be spent. Requires `expiresAt`. Omit or set to null for now. ISO 8601. */
  startsAt?: string | Date | null | undefined
  /**
   * When what is unspent of the credit expires, in the future and after `startsAt`. Omit or set to null for
   * credit that does not expire. ISO 8601.
   */
  expiresAt?: string | Date | null | undefined
  /** Key that credits each person once; the header may replace it. 1 to 255 characters. */
  idempotencyKey?: string | undefined
} | {
  /** Slug: everyone on that bundle now. */
  bundle: string
  /** What each person is credited, in micros. An integer as a decimal string. */
  amountUnits: string | bigint
  /** Written to the ledger of each person. 1 to 256 characters. */
  reason: string
  /** When the credit can first be spent. Requires `expiresAt`. Omit or set to null for now. ISO 8601. */
  startsAt?: string | Date | null | undefined
  /**
   * When what is unspent of the credit expires, in the future and after `startsAt`. Omit or set to null for
   * credit that does not expire. ISO 8601.
   */
  expiresAt?: string | Date | null | undefined
  /** Key that credits each person once; the header may replace it. 1 to 255 characters. */
  idempotencyKey?: string | undefined
} | {
  /** True: everyone in the application now. */
  everyone: true
  /** What each person is credited, in micros. An integer as a decimal string. */
  amountUnits: string | bigint
  /** Written to the ledger of each person. 1 to 256 characters. */
  reason: string
  /** When the credit can first be spent. Requires `expiresAt`. Omit or set to null for now. ISO 8601. */
  startsAt?: string | Date | null | undefined
  /**
   * When what is unspent of the credit expires, in the future and after `startsAt`. Omit or set to null for
   * credit that does not expire. ISO 8601.
   */
  expiresAt?: string | Date | null | undefined
  /** Key that credits each person once; the header may replace it. 1 to 255 characters. */
  idempotencyKey?: string | undefined
}

/** Of grants.show: show a grant. */
export interface GrantsShowInput {
  /** Id of the grant, `gr_…`. 1 to 64 characters. */
  id: string
}

/** Of grants.reverse: reverse a grant. */
export interface GrantsReverseInput {
  /** Id of the grant, `gr_…`. 1 to 64 characters. */
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
   * List grants. Grants issued in the mode of the request, newest first.
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
   * Credit end users. Credits each end user with the same amount, in the mode of the request. Without
   * `expiresAt` the credit goes to the wallet. With `expiresAt` it is spent before the wallet, the soonest
   * to expire first, and what is unspent then expires with a ledger entry. Plan pools are never credited.
   * Name the end users with exactly one of `endUsers`, `bundle` and `everyone`. Who they are is fixed when
   * it is issued, and each of them gets it once for ever. The same idempotency key, in the body or in the
   * header, is the same grant; it goes on where it was interrupted. A grant to many is answered after ten
   * seconds at most and goes on: `done` of `endUsers` have it.
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
   * Show a grant. Returns one grant: how many of its end users have it so far, and what was taken back.
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
   * Reverse a grant. Takes back what is unspent of a grant, from the end users named or from all of them,
   * in the mode of the grant. Gifts are spent oldest first. Credit that was spent, or that requests in
   * flight hold, is not taken. Repeating the reversal takes what has become free since, and nothing twice.
   * A reversal for many end users returns after ten seconds at most and continues: see `done` and
   * `endUsers`.
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
