// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { PageCall } from '../page.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions, StreamOptions } from '../settings.ts'
import type { StreamCall } from '../stream.ts'
import type { Open } from './types.ts'
import type * as types from './types.ts'

/** Of requests.list: list recent requests. */
export interface RequestsListInput {
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. Omit for the first page. At most 1200 characters. */
  cursor?: string | undefined
  /**
   * External ID of an end user, or their ID, `eu_…`. Returns only requests of this end user. A deleted end
   * user is found by ID only. 1 to 256 characters.
   */
  endUserId?: string | undefined
  /** ID of a key, `key_…`. Returns only requests made with this key. 1 to 64 characters. */
  keyId?: string | undefined
  /** Requested model name. Returns only requests for this name. 1 to 128 characters. */
  model?: string | undefined
  /**
   * Label of a provider account, or its ID, `pa_…`. Returns only requests that were routed to this account.
   * A deleted account is found by ID only. 1 to 64 characters.
   */
  provider?: string | undefined
  /** Returns only requests with this status. */
  status?: 'settled' | 'released' | 'refused' | 'recovered' | 'in_flight' | undefined
  /** Returns only requests whose response had an HTTP status of this class. */
  statusClass?: '2xx' | '4xx' | '5xx' | undefined
  /** Returns only requests whose response had this HTTP status. */
  httpStatus?: string | undefined
  /** Returns only requests that failed or were rejected with this error code. 1 to 64 characters. */
  errorCode?: string | undefined
  /** Returns only requests with at least this provider cost, in micros. An integer as a decimal string. */
  minCostMicros?: string | bigint | undefined
  /**
   * Slug of an outcome. Returns only charged requests and requests in flight that count toward this
   * outcome. Released and rejected requests count toward no outcome.
   */
  outcome?: string | undefined
  /**
   * ID of a run. Returns only charged requests and requests in flight of runs with this ID. 1 to 128
   * characters.
   */
  runId?: string | undefined
  /** ID of a usage record, `ur_…`. Returns only the request with this usage record. 1 to 64 characters. */
  usageRecordId?: string | undefined
  /** Start of the range, inclusive: a day (UTC) or a time. ISO 8601. */
  from?: string | Date | undefined
  /** End of the range, exclusive: a day (UTC) or a time. ISO 8601. */
  to?: string | Date | undefined
}

/** What requests.list answers. */
export interface RequestsListOutput {
  data: types.Request[]
  nextCursor: string | null
}

/** Of requests.tail: watch requests as they end. */
export interface RequestsTailInput {
  /**
   * External ID of an end user, or their ID, `eu_…`. Returns only requests of this end user. A deleted end
   * user is found by ID only. 1 to 256 characters.
   */
  endUserId?: string | undefined
  /** ID of a key, `key_…`. Returns only requests made with this key. 1 to 64 characters. */
  keyId?: string | undefined
  /** Requested model name. Returns only requests for this name. 1 to 128 characters. */
  model?: string | undefined
  /**
   * Label of a provider account, or its ID, `pa_…`. Returns only requests that were routed to this account.
   * A deleted account is found by ID only. 1 to 64 characters.
   */
  provider?: string | undefined
  /** Returns only requests with this status. */
  status?: 'settled' | 'released' | 'refused' | 'recovered' | 'in_flight' | undefined
  /** Returns only requests whose response had an HTTP status of this class. */
  statusClass?: '2xx' | '4xx' | '5xx' | undefined
  /** Returns only requests whose response had this HTTP status. */
  httpStatus?: string | undefined
  /** Returns only requests that failed or were rejected with this error code. 1 to 64 characters. */
  errorCode?: string | undefined
  /** Returns only requests with at least this provider cost, in micros. An integer as a decimal string. */
  minCostMicros?: string | bigint | undefined
}

/** Of requests.explain: explain what a request cost. */
export interface RequestsExplainInput {
  /**
   * ID of the request, `req_…`, of its hold, `hold_…`, or of its usage record, `ur_…`. 1 to 64 characters.
   */
  id: string
}

