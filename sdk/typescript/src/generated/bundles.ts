// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { PageCall } from '../page.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions, ConditionalOptions } from '../settings.ts'
import type * as types from './types.ts'

/** Of bundles.list: list bundles. */
export interface BundlesListInput {
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. Omit for the first page. At most 1200 characters. */
  cursor?: string | undefined
  /** Sort order: `created` or `name` (`displayName`). Defaults to `created`. `created` when left out. */
  sort?: 'created' | 'name' | undefined
  /**
   * Sort direction. Defaults to `asc` for `name` and to `desc` for other orders. Rows with equal values are
   * sorted by ID.
   */
  direction?: 'asc' | 'desc' | undefined
}

/** What bundles.list answers. */
export interface BundlesListOutput {
  data: types.Bundle[]
  nextCursor: string | null
}

/** Of bundles.show: show a bundle. */
export interface BundlesShowInput {
  /** Slug of the bundle. 1 to 64 characters. */
  slug: string
}

/** Of bundles.create: create a bundle. */
export interface BundlesCreateInput {
  /** Slug of the bundle. */
  slug: string
  /** Display name. Required on creation. Omit to keep the current value. 1 to 128 characters. */
  displayName?: string | undefined
  /**
   * Price per interval, in micros. Null means that the bundle is not a subscription. End users on the
   * bundle keep their price until they are put on it again. Omit to keep the current value; set to null to
   * remove it. An integer as a decimal string.
   */
  priceMicros?: string | bigint | null | undefined
  /**
   * Billing interval. Defaults to `month`. Omit to keep the current value; set to null to reset it to the
   * default.
   */
  interval?: 'month' | 'year' | null | undefined
  /**
   * Maximum spend of each end user per period, in micros. Null means no limit. Omit to keep the current
   * value; set to null to remove it. An integer as a decimal string.
   */
  spendLimitMicros?: string | bigint | null | undefined
  /**
   * Period after which `spendLimitMicros` resets (UTC). `total` means that it never resets. Defaults to
   * `month`. Omit to keep the current value; set to null to reset it to the default.
   */
  spendLimitPeriod?: 'day' | 'week' | 'month' | 'total' | null | undefined
  /**
   * Handling of a stream that has used up its hold. `hard_token` stops the stream. `complete_message` lets
   * it finish. `grace` lets it continue by up to `maxOverdraftMicros`. Defaults to `hard_token`. Omit to
   * keep the current value; set to null to reset it to the default.
   */
  terminationPolicy?: 'hard_token' | 'complete_message' | 'grace' | null | undefined
  /**
   * Maximum amount by which a request can exceed its hold under `grace`, in micros. Defaults to `0`. Omit
   * to keep the current value; set to null to reset it to the default. An integer as a decimal string.
   */
  maxOverdraftMicros?: string | bigint | null | undefined
  /**
   * Price that holds, charges, caps and limits are computed from. End users see this price in the portal.
   * Defaults to `provider_cost`. Omit to keep the current value; set to null to reset it to the default.
   */
  debitBasis?: 'provider_cost' | 'sell_price' | null | undefined
  /**
   * Name of the currency of the credits. Null if the bundle has no credits. It cannot change while end
   * users hold credits of the bundle. Omit to keep the current value; set to null to remove it. 1 to 32
   * characters.
   */
  creditCurrency?: string | null | undefined
  /**
   * Handling of a stream when an end user of the bundle disconnects before its end. Null means the setting
   * of the provider account. Omit to keep the current value; set to null to remove it.
   */
  onClientLeft?: 'cut' | 'drain' | null | undefined
}

