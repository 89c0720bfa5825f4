// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { PageCall } from '../page.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions, ConditionalOptions, StreamOptions } from '../settings.ts'
import type { StreamCall } from '../stream.ts'
import type * as types from './types.ts'

/** Of emitters.list: list emitters. */
export interface EmittersListInput {
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the page before. At most 1200 characters. */
  cursor?: string | undefined
}

/** What emitters.list answers. */
export interface EmittersListOutput {
  data: types.Emitter[]
  nextCursor: string | null
}

/** Of emitters.add: add a usage emitter. */
export type EmittersAddInput = {
  /**
   * `webhook`: an https endpoint of yours; `vendor_a`: Metronome; `vendor_b`: Orb; `stripe`: meter events
   * of Stripe; `openmeter`: OpenMeter.
   */
  kind: 'webhook'
  /**
   * Where events are posted to, for `webhook`, and for an `openmeter` of your own: https, port 443 or 8443,
   * on a public host. At most 2000 characters.
   */
  url: string
  /** Label; the URL of a webhook and the kind of any other when left out. 1 to 128 characters. */
  name?: string | undefined
  /** False: nothing is delivered until it is enabled. `true` when left out. */
  enabled?: boolean | undefined
  /** Events to deliver. `usage.recorded` is the only event. 1 to 16 of them. */
  events?: readonly string[] | undefined
  /**
   * Under which id usage is filed; left out: `external_id` for `stripe`, which knows its own customers
   * only, and `end_user_id` for the others.
   */
  customerId?: 'end_user_id' | 'organization_id' | 'external_id' | undefined
  /**
   * Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage billed
   * on demand; the value of a Stripe meter event is then that amount. `all` when left out.
   */
  amount?: 'all' | 'on_demand' | undefined
  /**
   * False: it is told of test calls. When left out, the mode of the request: live, unless `x-svc-mode` says
   * test.
   */
  livemode?: boolean | undefined
} | {
  /**
   * `webhook`: an https endpoint of yours; `vendor_a`: Metronome; `vendor_b`: Orb; `stripe`: meter events
   * of Stripe; `openmeter`: OpenMeter.
   */
  kind: 'vendor_a'
  /**
   * API token of `vendor_a` and `openmeter`. Stored sealed, and sent to its vendor only. 8 to 4096
   * characters.
   */
  apiToken: string
  /** Event type at the vendor, for `vendor_a` and `openmeter`. 1 to 200 characters. */
  eventType: string
  /** Label; the URL of a webhook and the kind of any other when left out. 1 to 128 characters. */
  name?: string | undefined
  /** False: nothing is delivered until it is enabled. `true` when left out. */
  enabled?: boolean | undefined
  /** Events to deliver. `usage.recorded` is the only event. 1 to 16 of them. */
  events?: readonly string[] | undefined
  /**
   * Under which id usage is filed; left out: `external_id` for `stripe`, which knows its own customers
   * only, and `end_user_id` for the others.
   */
  customerId?: 'end_user_id' | 'organization_id' | 'external_id' | undefined
  /**
   * Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage billed
   * on demand; the value of a Stripe meter event is then that amount. `all` when left out.
   */
  amount?: 'all' | 'on_demand' | undefined
  /**
   * False: it is told of test calls. When left out, the mode of the request: live, unless `x-svc-mode` says
   * test.
   */
  livemode?: boolean | undefined
} | {
  /**
   * `webhook`: an https endpoint of yours; `vendor_a`: Metronome; `vendor_b`: Orb; `stripe`: meter events
   * of Stripe; `openmeter`: OpenMeter.
   */
  kind: 'vendor_b'
  /**
   * API key of `vendor_b` and `stripe`. Stored sealed, and sent to its vendor only. 8 to 4096 characters.
   */
  apiKey: string
  /** Event name at the vendor, for `vendor_b` and `stripe`. 1 to 200 characters. */
  eventName: string
  /** Label; the URL of a webhook and the kind of any other when left out. 1 to 128 characters. */
  name?: string | undefined
  /** False: nothing is delivered until it is enabled. `true` when left out. */
  enabled?: boolean | undefined
  /** Events to deliver. `usage.recorded` is the only event. 1 to 16 of them. */
  events?: readonly string[] | undefined
  /**
   * Under which id usage is filed; left out: `external_id` for `stripe`, which knows its own customers
   * only, and `end_user_id` for the others.
   */
  customerId?: 'end_user_id' | 'organization_id' | 'external_id' | undefined
  /**
   * Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage billed
   * on demand; the value of a Stripe meter event is then that amount. `all` when left out.
   */
  amount?: 'all' | 'on_demand' | undefined
  /**
   * False: it is told of test calls. When left out, the mode of the request: live, unless `x-svc-mode` says
   * test.
   */
  livemode?: boolean | undefined
} | {
  /**
   * `webhook`: an https endpoint of yours; `vendor_a`: Metronome; `vendor_b`: Orb; `stripe`: meter events
   * of Stripe; `openmeter`: OpenMeter.
   */
  kind: 'stripe'
  /**
   * API key of `vendor_b` and `stripe`. Stored sealed, and sent to its vendor only. 8 to 4096 characters.
   */
  apiKey: string
  /** Event name at the vendor, for `vendor_b` and `stripe`. 1 to 200 characters. */
  eventName: string
  /** Label; the URL of a webhook and the kind of any other when left out. 1 to 128 characters. */
  name?: string | undefined
  /** False: nothing is delivered until it is enabled. `true` when left out. */
  enabled?: boolean | undefined
  /** Events to deliver. `usage.recorded` is the only event. 1 to 16 of them. */
  events?: readonly string[] | undefined
  /**
   * Under which id usage is filed; left out: `external_id` for `stripe`, which knows its own customers
   * only, and `end_user_id` for the others.
   */
  customerId?: 'end_user_id' | 'organization_id' | 'external_id' | undefined
  /**
   * Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage billed
   * on demand; the value of a Stripe meter event is then that amount. `all` when left out.
   */
  amount?: 'all' | 'on_demand' | undefined
  /**
   * False: it is told of test calls. When left out, the mode of the request: live, unless `x-svc-mode` says
   * test.
   */
  livemode?: boolean | undefined
} | {
  /**
   * `webhook`: an https endpoint of yours; `vendor_a`: Metronome; `vendor_b`: Orb; `stripe`: meter events
   * of Stripe; `openmeter`: OpenMeter.
   */
  kind: 'openmeter'
  /**
   * Where events are posted to, for `webhook`, and for an `openmeter` of your own: https, port 443 or 8443,
   * on a public host. At most 2000 characters.
   */
  url?: string | undefined
  /**
   * API token of `vendor_a` and `openmeter`. Stored sealed, and sent to its vendor only. 8 to 4096
   * characters.
   */
  apiToken: string
  /** Event type at the vendor, for `vendor_a` and `openmeter`. 1 to 200 characters. */
  eventType: string
  /** Label; the URL of a webhook and the kind of any other when left out. 1 to 128 characters. */
  name?: string | undefined
  /** False: nothing is delivered until it is enabled. `true` when left out. */
  enabled?: boolean | undefined
  /** Events to deliver. `usage.recorded` is the only event. 1 to 16 of them. */
  events?: readonly string[] | undefined
  /**
   * Under which id usage is filed; left out: `external_id` for `stripe`, which knows its own customers
   * only, and `end_user_id` for the others.
   */
  customerId?: 'end_user_id' | 'organization_id' | 'external_id' | undefined
  /**
   * Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage billed
   * on demand; the value of a Stripe meter event is then that amount. `all` when left out.
   */
  amount?: 'all' | 'on_demand' | undefined
  /**
   * False: it is told of test calls. When left out, the mode of the request: live, unless `x-svc-mode` says
   * test.
   */
  livemode?: boolean | undefined
}

