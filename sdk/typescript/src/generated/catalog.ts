// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { PageCall } from '../page.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions } from '../settings.ts'
import type * as types from './types.ts'

/** Of catalog.models: list catalog models. */
export interface CatalogModelsInput {
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. Omit for the first page. At most 1200 characters. */
  cursor?: string | undefined
  /** Only models of this provider. 1 to 64 characters. */
  provider?: string | undefined
}

/** What catalog.models answers. */
export interface CatalogModelsOutput {
  data: types.CatalogModel[]
  nextCursor: string | null
}

/** Of catalog.show: show a catalog model. */
export interface CatalogShowInput {
  /**
   * Provider and model ID, such as `anthropic/claude-opus-5-5`. `/` may be percent-encoded. 1 to 300
   * characters.
   */
  name: string
}

/** Of catalog.providers: list catalog providers. */
export interface CatalogProvidersInput {
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. Omit for the first page. At most 1200 characters. */
  cursor?: string | undefined
}

/** What catalog.providers answers. */
export interface CatalogProvidersOutput {
  data: types.CatalogProvider[]
  nextCursor: string | null
}

/** Providers and models with published prices. */
export class Catalog {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List catalog models. Returns models with the prices that their providers publish now, in the order of
   * their names. A provider account at a base URL of the provider pays these prices unless a price is set
   * on the account.
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
   * Show a catalog model. Returns one model with its current price. The name must match exactly. A name
   * that only begins like a model in the catalog is not found.
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
   * List catalog providers. Returns the providers whose models are in the catalog, in the order of their
   * IDs. Each has the kind and the base URL for connecting a provider account.
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
