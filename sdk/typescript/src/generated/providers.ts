// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { PageCall } from '../page.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions, ConditionalOptions } from '../settings.ts'
import type * as types from './types.ts'

/** Of providers.list: list provider accounts. */
export interface ProvidersListInput {
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. Omit for the first page. At most 1200 characters. */
  cursor?: string | undefined
}

/** What providers.list answers. */
export interface ProvidersListOutput {
  data: types.ProviderAccount[]
  nextCursor: string | null
}

/** Of providers.show: show a provider account. */
export interface ProvidersShowInput {
  /** ID of the provider account, `pa_…`, or its label. 1 to 64 characters. */
  id: string
}

/** Of providers.rm: disconnect a provider account. */
export interface ProvidersRmInput {
  /** ID of the provider account, `pa_…`, or its label. 1 to 64 characters. */
  id: string
}

/** Of providers.models: list a provider account's models. */
export interface ProvidersModelsInput {
  /** ID of the provider account, `pa_…`, or its label. 1 to 64 characters. */
  id: string
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. Omit for the first page. At most 1200 characters. */
  cursor?: string | undefined
}

/** What providers.models answers. */
export interface ProvidersModelsOutput {
  data: types.AccountModel[]
  nextCursor: string | null
}

/** Of providers.price: set a provider price. */
export interface ProvidersPriceInput {
  /** ID of the provider account, `pa_…`, or its label. 1 to 64 characters. */
  id: string
  /** The provider's model ID. It must match exactly. 1 to 200 characters. */
  model: string
  /** Price that the provider charges. Null removes the price set on this account. */
  price: types.Price | null
}

/** Of providers.probe: probe a provider account. */
export interface ProvidersProbeInput {
  /** ID of the provider account, `pa_…`, or its label. 1 to 64 characters. */
  id: string
  /**
   * The provider's model ID. Defaults to the cheapest model that has a complete price on the account. 1 to
   * 200 characters.
   */
  model?: string | undefined
}

/** Of providers.rotate: rotate a provider API key. */
export interface ProvidersRotateInput {
  /** ID of the provider account, `pa_…`, or its label. 1 to 64 characters. */
  id: string
  /** The new API key. 1 to 4096 characters. */
  apiKey: string
}

/** Of providers.connect: connect a provider account. */
export type ProvidersConnectInput = {
  /** Name of the account in the sources of models. */
  label: string
} & ({
  /**
   * API format of the provider. The simulator is built in and responds without a network. Required on
   * creation. Omit to keep the current value.
   */
  kind: 'openai' | 'anthropic' | 'google'
  /**
   * Base URL of the provider. The path of the API is appended. Null means the vendor's address. Required
   * for `openai_compatible`, rejected for the simulator. Omit to keep the current value; set to null to
   * remove it. At most 500 characters.
   */
  baseUrl?: string | null | undefined
  /**
   * API key for the provider. Required for `openai`, `anthropic` and `google`, rejected for the simulator.
   * Omit to keep the current value; set to null to remove it. 1 to 4096 characters.
   */
  apiKey?: string | null | undefined
  /**
   * Handling of a stream when the client disconnects. Null means the default for the kind: `cut` for
   * `openai`, `anthropic`; `drain` for `google`, `openai_compatible`, `simulator`. Omit to keep the current
   * value; set to null to remove it.
   */
  onClientLeft?: 'cut' | 'drain' | null | undefined
} | {
  /**
   * API format of the provider. The simulator is built in and responds without a network. Required on
   * creation. Omit to keep the current value.
   */
  kind: 'openai_compatible'
  /**
   * Base URL of the provider. The path of the API is appended. Null means the vendor's address. Required
   * for `openai_compatible`, rejected for the simulator. Omit to keep the current value; set to null to
   * remove it. At most 500 characters.
   */
  baseUrl?: string | null | undefined
  /**
   * API key for the provider. Required for `openai`, `anthropic` and `google`, rejected for the simulator.
   * Omit to keep the current value; set to null to remove it. 1 to 4096 characters.
   */
  apiKey?: string | null | undefined
  /**
   * Handling of a stream when the client disconnects. Null means the default for the kind: `cut` for
   * `openai`, `anthropic`; `drain` for `google`, `openai_compatible`, `simulator`. Omit to keep the current
   * value; set to null to remove it.
   */
  onClientLeft?: 'cut' | 'drain' | null | undefined
} | {
  /**
   * API format of the provider. The simulator is built in and responds without a network. Required on
   * creation. Omit to keep the current value.
   */
  kind: 'simulator'
  /**
   * Handling of a stream when the client disconnects. Null means the default for the kind: `cut` for
   * `openai`, `anthropic`; `drain` for `google`, `openai_compatible`, `simulator`. Omit to keep the current
   * value; set to null to remove it.
   */
  onClientLeft?: 'cut' | 'drain' | null | undefined
} | {
  /**
   * Base URL of the provider. The path of the API is appended. Null means the vendor's address. Required
   * for `openai_compatible`, rejected for the simulator. Omit to keep the current value; set to null to
   * remove it. At most 500 characters.
   */
  baseUrl?: string | null | undefined
  /**
   * API key for the provider. Required for `openai`, `anthropic` and `google`, rejected for the simulator.
   * Omit to keep the current value; set to null to remove it. 1 to 4096 characters.
   */
  apiKey?: string | null | undefined
  /**
   * Handling of a stream when the client disconnects. Null means the default for the kind: `cut` for
   * `openai`, `anthropic`; `drain` for `google`, `openai_compatible`, `simulator`. Omit to keep the current
   * value; set to null to remove it.
   */
  onClientLeft?: 'cut' | 'drain' | null | undefined
})