/** Of emitters.listen: listen to usage events. */
export interface EmittersListenInput {
  /**
   * Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage billed
   * on demand; the value of a Stripe meter event is then that amount. `all` when left out.
   */
  amount?: 'all' | 'on_demand' | undefined
}

/** Of emitters.show: show an emitter. */
export interface EmittersShowInput {
  /** Id of the emitter, `emt_…`. 1 to 64 characters. */
  id: string
}

/** Of emitters.update: change an emitter. */
export interface EmittersUpdateInput {
  /** Id of the emitter, `emt_…`. 1 to 64 characters. */
  id: string
  /** Whether usage is delivered to it. */
  enabled?: boolean | undefined
  /** Label; the URL of a webhook and the kind of any other when left out. 1 to 128 characters. */
  name?: string | undefined
  /** Events to deliver. `usage.recorded` is the only event. 1 to 16 of them. */
  events?: readonly string[] | undefined
  /**
   * Under which id usage is filed: `end_user_id`: the service’s own id of the person, `eu_…`;
   * `organization_id`: the organization’s, for all usage; `external_id`: your own id of the person. Without
   * a person, or an external id, the organization’s.
   */
  customerId?: 'end_user_id' | 'organization_id' | 'external_id' | undefined
  /**
   * Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage billed
   * on demand; the value of a Stripe meter event is then that amount.
   */
  amount?: 'all' | 'on_demand' | undefined
  /** New API token, of `vendor_a` and `openmeter`; the old one is forgotten. 8 to 4096 characters. */
  apiToken?: string | undefined
  /** New API key, of `vendor_b` and `stripe`; the old one is forgotten. 8 to 4096 characters. */
  apiKey?: string | undefined
  /** Event type, of `vendor_a` and `openmeter`. 1 to 200 characters. */
  eventType?: string | undefined
  /** Event name, of `vendor_b` and `stripe`. 1 to 200 characters. */
  eventName?: string | undefined
}

