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
  /** `nextCursor` of the page before. At most 1200 characters. */
  cursor?: string | undefined
  /** External id, or the id `eu_…` of a removed person: only calls of that person. 1 to 256 characters. */
  endUserId?: string | undefined
  /** Id of a key, `key_…`: only calls with it. 1 to 64 characters. */
  keyId?: string | undefined
  /** Only calls that asked for that name. 1 to 128 characters. */
  model?: string | undefined
  /**
   * Label of a provider account, or its id, `pa_…`, also of one that is gone: only calls that it answered,
   * or would have. 1 to 64 characters.
   */
  provider?: string | undefined
  /** Only calls of that status. */
  status?: 'settled' | 'released' | 'refused' | 'recovered' | 'in_flight' | undefined
  /** Only calls whose answer had an HTTP status of that class. */
  statusClass?: '2xx' | '4xx' | '5xx' | undefined
  /** Returns only calls whose response had this HTTP status. */
  httpStatus?: string | undefined
  /** Only calls that failed or were refused with that code. 1 to 64 characters. */
  errorCode?: string | undefined
  /**
   * Only calls that the provider account is charged at least so much for, in micros. An integer as a
   * decimal string.
   */
  minCostMicros?: string | bigint | undefined
  /**
   * Slug of an outcome. Returns only charged calls and calls in flight that counted toward it; released and
   * refused calls count toward none.
   */
  outcome?: string | undefined
  /**
   * ID of a run. Returns only charged calls and calls in flight of runs with this ID. 1 to 128 characters.
   */
  runId?: string | undefined
  /** ID of a usage record, `ur_…`. Returns only the call that it belongs to. 1 to 64 characters. */
  usageRecordId?: string | undefined
  /** Only calls from that day (UTC) or time on. ISO 8601. */
  from?: string | Date | undefined
  /** Only calls before that day (UTC) or time. ISO 8601. */
  to?: string | Date | undefined
}

/** What requests.list answers. */
export interface RequestsListOutput {
  data: types.Request[]
  nextCursor: string | null
}

/** Of requests.tail: watch calls as they end. */
export interface RequestsTailInput {
  /** External id, or the id `eu_…` of a removed person: only calls of that person. 1 to 256 characters. */
  endUserId?: string | undefined
  /** Id of a key, `key_…`: only calls with it. 1 to 64 characters. */
  keyId?: string | undefined
  /** Only calls that asked for that name. 1 to 128 characters. */
  model?: string | undefined
  /**
   * Label of a provider account, or its id, `pa_…`, also of one that is gone: only calls that it answered,
   * or would have. 1 to 64 characters.
   */
  provider?: string | undefined
  /** Only calls of that status. */
  status?: 'settled' | 'released' | 'refused' | 'recovered' | 'in_flight' | undefined
  /** Only calls whose answer had an HTTP status of that class. */
  statusClass?: '2xx' | '4xx' | '5xx' | undefined
  /** Returns only calls whose response had this HTTP status. */
  httpStatus?: string | undefined
  /** Only calls that failed or were refused with that code. 1 to 64 characters. */
  errorCode?: string | undefined
  /**
   * Only calls that the provider account is charged at least so much for, in micros. An integer as a
   * decimal string.
   */
  minCostMicros?: string | bigint | undefined
}

/** Of requests.explain: explain what a request cost. */
export interface RequestsExplainInput {
  /** Id of the call, `req_…`, its hold or its usage record. 1 to 64 characters. */
  id: string
}

