// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { Sender } from '../sender.ts'
import type { ConditionalOptions } from '../settings.ts'
import type * as types from './types.ts'

/** Of gateway.set: change the gateway settings. */
export interface GatewaySetInput {
  /**
   * Wire formats that the gateway accepts. Null means all. Requests in other formats return 404
   * `wire_not_served`. 1 to 4 of them.
   */
  wires?: readonly ('chat' | 'messages' | 'generate' | 'responses')[] | null | undefined
  /**
   * Patterns of the names that the gateway serves: names, prefixes with a trailing `*`, or `*`. Null means
   * all names. The bundle of the end user must allow the name too. Other names are treated as unknown and
   * are not listed. 1 to 200 of them.
   */
  models?: readonly string[] | null | undefined
  /**
   * Web origins whose pages can use the gateway and read its responses (CORS), exactly as browsers send
   * them. `*` means any origin. If the list is empty, responses have no CORS headers. Credentials are never
   * allowed, so pages send the key in a header. At most 100 of them.
   */
  origins?: readonly string[] | undefined
  /**
   * Client addresses that the gateway accepts. Null means all. Requests from other addresses return 403
   * `address_not_allowed`.
   *
   * The client address is the address of the connection. Behind proxies that the operator trusts
   * (`TOLLGATE_TRUSTED_PROXIES`), it is the last address in X-Forwarded-For that is not a trusted proxy. 1
   * to 200 of them.
   */
  addresses?: readonly string[] | null | undefined
  /**
   * Times at which the gateway accepts requests. Null means always. At other times, requests return 403
   * `outside_hours` with the next opening. Requests in flight continue to their end. 1 to 28 of them.
   */
  hours?: readonly types.WeeklyHours[] | null | undefined
  /**
   * Maximum output tokens of a response if the request sets no maximum. The whole amount is held and is
   * sent to the provider.
   *
   * - A ceiling of the model (`ceilings.outputTokens`) takes precedence, and the maximum output of the
   * model is never exceeded.
   * - Null means that no maximum is sent to the provider. Non-streaming responses are then held for 16,384
   * tokens, and streams initially for 2,048. From 1 to 10000000.
   */
  defaultMaxTokens?: number | null | undefined
  /**
   * Maximum time, in milliseconds, that a request waits for money that requests in flight hold. After that,
   * it returns 429 `balance_held`. 0 means that requests do not wait. Null means the server setting, which
   * is 2,000 unless the operator changes it. From 0 to 60000.
   */
  holdWaitMs?: number | null | undefined
  /**
   * Handling of tools that the provider runs and that the request only offers. `drop` removes them and
   * lists them in `x-svc-conversion-lost`. `refuse` returns 400 `unsupported_for_route`. A tool that the
   * model is forced to use is always rejected.
   */
  providerTools?: 'drop' | 'refuse' | undefined
  /**
   * Handling of fields that cannot be converted to the wire format of the provider. `lenient` omits the
   * fields and lists them in `x-svc-conversion-lost`. `strict` returns 400 `unsupported_for_route` with
   * their names.
   */
  conversion?: 'lenient' | 'strict' | undefined
  /**
   * Whether the client headers `traceparent` and `tracestate` are sent to the provider unchanged (W3C Trace
   * Context). The spans of the provider then join the trace of the client. If false, the headers are not
   * sent.
   */
  passTraceparent?: boolean | undefined
}

/** Settings of an application's gateway. */
export class Gateway {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * Show the gateway settings. Returns the addresses and the settings of the gateway. A gateway has no
   * restrictions until they are set.
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
   * Change the gateway settings. Changes the given settings for both modes, starting with the next request.
   * Omitted settings keep their values, and null removes a restriction. Each request is checked in this
   * order: address, wire format, time, then the model name and the requested features.
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
