// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions } from '../settings.ts'
import type * as types from './types.ts'

/** Of testClock.advance: advance the test clock. */
export interface TestClockAdvanceInput {
  /** New time in test mode. It must be later than `now` and no later than `latest`. ISO 8601. */
  to: string | Date
}

/** The clock of test mode. */
export class TestClock {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * Show the test clock. Returns the application's test time, the real time and the latest time that the
   * clock can be advanced to. The mode of the request does not matter.
   *
   * GET /v1/test-clock (an extension)
   */
  show(input?: Record<string, never>, options?: CallOptions): Call<types.TestClock> {
    return this.#sender.call(
      { id: 'testClock.show', method: 'GET', path: '/v1/test-clock' },
      input,
      options,
    )
  }

  /**
   * Advance the test clock. Advances the application's clock in test mode. Takes effect with the next
   * request. Periods, invoices, caps, limits and key expiry then behave as if the time had passed.
   *
   * - The clock cannot be moved back. It can be at most ten years ahead of the real time.
   * - Live mode and everything that both modes share use the real time.
   * - A request in flight uses the clock with which it started until it ends.
   *
   * POST /v1/test-clock/advance (an extension)
   */
  advance(input: TestClockAdvanceInput, options?: CallOptions): Call<types.TestClock> {
    return this.#sender.call(
      { id: 'testClock.advance', method: 'POST', path: '/v1/test-clock/advance', body: 'json', isKeyed: true },
      input,
      options,
    )
  }
}
