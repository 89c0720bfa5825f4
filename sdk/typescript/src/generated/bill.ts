// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions, ConditionalOptions } from '../settings.ts'
import type { Open } from './types.ts'
import type * as types from './types.ts'

/** Of bill.show: show a monthly bill. */
export interface BillShowInput {
  /** Month to return. Defaults to the current month. */
  period?: string | undefined
}

/** What bill.show answers. */
export interface BillShowOutput {
  /** Month of the bill. */
  period: string
  /** Start of the month. ISO 8601. */
  startsAt: string
  /** Start of the following month (exclusive end of the period). ISO 8601. */
  endsAt: string
  /**
   * `open`: the month has not ended. `closing`: the month has ended, and its requests may still settle.
   * `issued`: the bill is final.
   */
  status: Open<'open' | 'closing' | 'issued'>
  /** When the bill was issued. Null if it is not issued yet. ISO 8601. */
  issuedAt: string | null
  /** Last tier of the month. */
  tier: string
  /** Version of the price table. */
  table: string
  /** Number of settled live requests of the month. */
  settledCalls: number
  /** Number of members when the bill was counted. */
  seats: number
  /** Lines of the bill. */
  lines: types.BillLine[]
  /** Sum of the lines, in micros. An integer as a decimal string. */
  totalMicros: string
  /** Estimate for the whole month. Null unless the month is `open`. */
  projection: {
    /** Projected number of requests, at the pace so far. */
    settledCalls: number
    /** Projected total, in micros. An integer as a decimal string. */
    totalMicros: string
  } | null
  /** Number of live requests counted by this bill and all bills before it. */
  watermark: number
  /** SHA-256 of the bill. Computing the bill again from the same counts gives the same digest. */
  digest: string
  /** Issued bills, newest first, at most 24. */
  past: {
    /** Month of the bill. */
    period: string
    /** Total of the bill, in micros. An integer as a decimal string. */
    totalMicros: string
    /** When the bill was issued. ISO 8601. */
    issuedAt: string
  }[]
}

/** Of bill.subscribe: change the billing tier. */
export interface BillSubscribeInput {
  /** Name of a tier. */
  tier: 'free' | 'team' | 'scale'
}

/** What bill.tiers answers. */
export interface BillTiersOutput {
  current: types.TierState
  /** Version of the price table. */
  table: string
  /** All tiers, cheapest first. */
  tiers: types.Tier[]
}

/** The organization's own plan with the operator of this server, and its bill. */
export class Bill {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * Show a monthly bill. Returns the bill of a calendar month (UTC) for settled live requests and members,
   * with the past bills.
   *
   * - The current month is `open`. Its bill includes a projection at the pace so far.
   * - A month is `issued` one day after it ends, and its bill never changes. Requests that settle later are
   * billed on the next bill.
   *
   * GET /v1/bill
   * @throws ApiError not_found
   */
  show(input?: BillShowInput, options?: CallOptions): Call<BillShowOutput> {
    return this.#sender.call(
      { id: 'bill.show', method: 'GET', path: '/v1/bill', query: ['period'] },
      input,
      options,
    )
  }

  /**
   * Change the billing tier. Moves the organization to another tier. Repeating the request changes nothing.
   *
   * - A more expensive tier takes effect today (UTC). The bill charges the price difference for the
   * remaining days of the month and adds the same share of the additional included requests.
   * - A cheaper tier takes effect on the first day of the next month.
   * - Each request replaces a pending move. Sending the current tier cancels the pending move.
   *
   * POST /v1/bill/subscribe
   */
  subscribe(input: BillSubscribeInput, options?: ConditionalOptions): Call<types.TierState> {
    return this.#sender.call(
      { id: 'bill.subscribe', method: 'POST', path: '/v1/bill/subscribe', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Show billing tiers. Returns all billing tiers, cheapest first, and the tier of the organization.
   * Requests in test mode are free.
   *
   * GET /v1/bill/tiers
   */
  tiers(input?: Record<string, never>, options?: CallOptions): Call<BillTiersOutput> {
    return this.#sender.call(
      { id: 'bill.tiers', method: 'GET', path: '/v1/bill/tiers' },
      input,
      options,
    )
  }
}