/** Of bundles.edit: change a bundle. */
export interface BundlesEditInput {
  /** Slug of the bundle. 1 to 64 characters. */
  slug: string
  /** Display name. 1 to 128 characters. */
  displayName?: string | undefined
  /**
   * Price per interval, in micros. Null means that the bundle is not a subscription. End users on the
   * bundle keep their price until they are put on it again. Omit to keep the current value; set to null to
   * remove it. An integer as a decimal string.
   */
  priceMicros?: string | bigint | null | undefined
  /**
   * Billing interval. Defaults to `month`. Omit to keep the current value; set to null to reset it to the
   * default.
   */
  interval?: 'month' | 'year' | null | undefined
  /**
   * Maximum spend of each end user per period, in micros. Null means no limit. Omit to keep the current
   * value; set to null to remove it. An integer as a decimal string.
   */
  spendLimitMicros?: string | bigint | null | undefined
  /**
   * Period after which `spendLimitMicros` resets (UTC). `total` means that it never resets. Defaults to
   * `month`. Omit to keep the current value; set to null to reset it to the default.
   */
  spendLimitPeriod?: 'day' | 'week' | 'month' | 'total' | null | undefined
  /**
   * Handling of a stream that has used up its hold. `hard_token` stops the stream. `complete_message` lets
   * it finish. `grace` lets it continue by up to `maxOverdraftMicros`. Defaults to `hard_token`. Omit to
   * keep the current value; set to null to reset it to the default.
   */
  terminationPolicy?: 'hard_token' | 'complete_message' | 'grace' | null | undefined
  /**
   * Maximum amount by which a request can exceed its hold under `grace`, in micros. Defaults to `0`. Omit
   * to keep the current value; set to null to reset it to the default. An integer as a decimal string.
   */
  maxOverdraftMicros?: string | bigint | null | undefined
  /**
   * Price that holds, charges, caps and limits are computed from. End users see this price in the portal.
   * Defaults to `provider_cost`. Omit to keep the current value; set to null to reset it to the default.
   */
  debitBasis?: 'provider_cost' | 'sell_price' | null | undefined
  /**
   * Name of the currency of the credits. Null if the bundle has no credits. It cannot change while end
   * users hold credits of the bundle. Omit to keep the current value; set to null to remove it. 1 to 32
   * characters.
   */
  creditCurrency?: string | null | undefined
  /**
   * Handling of a stream when an end user of the bundle disconnects before its end. Null means the setting
   * of the provider account. Omit to keep the current value; set to null to remove it.
   */
  onClientLeft?: 'cut' | 'drain' | null | undefined
}

/** Of bundles.rm: delete a bundle. */
export interface BundlesRmInput {
  /** Slug of the bundle. 1 to 64 characters. */
  slug: string
}

/** Of bundles.allow: allow models in a bundle. */
export interface BundlesAllowInput {
  /** Slug of the bundle. 1 to 64 characters. */
  slug: string
  /** Patterns: model or router names, prefixes with a trailing `*`, or `*`. 1 to 200 of them. */
  models: readonly string[]
}

/** Of bundles.default: make a bundle the default. */
export interface BundlesDefaultInput {
  /** Slug of the bundle. 1 to 64 characters. */
  slug: string
}

/** Of bundles.deny: deny models in a bundle. */
export interface BundlesDenyInput {
  /** Slug of the bundle. 1 to 64 characters. */
  slug: string
  /** Patterns: model or router names, prefixes with a trailing `*`, or `*`. 1 to 200 of them. */
  models: readonly string[]
}

