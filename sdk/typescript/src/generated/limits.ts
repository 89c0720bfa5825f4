// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { Sender } from '../sender.ts'
import type { ConditionalOptions } from '../settings.ts'
import type * as types from './types.ts'

/** Of limits.set: set the organization's daily limits. */
export interface LimitsSetInput {
  /** Slug of the application to limit. Omit to limit all applications together. */
  application?: string | undefined
  /**
   * Maximum requests per day, including requests in flight. 0 blocks all requests. Null means no limit.
   * From 0 to 1000000000.
   */
  callsPerDay?: number | null | undefined
  /**
   * Maximum provider cost per day, in micros. Requests in flight count with the amount they hold. Requests
   * whose hold would exceed the limit are rejected. Null means no limit. An integer as a decimal string.
   */
  spendPerDayMicros?: string | bigint | null | undefined
}

/** Daily limits that the organization sets for itself. */
export class Limits {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * Show the organization's daily limits. Returns the daily limits of the organization and of its
   * applications, with today's usage. These limits protect the organization from its own mistakes. Bundles
   * and keys limit what end users can spend.
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
   * Set the organization's daily limits. Sets the daily limits (UTC) of the organization, or of one
   * application, for live mode. Omit a field to keep the current limit. Set it to null to remove the limit.
   *
   * - Requests beyond a limit return 403 `organization_limit_reached`, which clients do not retry.
   * - A single server process enforces the limits exactly.
   * - Processes that share a database count each other's requests every second, or less often if counting
   * is slow (20 times its duration). Requests admitted in between can exceed a limit.
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
