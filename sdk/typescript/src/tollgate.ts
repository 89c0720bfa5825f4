import { clientsFor, gatewayOf, type ClientsFor } from './clients.ts'
import { Operations } from './generated/operations.ts'
import { Sender } from './sender.ts'
import type { CallOptions, ClientOptions } from './settings.ts'

/**
 * The client of the control plane. Each operation is a method with the operation's ID: `client.keys.mint({ endUserId:
 * 'user-42' })`.
 *
 *   const client = new Tollgate({ token: 'sk_…', baseUrl: 'https://tollgate.example.com', app: 'acme' })
 */
export class Tollgate extends Operations {
  readonly #app: string | undefined

  /** @throws TollgateError if an option is not valid */
  constructor(options: ClientOptions = {}) {
    const sender = new Sender(options)
    super(sender)
    this.#app = sender.app
  }

  /**
   * Returns the gateway's address, and the options with which the vendors' official clients call the gateway with a
   * key. The method requests the address of the application's gateway from the server, and prefers the local address.
   *
   *   const { openai } = await client.clientFor(minted.key)
   *   await new OpenAI(openai).chat.completions.create({ model: 'acme/smart', messages })
   *
   * @param key an `ak_` key
   */
  async clientFor(key: string, options: CallOptions = {}): Promise<ClientsFor> {
    const slug = options.app ?? this.#app
    const application = await (slug === undefined
      ? this.apps.current({}, options)
      : this.apps.show({ slug }, options))
    return clientsFor(gatewayOf(application), key)
  }
}
