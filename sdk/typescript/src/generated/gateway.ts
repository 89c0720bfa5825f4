// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { Sender } from '../sender.ts'
import type { ConditionalOptions } from '../settings.ts'
import type * as types from './types.ts'

/** Of gateway.set: narrow what the gateway answers. */
export interface GatewaySetInput {
  /**
   * Wires whose calls are answered; null: all. A call of another is 404 `wire_not_served`. 1 to 4 of them.
   */
  wires?: readonly ('chat' | 'messages' | 'generate' | 'responses')[] | null | undefined
  /**
   * Names that are answered, besides what bundles allow: names, prefixes with a trailing `*`, or `*`; null:
   * all. Another name is unknown, and not listed. 1 to 200 of them.
   */
  models?: readonly string[] | null | undefined
  /**
   * Web origins whose pages may call the gateway and read its answers (CORS), exactly as browsers send
   * them, or `*` for any. Empty: none, and no answer has a CORS header. Credentials are never allowed: a
   * page sends its key in a header. At most 100 of them.
   */
  origins?: readonly string[] | undefined
  /**
   * Client addresses that are answered; null: all. A call from another is 403 `address_not_allowed`. The
   * address is the connection’s, or behind proxies that the operator trusts (`TOLLGATE_TRUSTED_PROXIES`)
   * the last one in X-Forwarded-For that is none of theirs. 1 to 200 of them.
   */
  addresses?: readonly string[] | null | undefined
  /**
   * When calls are answered; null: always. At other times a call is 403 `outside_hours`, with the next
   * opening. A call in flight goes on to its end. 1 to 28 of them.
   */
  hours?: readonly types.WeeklyHours[] | null | undefined
  /**
   * Most output tokens of one answer to a request that states no maximum. It is held for whole and sent to
   * the provider. A ceiling of the name itself (`ceilings.outputTokens`) comes first, and no more is asked
   * for than the model gives. Null: whole answers are held for 16,384 and streams for 2,048 at first, and
   * the provider is told no maximum. From 1 to 10000000.
   */
  defaultMaxTokens?: number | null | undefined
  /**
   * How long a call waits, in milliseconds, while only calls in flight leave it no money; then it is 429
   * `balance_held`. 0: not at all. Null: as long as the server is set to (2,000 unless its operator changes
   * it). From 0 to 60000.
   */
  holdWaitMs?: number | null | undefined
  /**
   * Tools that the provider would run and the request merely offers: `drop` takes them out and names them
   * in `x-svc-conversion-lost`; `refuse` answers 400 `unsupported_for_route`. One that the model is made to
   * call is always refused.
   */
  providerTools?: 'drop' | 'refuse' | undefined
  /**
   * Fields that cannot be carried to a provider of another wire: `lenient` leaves them out and names them
   * in `x-svc-conversion-lost`; `strict` answers 400 `unsupported_for_route`, naming them.
   */
  conversion?: 'lenient' | 'strict' | undefined
  /**
   * Whether the headers `traceparent` and `tracestate` of a client go on to the provider, unchanged (W3C
   * Trace Context), so that its spans join the client’s trace. False: the provider learns nothing of it.
   */
  passTraceparent?: boolean | undefined
}

/** What the gateway of an application answers. */
export class Gateway {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * Show what the gateway answers. Where the gateway of the application is, and what it is narrowed to:
   * nothing, until it is set.
   *
   * GET /v1/gateway
   */
  show(input?: Record<string, never>, options?: ConditionalOptions): Call<types.Gateway> {
    return this.#sender.call(
      { id: 'gateway.show', method: 'GET', path: '/v1/gateway' },
      input,
      options,
    )
  }

  /**
   * Narrow what the gateway answers. Fields that are left out stay as they are; null takes a narrowing
   * away. It holds for calls of both modes from the next one on. A call is refused in this order: its
   * address, its wire, the hour; then its name and what it asks for.
   *
   * PATCH /v1/gateway
   * @throws ApiError unknown_model_pattern
   */
  set(input?: GatewaySetInput, options?: ConditionalOptions): Call<types.Gateway> {
    return this.#sender.call(
      { id: 'gateway.set', method: 'PATCH', path: '/v1/gateway', body: 'json', isKeyed: true },
      input,
      options,
    )
  }
}
