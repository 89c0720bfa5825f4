// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { PageCall } from '../page.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions } from '../settings.ts'
import type * as types from './types.ts'

/** Of catalog.models: list models with a published price. */
export interface CatalogModelsInput {
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the page before. At most 1200 characters. */
  cursor?: string | undefined
  /** Only models of that provider. 1 to 64 characters. */
  provider?: string | undefined
}

/** What catalog.models answers. */
export interface CatalogModelsOutput {
  data: types.CatalogModel[]
  nextCursor: string | null
}

/** Of catalog.show: show a model with a published price. */
export interface CatalogShowInput {
  /**
   * Provider and model, `anthropic/claude-opus-5-5`; `/` may stand as it is or as `%2F`. 1 to 300
   * characters.
   */
  name: string
}

/** Of catalog.providers: list providers with published prices. */
export interface CatalogProvidersInput {
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the page before. At most 1200 characters. */
  cursor?: string | undefined
}

/** What catalog.providers answers. */
export interface CatalogProvidersOutput {
  data: types.CatalogProvider[]
  nextCursor: string | null
}

/** Providers and models whose prices are published. */
export class Catalog {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List models with a published price. Models and what their providers publish as the price, as of now, in
   * the order of their names. An account at an address of the provider pays these unless a price was set on
   * the account.
   *
   * GET /v1/catalog/models
   * @throws ApiError not_found
   */
  models(input?: CatalogModelsInput, options?: CallOptions): PageCall<types.CatalogModel, CatalogModelsOutput> {
    return this.#sender.page(
      { id: 'catalog.models', method: 'GET', path: '/v1/catalog/models', query: ['limit', 'cursor', 'provider'] },
      input,
      options,
    )
  }

  /**
   * Show a model with a published price. One model at its price of now. The name is exact: one that only
   * starts like a model of the catalogue is another model and is not found.
   *
   * GET /v1/catalog/models/{name}
   * @throws ApiError not_found
   */
  show(input: CatalogShowInput, options?: CallOptions): Call<types.CatalogModel> {
    return this.#sender.call(
      { id: 'catalog.show', method: 'GET', path: '/v1/catalog/models/{name}' },
      input,
      options,
    )
  }

  /**
   * List providers with published prices. Providers whose models are in the catalogue, with the kind and
   * the base URL to connect an account with, in the order of their ids.
   *
   * GET /v1/catalog/providers
   */
  providers(input?: CatalogProvidersInput, options?: CallOptions): PageCall<types.CatalogProvider, CatalogProvidersOutput> {
    return this.#sender.page(
      { id: 'catalog.providers', method: 'GET', path: '/v1/catalog/providers', query: ['limit', 'cursor'] },
      input,
      options,
    )
  }
}
