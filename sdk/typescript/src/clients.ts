/** Configures the vendors' official clients for an application's gateway. */

/** Options for the constructors of the official clients. */
export interface ClientsFor {
  /** `new OpenAI(openai)`: chat completions and responses. */
  readonly openai: { readonly baseURL: string; readonly apiKey: string }
  /** `new Anthropic(anthropic)`: messages. */
  readonly anthropic: { readonly baseURL: string; readonly apiKey: string }
  /** `new GoogleGenAI(genai)`: generate content. */
  readonly genai: { readonly apiKey: string; readonly httpOptions: { readonly baseUrl: string } }
}

/**
 * Returns the options with which each official client calls a gateway.
 * @param gateway address of the application's gateway: `localGateway` of apps.show if present, else `gateway`
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
