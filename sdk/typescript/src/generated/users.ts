// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { PageCall } from '../page.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions } from '../settings.ts'
import type * as types from './types.ts'

/** Of users.list: list end users. */
export interface UsersListInput {
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. Omit for the first page. At most 1200 characters. */
  cursor?: string | undefined
  /**
   * Sort order: `created`, `name` (the external ID), `balance` (`balance.balanceUnits`), `spent`
   * (`usage.billedMicros`), or `last_seen` (`lastSeenAt`; null comes first in ascending order). Defaults to
   * `created`. `created` when left out.
   */
  sort?: 'created' | 'name' | 'balance' | 'spent' | 'last_seen' | undefined
  /**
   * Sort direction. Defaults to `asc` for `name` and to `desc` for other orders. Rows with equal values are
   * sorted by ID.
   */
  direction?: 'asc' | 'desc' | undefined
  /** Slug of a bundle. Returns only end users on this bundle. 1 to 64 characters. */
  bundle?: string | undefined
  /**
   * Returns only end users whose external ID or email address contains this text, or whose ID is this text.
   * Case is ignored. 1 to 128 characters.
   */
  search?: string | undefined
  /** Returns only end users in this state. `active` means not frozen. */
  state?: 'active' | 'frozen' | undefined
  /** Whether to return the number of all matching end users. Defaults to false. */
  total?: boolean | undefined
}

/** What users.list answers. */
export interface UsersListOutput {
  data: types.EndUser[]
  nextCursor: string | null
  /** Number of matching end users on all pages. Omitted unless `total` is requested. */
  total?: number
}

/** Of users.show: show an end user. */
export interface UsersShowInput {
  /** External ID of the end user, or their ID, `eu_…`. 1 to 256 characters. */
  externalId: string
}

/** Of users.create: create or update an end user. */
export interface UsersCreateInput {
  /** External ID of the end user, chosen by the application. 1 to 256 characters. */
  externalId: string
  /**
   * Email address of the end user. Omit to keep the current value; set to null to remove it. At most 254
   * characters.
   */
  email?: string | null | undefined
  /**
   * Slug of the bundle. Defaults to the default bundle of the application. Omit to keep the current value.
   */
  bundle?: string | undefined
}

/** Of users.rm: delete an end user. */
export interface UsersRmInput {
  /** External ID of the end user, or their ID, `eu_…`. 1 to 256 characters. */
  externalId: string
}

/** Of users.adjust: adjust an end user's balance. */
export interface UsersAdjustInput {
  /** External ID of the end user, or their ID, `eu_…`. 1 to 256 characters. */
  externalId: string
  /** Amount to add, in micros. Negative to subtract from the balance. An integer as a decimal string. */
  amountUnits: string | bigint
  /** Reason shown on the ledger of the end user. 1 to 256 characters. */
  reason: string
}

/** Of users.freeze: freeze an end user. */
export interface UsersFreezeInput {
  /** External ID of the end user, or their ID, `eu_…`. 1 to 256 characters. */
  externalId: string
  /**
   * Reason for the freeze, for the team. Omit to keep the current reason. Never shown to the end user. 1 to
   * 256 characters.
   */
  reason?: string | undefined
}

/** Of users.ledger: list ledger entries. */
export interface UsersLedgerInput {
  /**
   * External ID of the end user, or their ID, `eu_…`. A deleted end user is found by ID only. 1 to 256
   * characters.
   */
  externalId: string
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. Omit for the first page. At most 1200 characters. */
  cursor?: string | undefined
  /**
   * `wallet`: entries of the wallet. `all`: also entries of pools and on-demand billing. Defaults to
   * `wallet`. `wallet` when left out.
   */
  source?: 'wallet' | 'all' | undefined
}

/** What users.ledger answers. */
export interface UsersLedgerOutput {
  data: types.LedgerEntry[]
  nextCursor: string | null
}

/** Of users.limit: set an end user's limits. */
export interface UsersLimitInput {
  /** External ID of the end user, or their ID, `eu_…`. 1 to 256 characters. */
  externalId: string
  /** Limits of the end user, at most one per window. At most 4 of them. */
  limits: readonly types.EndUserLimit[]
}

/** Of users.limits: show an end user's limits. */
export interface UsersLimitsInput {
  /** External ID of the end user, or their ID, `eu_…`. 1 to 256 characters. */
  externalId: string
}

/** Of users.subscribe: put an end user on a plan. */
export interface UsersSubscribeInput {
  /** External ID of the end user, or their ID, `eu_…`. 1 to 256 characters. */
  externalId: string
  /** Slug of the bundle. */
  bundle: string
}

