// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions } from '../settings.ts'
import type * as types from './types.ts'

/** How far the set-up is, up to a first settled call. */
export class Onboarding {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * Show how far the set-up is. The six steps to a first settled call in the mode of the request, each as
   * the server finds it now, and the call that does it.
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
   * Record that the set-up is complete. Refused while a step of the mode is missing, naming it. The time of
   * the first success is kept; repeating it changes nothing, whatever was undone since.
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
   * Record that money was given and a call tried. Refused until someone of the application was given money
   * in the mode, by a grant or by the pools of a plan, and a call has settled. The time of the first
   * success is kept; repeating it changes nothing.
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