/** What requests.explain answers. */
export interface RequestsExplainOutput {
  /** Id of the call, `req_…`, as its answer carried it. */
  id: string
  /**
   * `settled`: charged; `released`: nothing was done and nothing charged; `refused`: never sent;
   * `recovered`: settled after a crash; `in_flight`: not ended.
   */
  status: Open<'settled' | 'released' | 'refused' | 'recovered' | 'in_flight'>
  /** The customer's own id of the person; null: not known. */
  endUserId: string | null
  /** The key it came with; null: none that is known. */
  keyId: string | null
  /** The requested model name. */
  requestedModel: string | null
  /**
   * Label of the provider account that answered, or would have; its id, `pa_…`, when it is gone; null: it
   * was not decided.
   */
  provider: string | null
  /** The provider's model id that the name led to; null: it was not decided. */
  providerModel: string | null
  /** The wire format that it came in; null while in flight. */
  wire: string | null
  /** Whether it was streamed; null while in flight. */
  streamed: boolean | null
  /** Status of the answer; null while in flight. */
  httpStatus: number | null
  /** Code of the failure or refusal; null: none. */
  errorCode: string | null
  /** What left pools, wallet or on-demand for it, in micros. An integer as a decimal string. */
  chargeMicros: string
  /** Part of the charge that pools of the plan paid, in micros. An integer as a decimal string. */
  paidFromPlanMicros: string
  /** Part of the charge from credit that was given, in micros. An integer as a decimal string. */
  paidFromGiftMicros: string
  /** Part of the charge from wallet money that was paid for, in micros. An integer as a decimal string. */
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
   * What was used beyond what was held for it: neither charged nor billed, the cost of the application. An
   * integer as a decimal string.
   */
  overHoldMicros: string
  /** What the bundle sells it for, of what was charged, in micros. An integer as a decimal string. */
  billedMicros: string
  /**
   * What provider accounts charge for it, for attempts that did not answer too, in micros; more than 0 too
   * where nothing was charged. An integer as a decimal string.
   */
  costMicros: string
  /**
   * The part of `costMicros` computed at assumed rates, in micros. 0 if the account has a rate for
   * everything that was used. An integer as a decimal string.
   */
  assumedMicros: string
  /** Tokens in, cached ones too; 0 where nothing was charged. */
  inputTokens: number
  /** Those of the tokens in that the provider had cached. */
  cachedInputTokens: number
  /** Tokens out, reasoning too; 0 where nothing was charged. */
  outputTokens: number
  /** Milliseconds from the first byte of the request to the last of the answer; null while in flight. */
  latencyMs: number | null
  /** Milliseconds to the first byte of the answer; null: there was none. */
  firstByteMs: number | null
  /** Time of the request. ISO 8601. */
  createdAt: string
  /**
   * ID of the usage record, `ur_…`, as events and exports name the request. Null if nothing was settled.
   */
  usageRecordId: string | null
  /** Refunds of the request and its true usage, oldest first. Empty if there are none. */
  corrections: types.RequestCorrection[]
  /** What happened, in words, with the numbers. */
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
  /** Units times rates, by each price that applies; their sum is exact. */
  priceLines: types.PriceLines[]
  settle: types.ExplainedSettle | null
  /** Its ledger entries, oldest first. */
  ledger: types.LedgerEntry[]
  /** What became of its event, for each emitter that is told of it, oldest emitter first. */
  emitters: types.ExplainedEvent[]
}

/** Of requests.refund: refund a request. */
export interface RequestsRefundInput {
  /** ID of the request, `req_…`, its hold or its usage record. 1 to 64 characters. */
  id: string
  /**
   * Amount to refund, in micros. Omit to refund all that is left of the charge. An integer as a decimal
   * string.
   */
  amountUnits?: string | bigint | undefined
  /** Reason shown on the ledger of the end user. 1 to 256 characters. */
  reason: string
}

/** Calls of the gateway, and why each cost what it cost. */
export class Requests {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List recent requests. Gateway calls in the mode of the request, newest first: settled, refused and
   * those in flight. Never their content. Filters narrow each other. A page looks at some 10,000 calls at
   * most: where few of them match, it may have fewer rows than `limit`, or none, while `nextCursor` goes
   * on.
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
   * Watch calls as they end. Server-sent events of gateway calls in the mode of the request, in the order
   * in which they end, less than a second later: an event `call` has the row of requests.list. Its `id` is
   * its place: a client that comes back with it as `Last-Event-ID` is first sent what ended meanwhile, up
   * to 10,000 calls and ten minutes; an event `gap` says that there was more (requests.list has it). A call
   * that is sent behind later ones has no `id`. A comment comes every 15 s in which nothing ends. The last
   * event says why there is none after it: `dropped`, the client did not take what it was sent, or calls of
   * other processes may be missing; `ended`, the credential has ended or may no more, or the server stops.
   * A call that died with its process is found by requests.list.
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
   * Explain what a request cost. Every phase of one call of the mode and the numbers that it was decided
   * on: calls that ended, failed, were refused or recovered, and those in flight. A phase that was not
   * reached is null. Amounts are micros, times milliseconds. Never content, never a secret.
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
   * Refund a request. Gives back what a request was charged, in whole or in part, to the sources that paid
   * it, the last payer first. All refunds of a request together are never more than its charge: a larger
   * amount fails with `refund_too_large`. The part of a plan period or of an on-demand month that has ended
   * becomes given credit in the wallet. Key caps, spend limits and run ceilings are not reopened. Send an
   * `Idempotency-Key` so that a retry does not refund twice.
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
