// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions } from '../settings.ts'
import type * as types from './types.ts'

/** Of subscription.cancel: cancel a subscription. */
export interface SubscriptionCancelInput {
  /** External ID of the end user, or their ID, `eu_…`. 1 to 256 characters. */
  externalId: string
  /** True: at the end of what was invoiced; false: now. `true` when left out. */
  atPeriodEnd?: boolean | undefined
}

/** Of subscription.resume: take a cancellation back. */
export interface SubscriptionResumeInput {
  /** External ID of the end user, or their ID, `eu_…`. 1 to 256 characters. */
  externalId: string
}

/** Of subscription.show: show an end user's subscription. */
export interface SubscriptionShowInput {
  /** The customer's own id of the person. 1 to 256 characters. */
  endUserId: string
}

/** Of subscription.onDemand: set on-demand overage. */
export interface SubscriptionOnDemandInput {
  /** The customer's own id of the person. 1 to 256 characters. */
  endUserId: string
  /** Whether more may be used than is paid for. */
  enabled: boolean
  /** The monthly ceiling (UTC); null: none; left out: as it is. An integer as a decimal string. */
  limitMicros?: string | bigint | null | undefined
}

/** The plan of an end user, its pools and on-demand use. */
export class Subscription {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * Cancel a subscription. In the mode of the request. At the end of what was invoiced, or of the period
   * where nothing was, the person is on no plan: their keys call nothing until `users.subscribe`, and
   * wallet and ledger stay. With `atPeriodEnd: false` the plan ends now: invoices that are not due yet are
   * void, and nothing that was paid is given back. Until it has ended `subscription.resume` takes it back.
   * Cancelling again changes nothing, or ends it now.
   *
   * POST /v1/end-users/{externalId}/subscription/cancel (an extension)
   * @throws ApiError not_found, subscription_ended
   */
  cancel(input: SubscriptionCancelInput, options?: CallOptions): Call<types.Subscription> {
    return this.#sender.call(
      { id: 'subscription.cancel', method: 'POST', path: '/v1/end-users/{externalId}/subscription/cancel', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Take a cancellation back. In the mode of the request: the subscription goes on as if it had not been
   * cancelled. One that was not cancelled stays as it is.
   *
   * POST /v1/end-users/{externalId}/subscription/resume (an extension)
   * @throws ApiError not_found, subscription_ended
   */
  resume(input: SubscriptionResumeInput, options?: CallOptions): Call<types.Subscription> {
    return this.#sender.call(
      { id: 'subscription.resume', method: 'POST', path: '/v1/end-users/{externalId}/subscription/resume', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Show an end user's subscription. The plan of a person, what it granted and what is left of it, in the
   * mode of the request.
   *
   * GET /v1/subscription
   * @throws ApiError not_found
   */
  show(input: SubscriptionShowInput, options?: CallOptions): Call<types.Subscription> {
    return this.#sender.call(
      { id: 'subscription.show', method: 'GET', path: '/v1/subscription', query: ['endUserId'] },
      input,
      options,
    )
  }

  /**
   * Set on-demand overage. Turns overage on or off for a person in the mode of the request, from the next
   * call on, with a monthly ceiling of their own, which they cannot raise in the portal. It pays only once
   * pools and wallet are spent.
   *
   * POST /v1/subscription/on-demand
   * @throws ApiError not_found
   */
  onDemand(input: SubscriptionOnDemandInput, options?: CallOptions): Call<types.Subscription> {
    return this.#sender.call(
      { id: 'subscription.onDemand', method: 'POST', path: '/v1/subscription/on-demand', body: 'json', isKeyed: true },
      input,
      options,
    )
  }
}