/** Of emitters.rm: remove an emitter. */
export interface EmittersRmInput {
  /** Id of the emitter, `emt_…`. 1 to 64 characters. */
  id: string
}

/** Of emitters.deliveries: list the last deliveries of an emitter. */
export interface EmittersDeliveriesInput {
  /** Id of the emitter, `emt_…`. 1 to 64 characters. */
  id: string
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the page before. At most 1200 characters. */
  cursor?: string | undefined
  /** Only those that were accepted, or were not. */
  delivered?: boolean | undefined
}

/** What emitters.deliveries answers. */
export interface EmittersDeliveriesOutput {
  data: types.EmitterDelivery[]
  nextCursor: string | null
}

/** Of emitters.delivery: get a delivery. */
export interface EmittersDeliveryInput {
  /** Id of the emitter, `emt_…`. 1 to 64 characters. */
  id: string
  /** ID of the batch, `usgb_…`. 1 to 64 characters. */
  batchId: string
}

/** Of emitters.replay: send recorded usage again. */
export interface EmittersReplayInput {
  /** Id of the emitter, `emt_…`. 1 to 64 characters. */
  id: string
  /** Calls that arrived from then on. ISO 8601. */
  from: string | Date
  /** Calls that arrived before then; not in the future. ISO 8601. */
  to: string | Date
}

/** Of emitters.rotateSecret: rotate a signing secret. */
export interface EmittersRotateSecretInput {
  /** Id of the emitter, `emt_…`. 1 to 64 characters. */
  id: string
  /**
   * Grace period during which both secrets sign, in seconds (max 86,400). 0 replaces the previous secret
   * immediately. From 0 to 86400.
   */
  graceSeconds: number
}

/** Of emitters.test: deliver a sample. */
export interface EmittersTestInput {
  /** Id of the emitter, `emt_…`. 1 to 64 characters. */
  id: string
}

