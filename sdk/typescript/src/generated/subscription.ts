// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions } from '../settings.ts'
import type * as types from './types.ts'

/** Of subscription.cancel: cancel a subscription. */
export interface SubscriptionCancelInput {
  /** External ID of the end user, or their ID, `eu_…`. 1 to 256 characters. */
  externalId: string
  /**
   * Whether the plan ends at the end of the invoiced time. If false, the plan ends now. Defaults to true.
   * `true` when left out.
   */
  atPeriodEnd?: boolean | undefined
}

/** Of subscription.resume: resume a subscription. */
export interface SubscriptionResumeInput {
  /** External ID of the end user, or their ID, `eu_…`. 1 to 256 characters. */
  externalId: string
}

/** Of subscription.show: show an end user's subscription. */
export interface SubscriptionShowInput {
  /** External ID of the end user, chosen by the application. 1 to 256 characters. */
  endUserId: string
}

/** Of subscription.onDemand: set on-demand billing. */
export interface SubscriptionOnDemandInput {
  /** External ID of the end user, chosen by the application. 1 to 256 characters. */
  endUserId: string
  /** Whether usage beyond pools and wallet is billed on demand. */
  enabled: boolean
  /**
   * Maximum on-demand usage per calendar month (UTC), in micros. Null means no limit. Omit to keep the
   * current value. An integer as a decimal string.
   */
  limitMicros?: string | bigint | null | undefined
}

/** An end user's plan, pools and on-demand billing. */
export class Subscription {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * Cancel a subscription. Cancels the subscription of an end user in the mode of the request. After the
   * end, the end user's keys are rejected until `users.subscribe`. Wallet and ledger are kept.
   *
   * - By default, the plan ends at the end of the invoiced time, or of the current period if nothing was
   * invoiced. `subscription.resume` withdraws the cancellation until then.
   * - With `atPeriodEnd: false`, the plan ends now. Invoices that are not due yet are voided, and payments
   * are not refunded.
   * - Canceling again changes nothing, or ends the plan now.
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
   * Resume a subscription. Withdraws the cancellation of a subscription in the mode of the request, if the
   * plan has not ended yet. A subscription that was not canceled is unchanged.
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
   * Show an end user's subscription. Returns the plan of an end user in the mode of the request, with its
   * pools, invoices and remaining credit.
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
   * Set on-demand billing. Turns on-demand billing on or off for one end user in the mode of the request,
   * starting with the next request. On-demand billing pays only after pools and wallet are used up. The end
   * user cannot raise the monthly ceiling in the portal.
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