/** What requests.explain answers. */
export interface RequestsExplainOutput {
  /** ID of the request, `req_…`, as returned with its response. */
  id: string
  /**
   * `settled`: charged. `released`: no work was done and nothing was charged. `refused`: rejected before it
   * was sent to a provider. `recovered`: settled after a crash. `in_flight`: not ended yet.
   */
  status: Open<'settled' | 'released' | 'refused' | 'recovered' | 'in_flight'>
  /** The customer's own ID for the end user. Null if the end user is unknown. */
  endUserId: string | null
  /** ID of the key, `key_…`. Null if the key is unknown. */
  keyId: string | null
  /** Requested model name. Null if the request was rejected before its model name was read. */
  requestedModel: string | null
  /**
   * Label of the chosen provider account, or its ID, `pa_…`, if the account was deleted. Null if no account
   * was chosen.
   */
  provider: string | null
  /** The provider's model ID that the requested name resolved to. Null if no model was chosen. */
  providerModel: string | null
  /** Wire format of the request. Null while in flight. */
  wire: string | null
  /** Whether the response was streamed. Null while in flight. */
  streamed: boolean | null
  /** HTTP status of the response. Null while in flight. */
  httpStatus: number | null
  /** Error code of the failure or rejection. Null if no error occurred. */
  errorCode: string | null
  /** Amount debited from the sources of end users, in micros. An integer as a decimal string. */
  chargeMicros: string
  /** Part of the charge paid from pools of the plan, in micros. An integer as a decimal string. */
  paidFromPlanMicros: string
  /** Part of the charge paid from credit that was given, in micros. An integer as a decimal string. */
  paidFromGiftMicros: string
  /** Part of the charge paid from purchased wallet money, in micros. An integer as a decimal string. */
  paidFromWalletMicros: string
  /** Part of the charge billed on demand, in micros. An integer as a decimal string. */
  onDemandMicros: string
  /** Part of the charge that took a wallet below 0, in micros. An integer as a decimal string. */
  overdraftMicros: string
  /**
   * Part of the charge of requests recorded before payments were split, in micros. An integer as a decimal
   * string.
   */
  unattributedMicros: string
  /**
   * Amount refunded so far, in micros. `chargeMicros` is the amount before refunds. An integer as a decimal
   * string.
   */
  refundedMicros: string
  /**
   * Usage above the hold, in micros. It is neither charged nor billed, and the application bears its cost.
   * An integer as a decimal string.
   */
  overHoldMicros: string
  /**
   * List value: usage at the sell price of the bundle, in micros, regardless of who paid for it. An integer
   * as a decimal string.
   */
  billedMicros: string
  /**
   * Provider cost, in micros, including failed attempts. It can be more than 0 for requests that are not
   * charged. An integer as a decimal string.
   */
  costMicros: string
  /**
   * Part of `costMicros` computed at assumed rates, in micros. 0 if the account has a rate for all usage.
   * An integer as a decimal string.
   */
  assumedMicros: string
  /** Input tokens, including cached tokens. 0 if nothing was charged. */
  inputTokens: number
  /** Input tokens that were read from the provider's cache. */
  cachedInputTokens: number
  /** Output tokens, including reasoning. 0 if nothing was charged. */
  outputTokens: number
  /**
   * Time from the first byte of the request to the last byte of the response, in milliseconds. Null while
   * in flight.
   */
  latencyMs: number | null
  /** Time to the first byte of the response, in milliseconds. Null if no byte was sent. */
  firstByteMs: number | null
  /** Time of the request. ISO 8601. */
  createdAt: string
  /** ID of the usage record, `ur_…`, as in events and exports. Null if nothing was settled. */
  usageRecordId: string | null
  /** Refunds and late usage of the request, oldest first. Empty if the request was not corrected. */
  corrections: types.RequestCorrection[]
  /** Summary of the request in words, with the numbers. */
  summary: string
  timeline: types.ExplainedTimeline
  auth: types.ExplainedAuth | null
  policy: types.ExplainedPolicy | null
  quote: types.ExplainedQuote | null
  reserve: types.ExplainedReserve | null
  route: types.ExplainedRoute | null
  /** Attempts at providers, in order. */
  attempts: types.ExplainedAttempt[]
  stream: types.ExplainedStream | null
  refusal: types.ExplainedRefusal | null
  usage: types.ExplainedUsage | null
  /** Units times rates, for each price that applies. The sums are exact. */
  priceLines: types.PriceLines[]
  settle: types.ExplainedSettle | null
  /** Ledger entries of the request, oldest first. */
  ledger: types.LedgerEntry[]
  /** Deliveries of the usage event, for each emitter that receives it, oldest emitter first. */
  emitters: types.ExplainedEvent[]
}

