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
  /** `nextCursor` of the page before. At most 1200 characters. */
  cursor?: string | undefined
  /** Sort order: `created` or `name`. Defaults to `created`. `created` when left out. */
  sort?: 'created' | 'name' | undefined
  /**
   * Sort direction. Defaults to `asc` for `name` and to `desc` otherwise. Rows with equal values are in the
   * order of their IDs.
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
  /** The name; `/` may stand as it is or as `%2F`. 1 to 128 characters. */
  name: string
}

/** Of models.add: point a name at sources. */
export interface ModelsAddInput {
  /** What end users call it; `/` may stand as it is or as `%2F`. */
  name: string
  /**
   * Accounts and models, in the order they are tried. Required on creation; omit to keep the current value.
   * 1 to 16 of them.
   */
  sources?: readonly types.ModelSource[] | undefined
  /**
   * Limits for requests that set none. Defaults to `{}`. Omit to keep the current value; set to null to
   * reset it to the default.
   */
  ceilings?: {
    /**
     * Output tokens that are held for an answer when the request names no maximum: all of a whole one, and
     * a stream’s at first. A provider whose wire demands a maximum is told it. From 1 to 10000000.
     */
    outputTokens?: number | undefined
  } | null | undefined
}

/** Of models.rm: remove a model name. */
export interface ModelsRmInput {
  /** The name; `/` may stand as it is or as `%2F`. 1 to 128 characters. */
  name: string
}

/** Of models.disable: stop serving a model name. */
export interface ModelsDisableInput {
  /** The name; `/` may stand as it is or as `%2F`. 1 to 128 characters. */
  name: string
}

/** Of models.enable: serve a model name again. */
export interface ModelsEnableInput {
  /** The name; `/` may stand as it is or as `%2F`. 1 to 128 characters. */
  name: string
}

/** The names of models that end users ask for. */
export class Models {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List model names. Returns the model names of the application, newest first unless `sort` is set, with
   * what keeps each of them from being served.
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
   * Show a model name. One name, with what keeps it from being served.
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
   * Point a name at sources. Creates the model name, or changes the existing one. Sources are tried in
   * order. If no source has a price, the status of the model name is `unpriced`; it is served as soon as a
   * source has one. A disabled model name stays disabled.
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
   * Remove a model name. Forgets the name and what bundles charge for it, and answers what it was. Refused
   * while a router leads to it. What was used under it stays in usage and on the ledger.
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
   * Stop serving a model name. From the next call on; calls in flight go on. The name, its sources and its
   * prices are kept.
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
   * Serve a model name again. From the next call on. Refused while no source and no bundle has a price for
   * it, naming what is missing.
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
