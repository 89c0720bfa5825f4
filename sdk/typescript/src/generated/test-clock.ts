// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions } from '../settings.ts'
import type * as types from './types.ts'

/** Of testClock.advance: advance the test clock. */
export interface TestClockAdvanceInput {
  /** The new time in test mode: later than `now`, no later than `latest`. ISO 8601. */
  to: string | Date
}

/** The clock of test mode. */
export class TestClock {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * Show the test clock. The time of the test mode of the application, in whichever mode it is asked for.
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
   * Advance the test clock. Sets the clock of the test mode of the application forward, from the next call
   * on: periods, invoices, caps, limits and the expiry of keys are then as if the time had been waited for.
   * It never goes back, and it is at most ten years ahead of the real time. Live mode, and what both modes
   * share, stay at the real time. A call in flight ends at the clock that it began with.
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