/** Of bundles.include: set an include. */
export interface BundlesIncludeInput {
  /** Slug of the bundle. 1 to 64 characters. */
  bundleSlug: string
  /** Slug of the include and of its pools. */
  slug: string
  /** Display name. Required on creation. Omit to keep the current value. 1 to 128 characters. */
  displayName?: string | undefined
  /** Unit of `amount`. Required on creation. Omit to keep the current value. */
  unit?: 'credits' | 'micros' | undefined
  /**
   * Amount of each grant, in micros or millionths of a credit. Required on creation. Omit to keep the
   * current value. An integer as a decimal string.
   */
  amount?: string | bigint | undefined
  /**
   * Separate price of the include, in micros. Null means that the include is free. Omit to keep the current
   * value; set to null to remove it. An integer as a decimal string.
   */
  price?: string | bigint | null | undefined
  /**
   * Whether the wallet and on-demand billing cover usage after this pool is exhausted. Defaults to `true`.
   * Omit to keep the current value; set to null to reset it to the default.
   */
  thenOnDemand?: boolean | null | undefined
  /**
   * Whether the amount is granted every period. False means once, at sign-up. Defaults to `true`. Omit to
   * keep the current value; set to null to reset it to the default.
   */
  recurring?: boolean | null | undefined
  /**
   * Source that pays the rest of a request when the pool is exhausted.
   *
   * - A slug means that include of the bundle.
   * - `*` means the next pool that covers the request: fewest models first, then soonest end, free before
   * paid, oldest.
   * - Null means no other pool. `thenOnDemand` then decides whether the wallet and on-demand billing pay.
   * Defaults to `*`. Omit to keep the current value.
   */
  spilloverTo?: string | null | undefined
  /**
   * Models that the pool can pay for. Null means every model in the bundle. Omit to keep the current value;
   * set to null to remove it. 1 to 200 of them.
   */
  models?: readonly string[] | null | undefined
  /**
   * Part of a recurring include that is carried over at the end of a month. Null means that the unspent
   * amount expires. Omit to keep the current value; set to null to remove it.
   */
  rollover?: {
    /** Share of the unspent amount that is carried over, in percent, rounded down. From 1 to 100. */
    percent: number
    /** Maximum number of times that the same units are carried over, up to 12. From 1 to 12. */
    periodsMax: number
  } | null | undefined
}

/** Of bundles.price: set the price of a model. */
export interface BundlesPriceInput {
  /** Slug of the bundle. 1 to 64 characters. */
  slug: string
  /** Exact name of the model or router. */
  model: string
  /** Sell price. Null means that the model is sold at cost. */
  price?: types.Price | null | undefined
  /** Price in millionths of a credit. Null means that credits cannot pay for the model. */
  credits?: types.Price | null | undefined
  /**
   * Price that end users are charged for all models of the bundle: `sell_price` or `provider_cost`. Omit to
   * keep the current value.
   */
  debitBasis?: 'provider_cost' | 'sell_price' | undefined
}

