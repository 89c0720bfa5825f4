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
  /** `nextCursor` of the page before. At most 1200 characters. */
  cursor?: string | undefined
  /**
   * Sort order: `created`, `name` (the external ID), `balance` (`balance.balanceUnits`), `spent`
   * (`usage.billedMicros`), or `last_seen` (`lastSeenAt`; null comes first in ascending order). Defaults to
   * `created`. `created` when left out.
   */
  sort?: 'created' | 'name' | 'balance' | 'spent' | 'last_seen' | undefined
  /**
   * Sort direction. Defaults to `asc` for `name` and to `desc` otherwise. Rows with equal values are in the
   * order of their IDs.
   */
  direction?: 'asc' | 'desc' | undefined
  /** Slug. Returns only end users on that bundle. 1 to 64 characters. */
  bundle?: string | undefined
  /**
   * Returns only end users whose external ID or email address contains this text, in upper or lower case,
   * or whose ID it is. 1 to 128 characters.
   */
  search?: string | undefined
  /** Returns only end users in that state. `active` means not frozen. */
  state?: 'active' | 'frozen' | undefined
  /** Whether to count all matching end users. */
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

/** Of users.create: provision an end user. */
export interface UsersCreateInput {
  /** The customer's own id of the person. 1 to 256 characters. */
  externalId: string
  /** Email address. Omit to keep the current value; set to null to remove it. At most 254 characters. */
  email?: string | null | undefined
  /**
   * Slug of the bundle. Defaults to the default bundle of the application. Omit to keep the current value.
   */
  bundle?: string | undefined
}

/** Of users.rm: remove an end user. */
export interface UsersRmInput {
  /** External ID of the end user, or their ID, `eu_…`. 1 to 256 characters. */
  externalId: string
}

/** Of users.adjust: adjust an end user's balance. */
export interface UsersAdjustInput {
  /** External ID of the end user, or their ID, `eu_…`. 1 to 256 characters. */
  externalId: string
  /** Amount to add, in micros. Negative to take from the balance. An integer as a decimal string. */
  amountUnits: string | bigint
  /** Reason shown on the ledger of the end user. 1 to 256 characters. */
  reason: string
}

/** Of users.freeze: stop an end user's spending. */
export interface UsersFreezeInput {
  /** External ID of the end user, or their ID, `eu_…`. 1 to 256 characters. */
  externalId: string
  /** Reason for the team. Omit for none. Never shown to the end user. 1 to 256 characters. */
  reason?: string | undefined
}

/** Of users.ledger: list balance entries. */
export interface UsersLedgerInput {
  /**
   * External ID of the end user, or their ID, `eu_…`. A deleted end user is found by ID only. 1 to 256
   * characters.
   */
  externalId: string
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the page before. At most 1200 characters. */
  cursor?: string | undefined
  /** `all`: pools and on-demand too. `wallet` when left out. */
  source?: 'wallet' | 'all' | undefined
}

/** What users.ledger answers. */
export interface UsersLedgerOutput {
  data: types.LedgerEntry[]
  nextCursor: string | null
}

/** Of users.limit: set the limits of an end user. */
export interface UsersLimitInput {
  /** External ID of the end user, or their ID, `eu_…`. 1 to 256 characters. */
  externalId: string
  /** The limits, at most one per window. At most 4 of them. */
  limits: readonly types.EndUserLimit[]
}

/** Of users.limits: show what bounds an end user's spending. */
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

/** Of users.unfreeze: let an end user spend again. */
export interface UsersUnfreezeInput {
  /** External ID of the end user, or their ID, `eu_…`. 1 to 256 characters. */
  externalId: string
}

/** End users, and what moved their balance. */
export class Users {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List end users. Returns the end users of the application with balance and usage in the mode of the
   * request, newest first unless `sort` is set. Sorting by anything but `created` reads all matching end
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
   * Show an end user. One person, with balance and usage in the mode of the request.
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
   * Provision an end user. Creates the end user on the named bundle or the default bundle, or changes the
   * email and the bundle of an existing end user. Repeating the request changes nothing. The bundle applies
   * in the mode of the request: an end user who is created in test mode has no plan in live mode until a
   * request in live mode gives them one. A removed end user with this external ID is not restored: the
   * request creates a new end user.
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
   * Remove an end user. Ends the person's keys in both modes from the next call on, and takes off their
   * pools what is free; calls in flight end and are charged. Invoices that are not due yet are void, those
   * that are remain owed. External id, email and names of keys are forgotten; ledger, usage and requests
   * stay under the service's own id, which this answers, and under which they can still be read. What is
   * left in the wallet stays on the ledger as it is: nobody can spend it, and whether to pay it back is the
   * customer's decision. The external id is free again, for a new person.
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
   * Adjust an end user's balance. Adds an amount to the wallet of an end user, or takes one from it, in the
   * mode of the request. A positive adjustment is a gift; a negative one takes given credit before paid
   * credit. The balance never falls below what requests in flight hold: a larger amount fails with
   * `adjustment_too_large`. Send an `Idempotency-Key` so that a retry does not adjust twice.
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
   * Stop an end user's spending. Stops all spending in both modes, starting with the next request. Requests
   * in flight end and are charged. Keys and balance are kept. Freezing again keeps the time, and replaces
   * the reason if one is given.
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
   * List balance entries. What moved a person's wallet in the mode of the request, newest first. Entries
   * are never changed or removed, also when the person is.
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
   * Set the limits of an end user. Replaces the limits of one end user in the mode of the request; an empty
   * list removes all of them. The limits count every key and every plan of the end user, including what was
   * spent in the current window before. They take effect with the next request; requests in flight are not
   * affected.
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
   * Show what bounds an end user's spending. Everything besides the wallet that bounds the next call of a
   * person, with what is used and held of each, in the mode of the request: pools in the order in which
   * they pay, overage where it is on, the spend limit of the plan, the limits of the end user, the total of
   * keys created in the portal, and the caps of keys that can be used. And how fast they spend.
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
   * Put an end user on a plan. Takes effect with the next request, in the mode of the request. In live mode
   * it applies to test mode too, until a request in test mode has put the end user on a plan there; a
   * request in test mode never changes live mode. What is left of the pools of the old plan is taken off
   * them, and returns with the plan. From the recurring pools of the new one is taken what other plans have
   * paid in this period in the same unit, and their `consumed` says so: moving to and fro yields nothing.
   * Each of it has its entry on the ledger. The periods stay where they are. A plan with a price is
   * invoiced for the days that are left of its period; from a plan that costs less a day, less the days of
   * that one that are left. Moving to a plan that costs no more a day is invoiced from the end of what was
   * invoiced already. A cancellation is taken back. Being on the plan at its present price already changes
   * nothing.
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
   * Add paid credit. Adds money that the end user paid for to their wallet, in the mode of the request.
   * Paid credit counts as revenue when it is spent; use a grant for a gift. A payment reference credits
   * once per application and mode: the same reference with the same end user and amount returns the first
   * response, and with other values fails with `payment_reference_used`.
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
   * Let an end user spend again. From the next call on. Unfreezing someone who may spend changes nothing.
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