/** Where settled usage is delivered. */
export class Emitters {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List emitters. The application's emitters of the mode, newest first. Secrets are never shown.
   *
   * GET /v1/emitters
   */
  list(input?: EmittersListInput, options?: CallOptions): PageCall<types.Emitter, EmittersListOutput> {
    return this.#sender.page(
      { id: 'emitters.list', method: 'GET', path: '/v1/emitters', query: ['limit', 'cursor'] },
      input,
      options,
    )
  }

  /**
   * Add a usage emitter. Every call of the application and mode that settles from now on is delivered to
   * it, after its money is recorded: an unreachable destination neither delays a call nor changes what it
   * costs. The host of a URL is resolved and checked on every delivery, and not now; emitters.test delivers
   * a sample.
   *
   * POST /v1/emitters
   * @throws ApiError unknown_event
   */
  add(input: EmittersAddInput, options?: CallOptions): Call<types.AddedEmitter> {
    return this.#sender.call(
      { id: 'emitters.add', method: 'POST', path: '/v1/emitters', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Listen to usage events. Server-sent events with the batches that a webhook emitter of this application
   * and mode would receive, signed, so that a client can post them to a receiver on a private network.
   * `tollgate emitters listen --forward-to` does so. The first event, `listening`, has the signing secret,
   * which stays the same. Each event `batch` has a batch of requests that settled within the last second.
   * Nothing is stored or redelivered: requests that settle while no one listens are skipped. A comment is
   * sent every 15 s without a batch. An event `dropped` ends the stream when the client reads too slowly,
   * and `ended` when the credential is no longer valid or the server stops.
   *
   * GET /v1/emitters/listen (an extension)
   * @throws ApiError too_many_readers
   */
  listen(input?: EmittersListenInput, options?: StreamOptions): StreamCall<types.ForwardedBatch> {
    return this.#sender.events(
      { id: 'emitters.listen', method: 'GET', path: '/v1/emitters/listen', query: ['amount'], event: 'batch' },
      input,
      options,
    )
  }

  /**
   * Make a signed sample batch. Returns a batch with one sample of `usage.recorded`, signed with the secret
   * of emitters.listen. Nothing is delivered: the client posts it to a receiver. `tollgate emitters trigger
   * --forward-to` does so. Each request returns new IDs.
   *
   * POST /v1/emitters/sample (an extension)
   */
  sample(input?: Record<string, never>, options?: CallOptions): Call<types.ForwardedBatch> {
    return this.#sender.call(
      { id: 'emitters.sample', method: 'POST', path: '/v1/emitters/sample', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Show an emitter. One emitter, of either mode, and how its deliveries go. Its secret is never shown.
   *
   * GET /v1/emitters/{id}
   * @throws ApiError not_found
   */
  show(input: EmittersShowInput, options?: ConditionalOptions): Call<types.Emitter> {
    return this.#sender.call(
      { id: 'emitters.show', method: 'GET', path: '/v1/emitters/{id}' },
      input,
      options,
    )
  }

  /**
   * Change an emitter. Changes what is named and leaves the rest, from the next batch on. A disabled
   * emitter keeps its configuration and forgets what waits for it; enabled again, it is told of what
   * settles from then on, and emitters.replay sends what it missed. emitters.rotateSecret replaces the
   * signing secret of a webhook. Its URL cannot be changed: add another emitter.
   *
   * PATCH /v1/emitters/{id}
   * @throws ApiError not_found, unknown_event
   */
  update(input: EmittersUpdateInput, options?: ConditionalOptions): Call<types.Emitter> {
    return this.#sender.call(
      { id: 'emitters.update', method: 'PATCH', path: '/v1/emitters/{id}', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Remove an emitter. Stops delivery and forgets the credential, its deliveries and what waits for it, and
   * answers what it was. A batch under way may still arrive. Usage stays recorded.
   *
   * DELETE /v1/emitters/{id}
   * @throws ApiError not_found
   */
  rm(input: EmittersRmInput, options?: ConditionalOptions): Call<types.Emitter> {
    return this.#sender.call(
      { id: 'emitters.rm', method: 'DELETE', path: '/v1/emitters/{id}' },
      input,
      options,
    )
  }

  /**
   * List the last deliveries of an emitter. The last 200 batches, newest first, and what came of each. A
   * batch is in the list within a second after its last attempt. emitters.delivery returns the bodies of a
   * failed one.
   *
   * GET /v1/emitters/{id}/deliveries (an extension)
   * @throws ApiError not_found
   */
  deliveries(input: EmittersDeliveriesInput, options?: CallOptions): PageCall<types.EmitterDelivery, EmittersDeliveriesOutput> {
    return this.#sender.page(
      { id: 'emitters.deliveries', method: 'GET', path: '/v1/emitters/{id}/deliveries', query: ['limit', 'cursor', 'delivered'] },
      input,
      options,
    )
  }

  /**
   * Get a delivery. Returns one of the last 200 deliveries of an emitter. A failed delivery includes the
   * posted body and the response.
   *
   * GET /v1/emitters/{id}/deliveries/{batchId} (an extension)
   * @throws ApiError not_found
   */
  delivery(input: EmittersDeliveryInput, options?: CallOptions): Call<types.EmitterDeliveryDetail> {
    return this.#sender.call(
      { id: 'emitters.delivery', method: 'GET', path: '/v1/emitters/{id}/deliveries/{batchId}' },
      input,
      options,
    )
  }

  /**
   * Send recorded usage again. Sends every settled call of a span of time once more, under the same
   * idempotency keys, beside what settles now; whether it was delivered before does not matter. It goes on
   * after a restart of the server, and stops at the first batch that is not accepted: asking for the same
   * span again goes on there. emitters.show tells how far it is. Disabling the emitter ends it.
   *
   * POST /v1/emitters/{id}/replay (an extension)
   * @throws ApiError not_found, replay_running
   */
  replay(input: EmittersReplayInput, options?: CallOptions): Call<types.Emitter> {
    return this.#sender.call(
      { id: 'emitters.replay', method: 'POST', path: '/v1/emitters/{id}/replay', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Rotate a signing secret. Creates a new signing secret for a webhook, starting with the next batch.
   * Until the grace period ends, every delivery is signed with the new and with the previous secret, and a
   * receiver accepts either signature. The secret is returned once and cannot be retrieved again, so a
   * repeat with the same Idempotency-Key is rejected. Rotating again during a grace period ends it for the
   * oldest secret.
   *
   * POST /v1/emitters/{id}/rotate-secret (an extension)
   * @throws ApiError not_found
   */
  rotateSecret(input: EmittersRotateSecretInput, options?: ConditionalOptions): Call<types.RotatedSecret> {
    return this.#sender.call(
      { id: 'emitters.rotateSecret', method: 'POST', path: '/v1/emitters/{id}/rotate-secret', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Deliver a sample. Delivers one sample of `usage.recorded` with a usage record id of its own, filed
   * under the organization, as every batch is delivered: in up to three attempts of up to 10 s each. A
   * disabled emitter can be tested too. A billing vendor takes the sample for usage of a customer with the
   * organization’s id.
   *
   * POST /v1/emitters/{id}/test
   * @throws ApiError not_found
   */
  test(input: EmittersTestInput, options?: CallOptions): Call<types.EmitterTest> {
    return this.#sender.call(
      { id: 'emitters.test', method: 'POST', path: '/v1/emitters/{id}/test', isKeyed: true },
      input,
      options,
    )
  }
}