/** Accounts at model providers, and their prices. */
export class Providers {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List provider accounts. Returns the organization's provider accounts, newest first. API keys are never
   * returned.
   *
   * GET /v1/providers
   */
  list(input?: ProvidersListInput, options?: CallOptions): PageCall<types.ProviderAccount, ProvidersListOutput> {
    return this.#sender.page(
      { id: 'providers.list', method: 'GET', path: '/v1/providers', query: ['limit', 'cursor'] },
      input,
      options,
    )
  }

  /**
   * Show a provider account. Returns a provider account by ID or label. Its API key is never returned.
   *
   * GET /v1/providers/{id}
   * @throws ApiError not_found
   */
  show(input: ProvidersShowInput, options?: ConditionalOptions): Call<types.ProviderAccount> {
    return this.#sender.call(
      { id: 'providers.show', method: 'GET', path: '/v1/providers/{id}' },
      input,
      options,
    )
  }

  /**
   * Disconnect a provider account. Deletes the account, its API key and its prices, and returns the deleted
   * account. Fails if a model name has the account among its sources.
   *
   * DELETE /v1/providers/{id}
   * @throws ApiError not_found, in_use
   */
  rm(input: ProvidersRmInput, options?: ConditionalOptions): Call<types.ProviderAccount> {
    return this.#sender.call(
      { id: 'providers.rm', method: 'DELETE', path: '/v1/providers/{id}' },
      input,
      options,
    )
  }

  /**
   * List a provider account's models. Returns the models that have a price on this account, in the order of
   * their IDs. Prices come from the catalog or from providers.price, which takes precedence. No request is
   * sent to the provider. Other models can be used once they have a price.
   *
   * GET /v1/providers/{id}/models
   * @throws ApiError not_found
   */
  models(input: ProvidersModelsInput, options?: CallOptions): PageCall<types.AccountModel, ProvidersModelsOutput> {
    return this.#sender.page(
      { id: 'providers.models', method: 'GET', path: '/v1/providers/{id}/models', query: ['limit', 'cursor'] },
      input,
      options,
    )
  }

  /**
   * Set a provider price. Replaces the whole price of one provider model on this account, starting with the
   * next request. The price overrides the provider's published price. The model ID must match exactly. Set
   * the price to null to remove it.
   *
   * An omitted rate is unknown, never 0. Model names that need the rate are served only in bundles that
   * price them. The cost of its units is assumed until the rate is set.
   *
   * POST /v1/providers/{id}/price
   * @throws ApiError not_found
   */
  price(input: ProvidersPriceInput, options?: ConditionalOptions): Call<types.ProviderAccount> {
    return this.#sender.call(
      { id: 'providers.price', method: 'POST', path: '/v1/providers/{id}/price', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Probe a provider account. Sends one small live request to the provider with the account's API key, and
   * returns the result. A failure of the provider is part of the result and not an error.
   *
   * - The request asks for one token, or 16 at OpenAI, whose models require at least 16.
   * - No end user is charged. The cost is part of `probeCostMicros` of the margin.
   * - Test mode rejects probes, because it calls no provider.
   *
   * POST /v1/providers/{id}/probe
   * @throws ApiError not_found
   */
  probe(input: ProvidersProbeInput, options?: CallOptions): Call<types.Probe> {
    return this.#sender.call(
      { id: 'providers.probe', method: 'POST', path: '/v1/providers/{id}/probe', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Rotate a provider API key. Replaces the account's API key, starting with the next request, and deletes
   * the old key. Requests in flight continue with the old key, so revoke it at the provider after they end.
   * The new key is stored encrypted and cannot be retrieved. No request is sent to the provider.
   *
   * POST /v1/providers/{id}/rotate
   * @throws ApiError not_found
   */
  rotate(input: ProvidersRotateInput, options?: ConditionalOptions): Call<types.ProviderAccount> {
    return this.#sender.call(
      { id: 'providers.rotate', method: 'POST', path: '/v1/providers/{id}/rotate', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Connect a provider account. Creates the provider account with this label, or changes the existing one.
   * No request is sent to the provider.
   *
   * - An omitted API key is kept. Null removes it.
   * - The API key is stored encrypted and cannot be retrieved.
   * - A new base URL requires its API key in the same request, so that a stored key is never sent to
   * another address.
   * - The `kind` of an existing account cannot be changed (409 `provider_kind_fixed`).
   *
   * PUT /v1/providers/{label}
   * @throws ApiError provider_kind_fixed
   */
  connect(input: ProvidersConnectInput, options?: ConditionalOptions): Call<types.ProviderAccount> {
    return this.#sender.call(
      { id: 'providers.connect', method: 'PUT', path: '/v1/providers/{label}', body: 'json', isKeyed: true },
      input,
      options,
    )
  }
}
