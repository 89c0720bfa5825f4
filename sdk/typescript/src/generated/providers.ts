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
  /** `nextCursor` of the page before. At most 1200 characters. */
  cursor?: string | undefined
}

/** What providers.list answers. */
export interface ProvidersListOutput {
  data: types.ProviderAccount[]
  nextCursor: string | null
}

/** Of providers.show: show a provider account. */
export interface ProvidersShowInput {
  /** Id of the account, `pa_…`, or its label. 1 to 64 characters. */
  id: string
}

/** Of providers.rm: disconnect a provider account. */
export interface ProvidersRmInput {
  /** Id of the account, `pa_…`, or its label. 1 to 64 characters. */
  id: string
}

/** Of providers.models: list an account's models. */
export interface ProvidersModelsInput {
  /** Id of the account, `pa_…`, or its label. 1 to 64 characters. */
  id: string
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the page before. At most 1200 characters. */
  cursor?: string | undefined
}

/** What providers.models answers. */
export interface ProvidersModelsOutput {
  data: types.AccountModel[]
  nextCursor: string | null
}

/** Of providers.price: set what an account is charged for a model. */
export interface ProvidersPriceInput {
  /** Id of the account, `pa_…`, or its label. 1 to 64 characters. */
  id: string
  /** The provider's model id, exactly. 1 to 200 characters. */
  model: string
  /** What the provider charges; null removes what was set here. */
  price: types.Price | null
}

/** Of providers.probe: probe a provider account. */
export interface ProvidersProbeInput {
  /** Id of the account, `pa_…`, or its label. 1 to 64 characters. */
  id: string
  /**
   * The provider's model id; left out: the cheapest that has a price on the account. 1 to 200 characters.
   */
  model?: string | undefined
}

/** Of providers.rotate: rotate an account's API key. */
export interface ProvidersRotateInput {
  /** Id of the account, `pa_…`, or its label. 1 to 64 characters. */
  id: string
  /** The new key. 1 to 4096 characters. */
  apiKey: string
}

/** Of providers.connect: connect a provider account. */
export type ProvidersConnectInput = {
  /** Name of the account in the sources of models. */
  label: string
} & ({
  /**
   * Its protocol. The simulator is built in and answers without a network. Required on creation; omit to
   * keep the current value.
   */
  kind: 'openai' | 'anthropic' | 'google'
  /**
   * Base URL of the provider, to which the path of the wire is appended. Null means the address of the
   * vendor. Required for `openai_compatible`; rejected for the simulator. Omit to keep the current value;
   * set to null to remove it. At most 500 characters.
   */
  baseUrl?: string | null | undefined
  /**
   * API key for the provider. Required for `openai`, `anthropic` and `google`; rejected for the simulator.
   * Omit to keep the current value; set to null to remove it. 1 to 4096 characters.
   */
  apiKey?: string | null | undefined
  /**
   * What happens to a stream of the account when the client leaves. Null means the default of its kind:
   * `cut` for `openai`, `anthropic`; `drain` for `google`, `openai_compatible`, `simulator`. Omit to keep
   * the current value; set to null to remove it.
   */
  onClientLeft?: 'cut' | 'drain' | null | undefined
} | {
  /**
   * Its protocol. The simulator is built in and answers without a network. Required on creation; omit to
   * keep the current value.
   */
  kind: 'openai_compatible'
  /**
   * Base URL of the provider, to which the path of the wire is appended. Null means the address of the
   * vendor. Required for `openai_compatible`; rejected for the simulator. Omit to keep the current value;
   * set to null to remove it. At most 500 characters.
   */
  baseUrl?: string | null | undefined
  /**
   * API key for the provider. Required for `openai`, `anthropic` and `google`; rejected for the simulator.
   * Omit to keep the current value; set to null to remove it. 1 to 4096 characters.
   */
  apiKey?: string | null | undefined
  /**
   * What happens to a stream of the account when the client leaves. Null means the default of its kind:
   * `cut` for `openai`, `anthropic`; `drain` for `google`, `openai_compatible`, `simulator`. Omit to keep
   * the current value; set to null to remove it.
   */
  onClientLeft?: 'cut' | 'drain' | null | undefined
} | {
  /**
   * Its protocol. The simulator is built in and answers without a network. Required on creation; omit to
   * keep the current value.
   */
  kind: 'simulator'
  /**
   * What happens to a stream of the account when the client leaves. Null means the default of its kind:
   * `cut` for `openai`, `anthropic`; `drain` for `google`, `openai_compatible`, `simulator`. Omit to keep
   * the current value; set to null to remove it.
   */
  onClientLeft?: 'cut' | 'drain' | null | undefined
} | {
  /**
   * Base URL of the provider, to which the path of the wire is appended. Null means the address of the
   * vendor. Required for `openai_compatible`; rejected for the simulator. Omit to keep the current value;
   * set to null to remove it. At most 500 characters.
   */
  baseUrl?: string | null | undefined
  /**
   * API key for the provider. Required for `openai`, `anthropic` and `google`; rejected for the simulator.
   * Omit to keep the current value; set to null to remove it. 1 to 4096 characters.
   */
  apiKey?: string | null | undefined
  /**
   * What happens to a stream of the account when the client leaves. Null means the default of its kind:
   * `cut` for `openai`, `anthropic`; `drain` for `google`, `openai_compatible`, `simulator`. Omit to keep
   * the current value; set to null to remove it.
   */
  onClientLeft?: 'cut' | 'drain' | null | undefined
})

/** Accounts at model providers, and what they are charged. */
export class Providers {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List provider accounts. The organization's accounts, newest first. API keys are never shown.
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
   * Show a provider account. One account, by its id or its label. Its API key is never shown.
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
   * Disconnect a provider account. Forgets the account, its API key and its prices, and answers what it
   * was. Refused while a model has it among its sources.
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
   * List an account's models. The models that have a price on this account, in the order of their ids: what
   * its provider publishes, if it is in the catalogue, and what was set with providers.price, which wins.
   * The provider is not asked; a model that is not here can be used once it has a price.
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
   * Set what an account is charged for a model. Replaces the whole price of one upstream model on this
   * account, matched exactly, including the price that its provider publishes. `null` removes it. Takes
   * effect with the next request. An omitted rate is unknown, never 0: names that need it are served only
   * in bundles that price them, and the cost of its units is assumed until it is set.
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
   * Probe a provider account. Sends one real call to the provider with the account’s key, for one token (16
   * at OpenAI, whose models take no fewer), and answers how it went: a failure of the provider is an answer
   * here and no error. Its cost is noted, charged to nobody, and part of `probeCostMicros` of the margin.
   * Live mode only: test mode calls no provider.
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
   * Rotate an account's API key. Puts a new API key in the place of the old one, which is forgotten. Calls
   * in flight end with the old key, so revoke it at the provider once they have; every later call is sent
   * with the new one. The key is stored sealed and never shown again. Nothing is sent to the provider now.
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
   * An omitted API key is kept; null removes it. Another `kind` under a label in use is rejected with 409
   * `provider_kind_fixed`. A new base URL must come with its API key, so that a stored key is never sent to
   * an address that it was not entered for. The key is stored encrypted and cannot be read back. No request
   * is sent to the provider.
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
