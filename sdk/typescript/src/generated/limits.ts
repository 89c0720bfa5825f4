// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { Sender } from '../sender.ts'
import type { ConditionalOptions } from '../settings.ts'
import type * as types from './types.ts'

/** Of limits.set: set the organization's own limits. */
export interface LimitsSetInput {
  /** The application to limit; left out: all applications together. */
  application?: string | undefined
  /**
   * Most calls of a day, those in flight included; 0: none at all; null: no limit. From 0 to 1000000000.
   */
  callsPerDay?: number | null | undefined
  /**
   * Most provider cost of a day, in micros. Calls in flight count with what they hold, and a call whose
   * hold would go beyond it is refused. Null: no limit. An integer as a decimal string.
   */
  spendPerDayMicros?: string | bigint | null | undefined
}

/** What the organization allows itself a day. */
export class Limits {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * Show the organization's own limits. What the organization allows itself a day, over all applications
   * and in single ones, and what of it is used today. The limits are a net against its own mistakes; what
   * end users may spend is set by bundles and keys.
   *
   * GET /v1/limits (an extension)
   */
  show(input?: Record<string, never>, options?: ConditionalOptions): Call<types.Limits> {
    return this.#sender.call(
      { id: 'limits.show', method: 'GET', path: '/v1/limits' },
      input,
      options,
    )
  }

  /**
   * Set the organization's own limits. Sets what the organization, or one application of it, may use a day
   * (UTC) in live mode. Fields that are left out stay as they are; null takes a limit away. A call beyond a
   * limit is 403 `organization_limit_reached`, and its client does not repeat it. One process keeps to a
   * limit exactly. Several processes on one database know of each other’s calls after a second, or after
   * twenty times as long as the count takes to read: by what each of them admits in that time a limit may
   * be exceeded.
   *
   * PATCH /v1/limits (an extension)
   * @throws ApiError not_found
   */
  set(input?: LimitsSetInput, options?: ConditionalOptions): Call<types.Limits> {
    return this.#sender.call(
      { id: 'limits.set', method: 'PATCH', path: '/v1/limits', body: 'json', isKeyed: true },
      input,
      options,
    )
  }
}
