// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions, ConditionalOptions } from '../settings.ts'
import type { Open } from './types.ts'
import type * as types from './types.ts'

/** Of bill.show: show what the organization pays. */
export interface BillShowInput {
  /** The month; the running one when left out. */
  period?: string | undefined
}

/** What bill.show answers. */
export interface BillShowOutput {
  /** The month. */
  period: string
  /** Its first instant. ISO 8601. */
  startsAt: string
  /** The first instant of the next month. ISO 8601. */
  endsAt: string
  /** `open`: the month runs; `closing`: it is over, and calls may still settle; `issued`: it is fixed. */
  status: Open<'open' | 'closing' | 'issued'>
  /** When it was issued; null: it is not. ISO 8601. */
  issuedAt: string | null
  /** The last tier of the month. */
  tier: string
  /** Version of the prices. */
  table: string
  /** Live calls of the month that were counted. */
  settledCalls: number
  /** Members when it was counted. */
  seats: number
  /** What it is made of. */
  lines: types.BillLine[]
  /** Sum of the lines, in micros. An integer as a decimal string. */
  totalMicros: string
  /** An estimate of the whole month, while it is open; else null. */
  projection: {
    /** Calls at the end of the month, at the pace so far. */
    settledCalls: number
    /** What the bill comes to then, in micros. An integer as a decimal string. */
    totalMicros: string
  } | null
  /** All live calls that this bill and those before it have counted. */
  watermark: number
  /** SHA-256 of the bill: computed again from what was counted, it is the same. */
  digest: string
  /** Issued bills, the newest first, at most 24. */
  past: {
    /** The month. */
    period: string
    /** Its total, in micros. An integer as a decimal string. */
    totalMicros: string
    /** When it was issued. ISO 8601. */
    issuedAt: string
  }[]
}

/** Of bill.subscribe: move to a tier. */
export interface BillSubscribeInput {
  /** Name of a tier. */
  tier: 'free' | 'team' | 'scale'
}

/** What bill.tiers answers. */
export interface BillTiersOutput {
  current: types.TierState
  /** Version of the prices. */
  table: string
  /** All tiers, the cheapest first. */
  tiers: types.Tier[]
}

/** What the organization pays the operator of this server. */
export class Bill {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * Show what the organization pays. The bill of a calendar month (UTC) for settled live calls and members,
   * and the bills before. The running month is `open`, with what it comes to at this pace. A day after its
   * end a month is `issued` and never changes: it is computed from what was counted then, and calls that
   * settle later are a line of the next bill.
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
   * Move to a tier. A dearer tier holds from today (UTC), and the month has the difference for the days
   * that are left, with so many included calls more; a cheaper one holds from the first day of the next
   * month. The last word counts: naming the present tier takes a move that is ahead back. Repeating it
   * changes nothing.
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
   * Show tiers and their prices. The tiers that an organization can be on, the cheapest first, and the one
   * that it is on. Calls in test mode cost nothing.
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
