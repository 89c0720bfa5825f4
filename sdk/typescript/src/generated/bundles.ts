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
  /** `nextCursor` of the page before. At most 1200 characters. */
  cursor?: string | undefined
  /** Sort order: `created` or `name` (`displayName`). Defaults to `created`. `created` when left out. */
  sort?: 'created' | 'name' | undefined
  /**
   * Sort direction. Defaults to `asc` for `name` and to `desc` otherwise. Rows with equal values are in the
   * order of their IDs.
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
  /** Name for people. Required on creation; omit to keep the current value. 1 to 128 characters. */
  displayName?: string | undefined
  /**
   * Price per interval, in micros; a bundle with a price is a subscription. People who are on it keep the
   * price that they came for until they are put on it again. Omit to keep the current value; set to null to
   * remove it. An integer as a decimal string.
   */
  priceMicros?: string | bigint | null | undefined
  /**
   * Billing interval. Defaults to `month`. Omit to keep the current value; set to null to reset it to the
   * default.
   */
  interval?: 'month' | 'year' | null | undefined
  /**
   * Limit of each end user per period; null: no limit. Omit to keep the current value; set to null to
   * remove it. An integer as a decimal string.
   */
  spendLimitMicros?: string | bigint | null | undefined
  /**
   * When `spendLimitMicros` starts anew (UTC); `total`: never. Defaults to `month`. Omit to keep the
   * current value; set to null to reset it to the default.
   */
  spendLimitPeriod?: 'day' | 'week' | 'month' | 'total' | null | undefined
  /**
   * What happens when a stream has spent what was held for it: `hard_token` stops it, `complete_message`
   * never cuts, `grace` lets it run on by `maxOverdraftMicros`. Defaults to `hard_token`. Omit to keep the
   * current value; set to null to reset it to the default.
   */
  terminationPolicy?: 'hard_token' | 'complete_message' | 'grace' | null | undefined
  /**
   * How far a call may run past its hold under `grace`. Defaults to `0`. Omit to keep the current value;
   * set to null to reset it to the default. An integer as a decimal string.
   */
  maxOverdraftMicros?: string | bigint | null | undefined
  /**
   * Price that holds, charges, caps and limits are computed from. End users see this price in the portal.
   * Defaults to `provider_cost`. Omit to keep the current value; set to null to reset it to the default.
   */
  debitBasis?: 'provider_cost' | 'sell_price' | null | undefined
  /**
   * Name of the currency of its credits. Null if it has none. Cannot change while end users hold its
   * credits. Omit to keep the current value; set to null to remove it. 1 to 32 characters.
   */
  creditCurrency?: string | null | undefined
  /**
   * What happens to a stream when an end user of the bundle leaves before its end. Null means the setting
   * of the provider account. Omit to keep the current value; set to null to remove it.
   */
  onClientLeft?: 'cut' | 'drain' | null | undefined
}

/** Of bundles.edit: change a bundle. */
export interface BundlesEditInput {
  /** Slug of the bundle. 1 to 64 characters. */
  slug: string
  /** Name for people. 1 to 128 characters. */
  displayName?: string | undefined
  /**
   * Price per interval, in micros; a bundle with a price is a subscription. People who are on it keep the
   * price that they came for until they are put on it again. Omit to keep the current value; set to null to
   * remove it. An integer as a decimal string.
   */
  priceMicros?: string | bigint | null | undefined
  /**
   * Billing interval. Defaults to `month`. Omit to keep the current value; set to null to reset it to the
   * default.
   */
  interval?: 'month' | 'year' | null | undefined
  /**
   * Limit of each end user per period; null: no limit. Omit to keep the current value; set to null to
   * remove it. An integer as a decimal string.
   */
  spendLimitMicros?: string | bigint | null | undefined
  /**
   * When `spendLimitMicros` starts anew (UTC); `total`: never. Defaults to `month`. Omit to keep the
   * current value; set to null to reset it to the default.
   */
  spendLimitPeriod?: 'day' | 'week' | 'month' | 'total' | null | undefined
  /**
   * What happens when a stream has spent what was held for it: `hard_token` stops it, `complete_message`
   * never cuts, `grace` lets it run on by `maxOverdraftMicros`. Defaults to `hard_token`. Omit to keep the
   * current value; set to null to reset it to the default.
   */
  terminationPolicy?: 'hard_token' | 'complete_message' | 'grace' | null | undefined
  /**
   * How far a call may run past its hold under `grace`. Defaults to `0`. Omit to keep the current value;
   * set to null to reset it to the default. An integer as a decimal string.
   */
  maxOverdraftMicros?: string | bigint | null | undefined
  /**
   * Price that holds, charges, caps and limits are computed from. End users see this price in the portal.
   * Defaults to `provider_cost`. Omit to keep the current value; set to null to reset it to the default.
   */
  debitBasis?: 'provider_cost' | 'sell_price' | null | undefined
  /**
   * Name of the currency of its credits. Null if it has none. Cannot change while end users hold its
   * credits. Omit to keep the current value; set to null to remove it. 1 to 32 characters.
   */
  creditCurrency?: string | null | undefined
  /**
   * What happens to a stream when an end user of the bundle leaves before its end. Null means the setting
   * of the provider account. Omit to keep the current value; set to null to remove it.
   */
  onClientLeft?: 'cut' | 'drain' | null | undefined
}

/** Of bundles.rm: remove a bundle. */
export interface BundlesRmInput {
  /** Slug of the bundle. 1 to 64 characters. */
  slug: string
}

/** Of bundles.allow: allow models in a bundle. */
export interface BundlesAllowInput {
  /** Slug of the bundle. 1 to 64 characters. */
  slug: string
  /** Names, prefixes with a trailing `*`, or `*`. 1 to 200 of them. */
  models: readonly string[]
}

