// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { PageCall } from '../page.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions, ConditionalOptions } from '../settings.ts'
import type * as types from './types.ts'

/** Of models.list: list model names. */
export interface ModelsListInput {
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. Omit for the first page. At most 1200 characters. */
  cursor?: string | undefined
  /** Sort order: `created` or `name`. Defaults to `created`. `created` when left out. */
  sort?: 'created' | 'name' | undefined
  /**
   * Sort direction. Defaults to `asc` for `name` and to `desc` for other orders. Rows with equal values are
   * sorted by ID.
   */
  direction?: 'asc' | 'desc' | undefined
}

/** What models.list answers. */
export interface ModelsListOutput {
  data: types.Model[]
  nextCursor: string | null
}

/** Of models.show: show a model name. */
export interface ModelsShowInput {
  /** Model name. `/` may be percent-encoded as `%2F`. 1 to 128 characters. */
  name: string
}

/** Of models.add: create a model name. */
export interface ModelsAddInput {
  /** The model name, as end users request it. `/` may be percent-encoded as `%2F`. */
  name: string
  /**
   * Provider accounts and models, in the order in which they are tried. Required on creation. Omit to keep
   * the current value. 1 to 16 of them.
   */
  sources?: readonly types.ModelSource[] | undefined
  /**
   * Output limits for requests that set no limit. Defaults to `{}`. Omit to keep the current value; set to
   * null to reset it to the default.
   */
  ceilings?: {
    /**
     * Output tokens to hold if the request sets no maximum. Streams start with this hold and can extend it.
     * Providers whose API requires a maximum receive this value. From 1 to 10000000.
     */
    outputTokens?: number | undefined
  } | null | undefined
}

/** Of models.rm: delete a model name. */
export interface ModelsRmInput {
  /** Model name. `/` may be percent-encoded as `%2F`. 1 to 128 characters. */
  name: string
}

/** Of models.disable: disable a model name. */
export interface ModelsDisableInput {
  /** Model name. `/` may be percent-encoded as `%2F`. 1 to 128 characters. */
  name: string
}

/** Of models.enable: enable a model name. */
export interface ModelsEnableInput {
  /** Model name. `/` may be percent-encoded as `%2F`. 1 to 128 characters. */
  name: string
}

/** Model names that end users request. */
export class Models {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List model names. Returns the application's model names, newest first unless `sort` is set, with the
   * problems that keep each of them from being served.
   *
   * GET /v1/models
   */
  list(input?: ModelsListInput, options?: CallOptions): PageCall<types.Model, ModelsListOutput> {
    return this.#sender.page(
      { id: 'models.list', method: 'GET', path: '/v1/models', query: ['limit', 'cursor', 'sort', 'direction'] },
      input,
      options,
    )
  }

  /**
   * Show a model name. Returns a model name, with the problems that keep it from being served.
   *
   * GET /v1/models/{name}
   * @throws ApiError not_found
   */
  show(input: ModelsShowInput, options?: ConditionalOptions): Call<types.Model> {
    return this.#sender.call(
      { id: 'models.show', method: 'GET', path: '/v1/models/{name}' },
      input,
      options,
    )
  }

  /**
   * Create a model name. Creates the model name, or changes the existing one. Sources are tried in order.
   * If no source has a price, the status is `unpriced`, and the model name is served once a source has a
   * price. A disabled model name stays disabled.
   *
   * PUT /v1/models/{name}
   * @throws ApiError name_taken, not_found
   */
  add(input: ModelsAddInput, options?: ConditionalOptions): Call<types.Model> {
    return this.#sender.call(
      { id: 'models.add', method: 'PUT', path: '/v1/models/{name}', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Delete a model name. Deletes the model name and its prices in all bundles, and returns the deleted
   * model name. Fails if a router routes to it. Past usage stays on record.
   *
   * DELETE /v1/models/{name}
   * @throws ApiError not_found, in_use
   */
  rm(input: ModelsRmInput, options?: ConditionalOptions): Call<types.Model> {
    return this.#sender.call(
      { id: 'models.rm', method: 'DELETE', path: '/v1/models/{name}' },
      input,
      options,
    )
  }

  /**
   * Disable a model name. Stops serving the model name, starting with the next request. Requests in flight
   * continue. The model name, its sources and its prices are kept.
   *
   * POST /v1/models/{name}/disable
   * @throws ApiError not_found
   */
  disable(input: ModelsDisableInput, options?: ConditionalOptions): Call<types.Model> {
    return this.#sender.call(
      { id: 'models.disable', method: 'POST', path: '/v1/models/{name}/disable', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Enable a model name. Serves the model name again, starting with the next request. Fails if no source
   * and no bundle has a price for it. The error lists the missing rates.
   *
   * POST /v1/models/{name}/enable
   * @throws ApiError not_found, model_unpriced
   */
  enable(input: ModelsEnableInput, options?: ConditionalOptions): Call<types.Model> {
    return this.#sender.call(
      { id: 'models.enable', method: 'POST', path: '/v1/models/{name}/enable', isKeyed: true },
      input,
      options,
    )
  }
}