/** Of users.topUp: add paid credit. */
export interface UsersTopUpInput {
  /** External ID of the end user, or their ID, `eu_…`. 1 to 256 characters. */
  externalId: string
  /** Amount that was paid, in micros. An integer as a decimal string. */
  amountUnits: string | bigint
  /** Reference of the payment at the payment provider. 1 to 255 characters. */
  paymentReference: string
  /**
   * Reason shown on the ledger of the end user. Defaults to `top-up`. 1 to 256 characters. `top-up` when
   * left out.
   */
  reason?: string | undefined
}

/** Of users.unfreeze: unfreeze an end user. */
export interface UsersUnfreezeInput {
  /** External ID of the end user, or their ID, `eu_…`. 1 to 256 characters. */
  externalId: string
}

/** End users and their balances. */
export class Users {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List end users. Returns the end users of the application with balance and usage in the mode of the
   * request, newest first unless `sort` is set. Any other sort order than `created` reads all matching end
   * users for each page.
   *
   * GET /v1/end-users
   * @throws ApiError not_found
   */
  list(input?: UsersListInput, options?: CallOptions): PageCall<types.EndUser, UsersListOutput> {
    return this.#sender.page(
      { id: 'users.list', method: 'GET', path: '/v1/end-users', query: ['limit', 'cursor', 'sort', 'direction', 'bundle', 'search', 'state', 'total'] },
      input,
      options,
    )
  }

  /**
   * Show an end user. Returns an end user, with balance and usage in the mode of the request.
   *
   * GET /v1/end-users/{externalId}
   * @throws ApiError not_found
   */
  show(input: UsersShowInput, options?: CallOptions): Call<types.EndUser> {
    return this.#sender.call(
      { id: 'users.show', method: 'GET', path: '/v1/end-users/{externalId}' },
      input,
      options,
    )
  }

  /**
   * Create or update an end user. Creates an end user on the given bundle or on the default bundle, or
   * changes the email and the bundle of an existing end user. Repeating the request changes nothing.
   *
   * - The bundle applies in the mode of the request. An end user who is created in test mode has no plan in
   * live mode until a request in live mode sets one.
   * - A deleted end user with this external ID is not restored. The request creates a new end user.
   *
   * PUT /v1/end-users/{externalId}
   * @throws ApiError not_found, bundle_required, already_exists
   */
  create(input: UsersCreateInput, options?: CallOptions): Call<types.EndUser> {
    return this.#sender.call(
      { id: 'users.create', method: 'PUT', path: '/v1/end-users/{externalId}', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Delete an end user. Deletes an end user in both modes, and returns the deleted end user with the ID,
   * `eu_…`.
   *
   * - Keys are revoked immediately. Requests in flight continue and are charged.
   * - Pools lose their remaining credit. Invoices that are not due yet are voided; due invoices remain
   * owed.
   * - The external ID, the email address and the names of keys are erased. The external ID can be used for
   * a new end user.
   * - Ledger, usage and requests remain on record under the ID.
   * - The wallet balance remains on the ledger and cannot be spent. A refund is the customer's decision.
   *
   * DELETE /v1/end-users/{externalId}
   * @throws ApiError not_found
   */
  rm(input: UsersRmInput, options?: CallOptions): Call<types.RemovedEndUser> {
    return this.#sender.call(
      { id: 'users.rm', method: 'DELETE', path: '/v1/end-users/{externalId}' },
      input,
      options,
    )
  }

  /**
   * Adjust an end user's balance. Adds an amount to the wallet of an end user, or subtracts one from it, in
   * the mode of the request. Send an `Idempotency-Key` so that a retry does not adjust twice.
   *
   * - A positive adjustment is a gift. A negative adjustment takes given credit before paid credit.
   * - If the balance would fall below the amount held by requests in flight, the operation fails with
   * `adjustment_too_large`.
   *
   * POST /v1/end-users/{externalId}/adjust (an extension)
   * @throws ApiError not_found, adjustment_too_large
   */
  adjust(input: UsersAdjustInput, options?: CallOptions): Call<types.BalanceChange> {
    return this.#sender.call(
      { id: 'users.adjust', method: 'POST', path: '/v1/end-users/{externalId}/adjust', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Freeze an end user. Stops all spending of an end user in both modes, starting with the next request.
   * Requests in flight continue and are charged. Keys and balance are kept. Freezing again keeps the time,
   * and replaces the reason if one is given.
   *
   * POST /v1/end-users/{externalId}/freeze
   * @throws ApiError not_found
   */
  freeze(input: UsersFreezeInput, options?: CallOptions): Call<types.EndUser> {
    return this.#sender.call(
      { id: 'users.freeze', method: 'POST', path: '/v1/end-users/{externalId}/freeze', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * List ledger entries. Returns the ledger entries of an end user's wallet in the mode of the request,
   * newest first. Entries are never changed or deleted, even if the end user is deleted.
   *
   * GET /v1/end-users/{externalId}/ledger
   * @throws ApiError not_found
   */
  ledger(input: UsersLedgerInput, options?: CallOptions): PageCall<types.LedgerEntry, UsersLedgerOutput> {
    return this.#sender.page(
      { id: 'users.ledger', method: 'GET', path: '/v1/end-users/{externalId}/ledger', query: ['limit', 'cursor', 'source'] },
      input,
      options,
    )
  }

  /**
   * Set an end user's limits. Replaces the limits of an end user in the mode of the request. An empty list
   * removes all limits. The limits apply over all keys and plans, and count earlier spend in the current
   * window. They take effect with the next request; requests in flight are not affected.
   *
   * PUT /v1/end-users/{externalId}/limit (an extension)
   * @throws ApiError not_found
   */
  limit(input: UsersLimitInput, options?: CallOptions): Call<types.EndUser> {
    return this.#sender.call(
      { id: 'users.limit', method: 'PUT', path: '/v1/end-users/{externalId}/limit', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Show an end user's limits. Returns the limits of an end user in the mode of the request, with used and
   * held amounts, and the spending pace. The wallet is not included. The limits are:
   * - pools, in the order in which they pay
   * - credit that expires
   * - on-demand billing, if it is on
   * - the spend limit of the plan
   * - the limits of the end user
   * - the total of all keys created in the portal
   * - the caps of usable keys (keys that have not expired or been revoked).
   *
   * GET /v1/end-users/{externalId}/limits (an extension)
   * @throws ApiError not_found
   */
  limits(input: UsersLimitsInput, options?: CallOptions): Call<types.UserLimits> {
    return this.#sender.call(
      { id: 'users.limits', method: 'GET', path: '/v1/end-users/{externalId}/limits' },
      input,
      options,
    )
  }

  /**
   * Put an end user on a plan. Puts an end user on a plan in the mode of the request, starting with the
   * next request. A pending cancellation is withdrawn. If the end user is already on the plan at its
   * current price, nothing changes.
   *
   * - Modes: a change in live mode also applies in test mode, until test mode has its own plan. A change in
   * test mode never affects live mode.
   * - Pools: the remaining credit of the old plan's pools is removed, and returns with that plan. Amounts
   * that other plans paid in this period count as `consumed` in recurring pools of the same unit, so
   * switching back and forth gains nothing. Each change is on the ledger. The periods are kept.
   * - Invoices: a plan with a price is invoiced for the remaining days of its period. If the old plan costs
   * less per day, its remaining days are deducted. A plan that does not cost more per day is invoiced from
   * the end of the invoiced time.
   *
   * PUT /v1/end-users/{externalId}/subscription
   * @throws ApiError not_found
   */
  subscribe(input: UsersSubscribeInput, options?: CallOptions): Call<types.Subscription> {
    return this.#sender.call(
      { id: 'users.subscribe', method: 'PUT', path: '/v1/end-users/{externalId}/subscription', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Add paid credit. Adds paid credit to the wallet of an end user in the mode of the request. Paid credit
   * counts as revenue when it is spent; use a grant for a gift.
   *
   * - A payment reference is credited once per application and mode.
   * - Repeating the reference with the same end user and amount returns the first response. Other values
   * fail with `payment_reference_used`.
   *
   * POST /v1/end-users/{externalId}/top-up (an extension)
   * @throws ApiError not_found, payment_reference_used
   */
  topUp(input: UsersTopUpInput, options?: CallOptions): Call<types.BalanceChange> {
    return this.#sender.call(
      { id: 'users.topUp', method: 'POST', path: '/v1/end-users/{externalId}/top-up', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Unfreeze an end user. Allows an end user to spend again in both modes, starting with the next request.
   * Unfreezing an end user who is not frozen changes nothing.
   *
   * POST /v1/end-users/{externalId}/unfreeze
   * @throws ApiError not_found
   */
  unfreeze(input: UsersUnfreezeInput, options?: CallOptions): Call<types.EndUser> {
    return this.#sender.call(
      { id: 'users.unfreeze', method: 'POST', path: '/v1/end-users/{externalId}/unfreeze', isKeyed: true },
      input,
      options,
    )
  }
}
