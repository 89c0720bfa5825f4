/** Configures the vendors' official clients for an application's gateway. */

/** Options for the constructors of the vendors' official clients. */
export interface ClientsFor {
  /** `new OpenAI(openai)`: chat completions and responses. */
  readonly openai: { readonly baseURL: string; readonly apiKey: string }
  /** `new Anthropic(anthropic)`: messages. */
  readonly anthropic: { readonly baseURL: string; readonly apiKey: string }
  /** `new GoogleGenAI(genai)`: generate content. */
  readonly genai: { readonly apiKey: string; readonly httpOptions: { readonly baseUrl: string } }
}

/** Returns an address of the gateway that any client can use, because only browsers resolve `*.localhost`. */
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
 * @param gateway address of the application's gateway: `gatewayOf` the response of apps.show
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