/** Of bundles.default: give a bundle to new end users. */
export interface BundlesDefaultInput {
  /** Slug of the bundle. 1 to 64 characters. */
  slug: string
}

/** Of bundles.deny: deny models in a bundle. */
export interface BundlesDenyInput {
  /** Slug of the bundle. 1 to 64 characters. */
  slug: string
  /** Names, prefixes with a trailing `*`, or `*`. 1 to 200 of them. */
  models: readonly string[]
}

/** Of bundles.include: set what a subscription grants. */
export interface BundlesIncludeInput {
  /** Slug of the bundle. 1 to 64 characters. */
  bundleSlug: string
  /** Slug of the include and of its pools. */
  slug: string
  /** Name for people. Required on creation; omit to keep the current value. 1 to 128 characters. */
  displayName?: string | undefined
  /** What `amount` counts. Required on creation; omit to keep the current value. */
  unit?: 'credits' | 'micros' | undefined
  /**
   * Granted each time: micros, or millionths of a credit. Required on creation; omit to keep the current
   * value. An integer as a decimal string.
   */
  amount?: string | bigint | undefined
  /**
   * Its separate price, in micros; null: none. Omit to keep the current value; set to null to remove it. An
   * integer as a decimal string.
   */
  price?: string | bigint | null | undefined
  /**
   * Whether wallet and on-demand may pay once it is spent. Defaults to `true`. Omit to keep the current
   * value; set to null to reset it to the default.
   */
  thenOnDemand?: boolean | null | undefined
  /**
   * True: granted every period; false: once, at sign-up. Defaults to `true`. Omit to keep the current
   * value; set to null to reset it to the default.
   */
  recurring?: boolean | null | undefined
  /**
   * What pays for the rest of a call once it is spent: the include of that slug; `*`: whichever covers the
   * call and comes next (fewest models, soonest end, free before paid, oldest); null: none, and then
   * `thenOnDemand` says whether wallet and on-demand do. Defaults to `*`; omit to keep the current value.
   */
  spilloverTo?: string | null | undefined
  /**
   * Models it may pay for; null: all that the bundle allows. Omit to keep the current value; set to null to
   * remove it. 1 to 200 of them.
   */
  models?: readonly string[] | null | undefined
  /**
   * What is carried over of a recurring include at the end of a month. Null: nothing, the rest expires.
   * Omit to keep the current value; set to null to remove it.
   */
  rollover?: {
    /** Share of the unspent amount that is carried over, in percent, rounded down. From 1 to 100. */
    percent: number
    /** How many times the same units are carried over, at most 12. From 1 to 12. */
    periodsMax: number
  } | null | undefined
}

/** Of bundles.price: price one model in a bundle. */
export interface BundlesPriceInput {
  /** Slug of the bundle. 1 to 64 characters. */
  slug: string
  /** The name that is asked for, of a model or a router, exactly. */
  model: string
  /** Sell price; null: sold at cost. */
  price?: types.Price | null | undefined
  /** Credit price, in millionths of a credit; null: credits cannot pay for it. */
  credits?: types.Price | null | undefined
  /**
   * Price that end users of the bundle are charged, for all its models: `sell_price`, or `provider_cost`.
   * Omit to keep the current value.
   */
  debitBasis?: 'provider_cost' | 'sell_price' | undefined
}

/** What a plan allows, sells, limits and grants. */
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
   * Show a bundle. One bundle with what it allows, sells and includes.
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
   * Create a bundle. Makes the bundle, or replaces the fields below of an existing one; fields left out get
   * their defaults. What it allows, sells and includes has operations of its own and stays. The first
   * bundle of an application becomes the one that new end users get. It reaches no model until
   * `bundles.allow`.
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
   * Change a bundle. Fields that are left out stay as they are; null takes a price or a limit away. It
   * holds from the next call on, and never changes what pools were granted before.
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
   * Remove a bundle. Forgets the bundle with its prices and includes, and answers what it was. Refused
   * while people are on it, saying how many, and for the default bundle unless it is the only one. What its
   * pools have granted and paid stays on the ledger under its slug. A bundle that is made again under the
   * slug begins anew, except that it is the same plan to whoever was on it: a sign-up include is not
   * granted twice.
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
   * Allow models in a bundle. Adds the patterns to `allow` and takes the very same ones off `deny`. Deny
   * beats allow: a name that another pattern of `deny` means stays out of reach. A pattern that means no
   * name of the application is refused, but for a bare `*`.
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
   * Give a bundle to new end users. End users made from now on get this bundle where none is named.
   * Existing end users stay on theirs.
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
   * Deny models in a bundle. Adds the patterns to `deny` and takes the very same ones off `allow`. Deny
   * beats allow, whatever `allow` says of the same names. It holds from the next call on.
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
   * Set what a subscription grants. Adds the include, or replaces the include of that slug. End users who
   * are on the bundle get a recurring include with their next period; a one-time include is granted only to
   * end users who come to the bundle later. Pools of the current period do not change. All credits of a
   * bundle are in its one currency, which is called `credits` until it is named.
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
   * Price one model in a bundle. Sets the sell price of one model in the bundle, and its price in credits.
   * An omitted price is kept; null removes it; a given price replaces the stored one whole. A price needs
   * at least `input` and `output`; set a free rate to 0 explicitly. If the provider account lacks a rate,
   * the model is still served in this bundle: the known rates are kept, and the cost of other units is
   * assumed (`assumedMicros`). If the bundle has a sell price and no request has set `debitBasis`, the
   * response has a warning: end users are then charged what the provider charges.
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
