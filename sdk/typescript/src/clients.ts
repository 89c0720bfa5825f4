/** Configures the vendors' official clients for an application's gateway. */

/** Options for the constructors of the vendors' official clients, to send requests to a gateway. */
export interface ClientsFor {
  /** Options for `new OpenAI(openai)`, for chat completions and responses. */
  readonly openai: { readonly baseURL: string; readonly apiKey: string }
  /** Options for `new Anthropic(anthropic)`, for messages. */
  readonly anthropic: { readonly baseURL: string; readonly apiKey: string }
  /** Options for `new GoogleGenAI(genai)`, for generated content. */
  readonly genai: { readonly apiKey: string; readonly httpOptions: { readonly baseUrl: string } }
}

/** Returns an address of the gateway that every client can use. Only browsers resolve `*.localhost`. */
export function gatewayOf({
  gateway,
  localGateway,
}: {
  readonly gateway: string
  readonly localGateway?: string | undefined
}): string {
  return localGateway ?? gateway
}

/**
 * Returns the options with which each official client calls a gateway.
 * @param gateway address of the application's gateway, which `gatewayOf` returns for the response of apps.show
 * @param key an `ak_` key
 */
export function clientsFor(gateway: string, key: string): ClientsFor {
  const address = gateway.replace(/\/+$/, '')
  return {
    openai: { baseURL: `${address}/v1`, apiKey: key },
    anthropic: { baseURL: address, apiKey: key },
    genai: { apiKey: key, httpOptions: { baseUrl: address } },
  }
}
