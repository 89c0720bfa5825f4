// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions } from '../settings.ts'
import type * as types from './types.ts'

/** The organization and applications of the credential. */
export class Customer {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * Show the organization. Returns the organization of the credential and the role of the caller.
   *
   * GET /v1/customer
   */
  show(input?: Record<string, never>, options?: CallOptions): Call<types.Customer> {
    return this.#sender.call(
      { id: 'customer.show', method: 'GET', path: '/v1/customer' },
      input,
      options,
    )
  }
}
