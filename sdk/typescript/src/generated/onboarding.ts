// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions } from '../settings.ts'
import type * as types from './types.ts'

/** Setup progress, up to the first settled request. */
export class Onboarding {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * Show the setup progress. Returns the six steps to a first settled request in the mode of the request.
   * Each step has its current state and the operation that completes it.
   *
   * GET /v1/onboarding
   */
  status(input?: Record<string, never>, options?: CallOptions): Call<types.Onboarding> {
    return this.#sender.call(
      { id: 'onboarding.status', method: 'GET', path: '/v1/onboarding' },
      input,
      options,
    )
  }

  /**
   * Complete the setup. Records that every setup step is done in the mode of the request. Fails if a step
   * is missing, and the error names it. The time of the first success is kept. Repeating the request
   * changes nothing, even if a step was undone since.
   *
   * POST /v1/onboarding/complete
   * @throws ApiError onboarding_incomplete
   */
  complete(input?: Record<string, never>, options?: CallOptions): Call<types.Onboarding> {
    return this.#sender.call(
      { id: 'onboarding.complete', method: 'POST', path: '/v1/onboarding/complete', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Record the first funded request. Records that an end user has received credit and a request has
   * settled. Fails if no end user has received credit (a grant or plan pool) in this mode, or if no request
   * has settled. The time of the first success is kept. Repeating the request changes nothing.
   *
   * POST /v1/onboarding/fund-and-try
   * @throws ApiError onboarding_incomplete
   */
  fundAndTry(input?: Record<string, never>, options?: CallOptions): Call<types.Onboarding> {
    return this.#sender.call(
      { id: 'onboarding.fundAndTry', method: 'POST', path: '/v1/onboarding/fund-and-try', isKeyed: true },
      input,
      options,
    )
  }
}