/** Of requests.refund: refund a request. */
export interface RequestsRefundInput {
  /**
   * ID of the request, `req_…`, of its hold, `hold_…`, or of its usage record, `ur_…`. 1 to 64 characters.
   */
  id: string
  /** Amount to refund, in micros. Omit to refund the remaining charge. An integer as a decimal string. */
  amountUnits?: string | bigint | undefined
  /** Reason shown on the ledger of the end user. 1 to 256 characters. */
  reason: string
}

/** Requests to the gateway, and how the cost of each was computed. */
export class Requests {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List recent requests. Returns gateway requests in the mode of the request that match all filters,
   * newest first, including rejected requests and requests in flight. Content is never included. A page
   * reads at most about 10,000 requests, so it can have fewer rows than `limit` although `nextCursor` is
   * set.
   *
   * GET /v1/requests
   * @throws ApiError not_found
   */
  list(input?: RequestsListInput, options?: CallOptions): PageCall<types.Request, RequestsListOutput> {
    return this.#sender.page(
      { id: 'requests.list', method: 'GET', path: '/v1/requests', query: ['limit', 'cursor', 'endUserId', 'keyId', 'model', 'provider', 'status', 'statusClass', 'httpStatus', 'errorCode', 'minCostMicros', 'outcome', 'runId', 'usageRecordId', 'from', 'to'] },
      input,
      options,
    )
  }

  /**
   * Watch requests as they end. Streams gateway requests of the mode as server-sent events, in the order in
   * which they end and within a second:
   * - `call`: a request, as in requests.list. Its `id` is its position in the stream. A request that is
   * sent after later requests has no `id`.
   * - `gap`: more requests have ended since `Last-Event-ID` than are sent again. Read them with
   * requests.list.
   * - `dropped`: the last event, because the client read too slowly or requests of other processes may be
   * missing.
   * - `ended`: the last event, because the credential expired or lost its access, or because the server
   * stops.
   *
   * To continue a stream, send its last `id` as `Last-Event-ID`. Requests that ended in the meantime are
   * sent first, up to 10,000 requests and ten minutes. A comment is sent after 15 seconds without an event.
   * A request that died with its process is returned only by requests.list.
   *
   * GET /v1/requests/tail (an extension)
   * @throws ApiError not_found, too_many_readers
   */
  tail(input?: RequestsTailInput, options?: StreamOptions): StreamCall<types.Request> {
    return this.#sender.events(
      { id: 'requests.tail', method: 'GET', path: '/v1/requests/tail', query: ['endUserId', 'keyId', 'model', 'provider', 'status', 'statusClass', 'httpStatus', 'errorCode', 'minCostMicros'], event: 'call' },
      input,
      options,
    )
  }

  /**
   * Explain what a request cost. Returns every phase of one gateway request, with the numbers behind each
   * decision. Works for settled, failed, rejected and recovered requests, and for requests in flight. A
   * phase that was not reached is null. Amounts are in micros, times in milliseconds. Content and secrets
   * are never included.
   *
   * GET /v1/requests/{id}
   * @throws ApiError not_found
   */
  explain(input: RequestsExplainInput, options?: CallOptions): Call<RequestsExplainOutput> {
    return this.#sender.call(
      { id: 'requests.explain', method: 'GET', path: '/v1/requests/{id}' },
      input,
      options,
    )
  }

  /**
   * Refund a request. Refunds all or part of the charge of a request to the sources that paid it, starting
   * with the last payer. If the refunds of a request would exceed its charge, the operation fails with
   * `refund_too_large`. Send an `Idempotency-Key` so that a retry does not refund twice.
   *
   * - If the plan period or on-demand month that paid has ended, the refund becomes given credit in the
   * wallet.
   * - A refund does not reduce the amounts used under key caps, spend limits and run ceilings.
   *
   * POST /v1/requests/{id}/refund (an extension)
   * @throws ApiError not_found, refund_too_large
   */
  refund(input: RequestsRefundInput, options?: CallOptions): Call<types.RequestRefund> {
    return this.#sender.call(
      { id: 'requests.refund', method: 'POST', path: '/v1/requests/{id}/refund', body: 'json', isKeyed: true },
      input,
      options,
    )
  }
}