/** Plans: which models they allow, at which prices, with which limits and credit. */
export class Bundles {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List bundles. Returns the bundles of the application, newest first unless `sort` is set.
   *
   * GET /v1/bundles
   */
  list(input?: BundlesListInput, options?: CallOptions): PageCall<types.Bundle, BundlesListOutput> {
    return this.#sender.page(
      { id: 'bundles.list', method: 'GET', path: '/v1/bundles', query: ['limit', 'cursor', 'sort', 'direction'] },
      input,
      options,
    )
  }

  /**
   * Show a bundle. Returns one bundle with its patterns, prices and includes.
   *
   * GET /v1/bundles/{slug}
   * @throws ApiError not_found
   */
  show(input: BundlesShowInput, options?: ConditionalOptions): Call<types.Bundle> {
    return this.#sender.call(
      { id: 'bundles.show', method: 'GET', path: '/v1/bundles/{slug}' },
      input,
      options,
    )
  }

  /**
   * Create a bundle. Creates the bundle with this slug, or changes the given fields of the existing bundle.
   *
   * - Models, prices and includes have operations of their own and are not changed.
   * - The first bundle of an application becomes the default for new end users.
   * - A new bundle gives access to no model until `bundles.allow` adds one.
   *
   * PUT /v1/bundles/{slug}
   * @throws ApiError in_use
   */
  create(input: BundlesCreateInput, options?: ConditionalOptions): Call<types.Bundle> {
    return this.#sender.call(
      { id: 'bundles.create', method: 'PUT', path: '/v1/bundles/{slug}', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Change a bundle. Changes the given fields, starting with the next request. Omitted fields keep their
   * values, and null removes a price or a limit. Pools that were already granted do not change.
   *
   * PATCH /v1/bundles/{slug}
   * @throws ApiError not_found, in_use
   */
  edit(input: BundlesEditInput, options?: ConditionalOptions): Call<types.Bundle> {
    return this.#sender.call(
      { id: 'bundles.edit', method: 'PATCH', path: '/v1/bundles/{slug}', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Delete a bundle. Deletes the bundle with its prices and includes, and returns the deleted bundle.
   *
   * - If end users are on the bundle, the request returns 409 `in_use` with their number. The default
   * bundle can be deleted only if it is the only bundle.
   * - Grants and payments of its pools remain on the ledger under its slug.
   * - If a bundle is created again under the slug, it starts empty. It counts as the same plan for earlier
   * end users, so a sign-up include is not granted twice.
   *
   * DELETE /v1/bundles/{slug}
   * @throws ApiError not_found, in_use
   */
  rm(input: BundlesRmInput, options?: ConditionalOptions): Call<types.Bundle> {
    return this.#sender.call(
      { id: 'bundles.rm', method: 'DELETE', path: '/v1/bundles/{slug}' },
      input,
      options,
    )
  }

  /**
   * Allow models in a bundle. Adds the patterns to `allow` and removes the same patterns from `deny`.
   * `deny` overrides `allow`, so a name that another `deny` pattern matches remains denied. A pattern that
   * matches no name of the application is rejected, except `*`.
   *
   * POST /v1/bundles/{slug}/allow
   * @throws ApiError not_found, unknown_model_pattern
   */
  allow(input: BundlesAllowInput, options?: ConditionalOptions): Call<types.Bundle> {
    return this.#sender.call(
      { id: 'bundles.allow', method: 'POST', path: '/v1/bundles/{slug}/allow', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Make a bundle the default. Makes the bundle the default. New end users get the default bundle unless
   * the request sets another one. Existing end users keep their bundle.
   *
   * POST /v1/bundles/{slug}/default
   * @throws ApiError not_found
   */
  default(input: BundlesDefaultInput, options?: ConditionalOptions): Call<types.Bundle> {
    return this.#sender.call(
      { id: 'bundles.default', method: 'POST', path: '/v1/bundles/{slug}/default', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Deny models in a bundle. Adds the patterns to `deny` and removes the same patterns from `allow`. `deny`
   * overrides `allow`. Takes effect with the next request.
   *
   * POST /v1/bundles/{slug}/deny
   * @throws ApiError not_found, unknown_model_pattern
   */
  deny(input: BundlesDenyInput, options?: ConditionalOptions): Call<types.Bundle> {
    return this.#sender.call(
      { id: 'bundles.deny', method: 'POST', path: '/v1/bundles/{slug}/deny', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Set an include. Adds the include to the bundle, or changes the given fields of the include with this
   * slug.
   *
   * - End users on the bundle get a recurring include with their next period. A one-time include is granted
   * only to end users who join the bundle later.
   * - Pools of the current period do not change.
   * - All credits of a bundle are in one currency, which is named `credits` until `creditCurrency` is set.
   *
   * POST /v1/bundles/{bundleSlug}/include
   * @throws ApiError not_found, unknown_model_pattern
   */
  include(input: BundlesIncludeInput, options?: ConditionalOptions): Call<types.BundleInclude> {
    return this.#sender.call(
      { id: 'bundles.include', method: 'POST', path: '/v1/bundles/{bundleSlug}/include', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Set the price of a model. Sets the sell price and the credit price of one model in the bundle.
   *
   * - An omitted price is kept, null removes the price, and a given price replaces the stored price whole.
   * - A price needs at least `input` and `output`. Set a free rate to 0 explicitly.
   * - If the provider account lacks a rate, the bundle still serves the model. The known rates are kept,
   * and the cost of other units is assumed (`assumedMicros`).
   * - If the bundle has a sell price but no request has set `debitBasis`, the response has a warning: end
   * users are charged what the provider charges.
   *
   * POST /v1/bundles/{slug}/price
   * @throws ApiError not_found
   */
  price(input: BundlesPriceInput, options?: ConditionalOptions): Call<types.Bundle> {
    return this.#sender.call(
      { id: 'bundles.price', method: 'POST', path: '/v1/bundles/{slug}/price', body: 'json', isKeyed: true },
      input,
      options,
    )
  }
}
