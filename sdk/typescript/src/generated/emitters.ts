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
  /** `nextCursor` of the previous page. Omit for the first page. At most 1200 characters. */
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
   * Kind of the destination. `webhook`: an https endpoint of the application. `vendor_a`: Metronome.
   * `vendor_b`: Orb. `stripe`: Stripe meter events. `openmeter`: OpenMeter.
   */
  kind: 'webhook'
  /**
   * URL that events are posted to, for `webhook` and for a self-hosted `openmeter`. It must use https, port
   * 443 or 8443, and a public host. At most 2000 characters.
   */
  url: string
  /**
   * Label of the emitter. Defaults to the URL of a webhook, and to the kind of other emitters. 1 to 128
   * characters.
   */
  name?: string | undefined
  /**
   * Whether usage is delivered. If false, nothing is delivered until the emitter is enabled. Defaults to
   * `true`. `true` when left out.
   */
  enabled?: boolean | undefined
  /** Events to deliver. `usage.recorded` is the only event. 1 to 16 of them. */
  events?: readonly string[] | undefined
  /**
   * ID under which usage is filed. Defaults to `external_id` for `stripe`, which knows only its own
   * customers, and to `end_user_id` for other kinds.
   */
  customerId?: 'end_user_id' | 'organization_id' | 'external_id' | undefined
  /**
   * Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage billed
   * on demand. The value of a Stripe meter event is then that amount. `all` when left out.
   */
  amount?: 'all' | 'on_demand' | undefined
  /**
   * Whether the emitter receives live requests. False means test requests. Defaults to the mode of this
   * request.
   */
  livemode?: boolean | undefined
} | {
  /**
   * Kind of the destination. `webhook`: an https endpoint of the application. `vendor_a`: Metronome.
   * `vendor_b`: Orb. `stripe`: Stripe meter events. `openmeter`: OpenMeter.
   */
  kind: 'vendor_a'
  /**
   * API token, for `vendor_a` and `openmeter`. It is stored encrypted and sent only to the vendor. 8 to
   * 4096 characters.
   */
  apiToken: string
  /** Event type at the vendor, for `vendor_a` and `openmeter`. 1 to 200 characters. */
  eventType: string
  /**
   * Label of the emitter. Defaults to the URL of a webhook, and to the kind of other emitters. 1 to 128
   * characters.
   */
  name?: string | undefined
  /**
   * Whether usage is delivered. If false, nothing is delivered until the emitter is enabled. Defaults to
   * `true`. `true` when left out.
   */
  enabled?: boolean | undefined
  /** Events to deliver. `usage.recorded` is the only event. 1 to 16 of them. */
  events?: readonly string[] | undefined
  /**
   * ID under which usage is filed. Defaults to `external_id` for `stripe`, which knows only its own
   * customers, and to `end_user_id` for other kinds.
   */
  customerId?: 'end_user_id' | 'organization_id' | 'external_id' | undefined
  /**
   * Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage billed
   * on demand. The value of a Stripe meter event is then that amount. `all` when left out.
   */
  amount?: 'all' | 'on_demand' | undefined
  /**
   * Whether the emitter receives live requests. False means test requests. Defaults to the mode of this
   * request.
   */
  livemode?: boolean | undefined
} | {
  /**
   * Kind of the destination. `webhook`: an https endpoint of the application. `vendor_a`: Metronome.
   * `vendor_b`: Orb. `stripe`: Stripe meter events. `openmeter`: OpenMeter.
   */
  kind: 'vendor_b'
  /**
   * API key, for `vendor_b` and `stripe`. It is stored encrypted and sent only to the vendor. 8 to 4096
   * characters.
   */
  apiKey: string
  /** Event name at the vendor, for `vendor_b` and `stripe`. 1 to 200 characters. */
  eventName: string
  /**
   * Label of the emitter. Defaults to the URL of a webhook, and to the kind of other emitters. 1 to 128
   * characters.
   */
  name?: string | undefined
  /**
   * Whether usage is delivered. If false, nothing is delivered until the emitter is enabled. Defaults to
   * `true`. `true` when left out.
   */
  enabled?: boolean | undefined
  /** Events to deliver. `usage.recorded` is the only event. 1 to 16 of them. */
  events?: readonly string[] | undefined
  /**
   * ID under which usage is filed. Defaults to `external_id` for `stripe`, which knows only its own
   * customers, and to `end_user_id` for other kinds.
   */
  customerId?: 'end_user_id' | 'organization_id' | 'external_id' | undefined
  /**
   * Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage billed
   * on demand. The value of a Stripe meter event is then that amount. `all` when left out.
   */
  amount?: 'all' | 'on_demand' | undefined
  /**
   * Whether the emitter receives live requests. False means test requests. Defaults to the mode of this
   * request.
   */
  livemode?: boolean | undefined
} | {
  /**
   * Kind of the destination. `webhook`: an https endpoint of the application. `vendor_a`: Metronome.
   * `vendor_b`: Orb. `stripe`: Stripe meter events. `openmeter`: OpenMeter.
   */
  kind: 'stripe'
  /**
   * API key, for `vendor_b` and `stripe`. It is stored encrypted and sent only to the vendor. 8 to 4096
   * characters.
   */
  apiKey: string
  /** Event name at the vendor, for `vendor_b` and `stripe`. 1 to 200 characters. */
  eventName: string
  /**
   * Label of the emitter. Defaults to the URL of a webhook, and to the kind of other emitters. 1 to 128
   * characters.
   */
  name?: string | undefined
  /**
   * Whether usage is delivered. If false, nothing is delivered until the emitter is enabled. Defaults to
   * `true`. `true` when left out.
   */
  enabled?: boolean | undefined
  /** Events to deliver. `usage.recorded` is the only event. 1 to 16 of them. */
  events?: readonly string[] | undefined
  /**
   * ID under which usage is filed. Defaults to `external_id` for `stripe`, which knows only its own
   * customers, and to `end_user_id` for other kinds.
   */
  customerId?: 'end_user_id' | 'organization_id' | 'external_id' | undefined
  /**
   * Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage billed
   * on demand. The value of a Stripe meter event is then that amount. `all` when left out.
   */
  amount?: 'all' | 'on_demand' | undefined
  /**
   * Whether the emitter receives live requests. False means test requests. Defaults to the mode of this
   * request.
   */
  livemode?: boolean | undefined
} | {
  /**
   * Kind of the destination. `webhook`: an https endpoint of the application. `vendor_a`: Metronome.
   * `vendor_b`: Orb. `stripe`: Stripe meter events. `openmeter`: OpenMeter.
   */
  kind: 'openmeter'
  /**
   * URL that events are posted to, for `webhook` and for a self-hosted `openmeter`. It must use https, port
   * 443 or 8443, and a public host. At most 2000 characters.
   */
  url?: string | undefined
  /**
   * API token, for `vendor_a` and `openmeter`. It is stored encrypted and sent only to the vendor. 8 to
   * 4096 characters.
   */
  apiToken: string
  /** Event type at the vendor, for `vendor_a` and `openmeter`. 1 to 200 characters. */
  eventType: string
  /**
   * Label of the emitter. Defaults to the URL of a webhook, and to the kind of other emitters. 1 to 128
   * characters.
   */
  name?: string | undefined
  /**
   * Whether usage is delivered. If false, nothing is delivered until the emitter is enabled. Defaults to
   * `true`. `true` when left out.
   */
  enabled?: boolean | undefined
  /** Events to deliver. `usage.recorded` is the only event. 1 to 16 of them. */
  events?: readonly string[] | undefined
  /**
   * ID under which usage is filed. Defaults to `external_id` for `stripe`, which knows only its own
   * customers, and to `end_user_id` for other kinds.
   */
  customerId?: 'end_user_id' | 'organization_id' | 'external_id' | undefined
  /**
   * Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage billed
   * on demand. The value of a Stripe meter event is then that amount. `all` when left out.
   */
  amount?: 'all' | 'on_demand' | undefined
  /**
   * Whether the emitter receives live requests. False means test requests. Defaults to the mode of this
   * request.
   */
  livemode?: boolean | undefined
}

/** Of emitters.listen: listen to usage events. */
export interface EmittersListenInput {
  /**
   * Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage billed
   * on demand. The value of a Stripe meter event is then that amount. `all` when left out.
   */
  amount?: 'all' | 'on_demand' | undefined
}

/** Of emitters.show: show an emitter. */
export interface EmittersShowInput {
  /** ID of the emitter, `emt_…`. 1 to 64 characters. */
  id: string
}

/** Of emitters.update: change an emitter. */
export interface EmittersUpdateInput {
  /** ID of the emitter, `emt_…`. 1 to 64 characters. */
  id: string
  /** Whether usage is delivered. */
  enabled?: boolean | undefined
  /** Label of the emitter. 1 to 128 characters. */
  name?: string | undefined
  /** Events to deliver. `usage.recorded` is the only event. 1 to 16 of them. */
  events?: readonly string[] | undefined
  /**
   * ID under which usage is filed. Usage without an end user or external ID is filed under the ID of the
   * organization.
   *
   * - `end_user_id`: the ID that Tollgate gave the end user, `eu_…`.
   * - `organization_id`: the ID of the organization, for all usage.
   * - `external_id`: the external ID of the end user.
   */
  customerId?: 'end_user_id' | 'organization_id' | 'external_id' | undefined
  /**
   * Requests that are delivered. `all`: every settled request. `on_demand`: only requests with usage billed
   * on demand. The value of a Stripe meter event is then that amount.
   */
  amount?: 'all' | 'on_demand' | undefined
  /** New API token, for `vendor_a` and `openmeter`. The old token is deleted. 8 to 4096 characters. */
  apiToken?: string | undefined
  /** New API key, for `vendor_b` and `stripe`. The old key is deleted. 8 to 4096 characters. */
  apiKey?: string | undefined
  /** Event type at the vendor, for `vendor_a` and `openmeter`. 1 to 200 characters. */
  eventType?: string | undefined
  /** Event name at the vendor, for `vendor_b` and `stripe`. 1 to 200 characters. */
  eventName?: string | undefined
}

/** Of emitters.rm: delete an emitter. */
export interface EmittersRmInput {
  /** ID of the emitter, `emt_…`. 1 to 64 characters. */
  id: string
}

/** Of emitters.deliveries: list deliveries. */
export interface EmittersDeliveriesInput {
  /** ID of the emitter, `emt_…`. 1 to 64 characters. */
  id: string
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. Omit for the first page. At most 1200 characters. */
  cursor?: string | undefined
  /**
   * Whether to return only accepted batches (`true`) or only batches that were not accepted (`false`). Omit
   * for both.
   */
  delivered?: boolean | undefined
}

/** What emitters.deliveries answers. */
export interface EmittersDeliveriesOutput {
  data: types.EmitterDelivery[]
  nextCursor: string | null
}

/** Of emitters.delivery: show a delivery. */
export interface EmittersDeliveryInput {
  /** ID of the emitter, `emt_…`. 1 to 64 characters. */
  id: string
  /** ID of the batch, `usgb_…`. 1 to 64 characters. */
  batchId: string
}

/** Of emitters.replay: replay recorded usage. */
export interface EmittersReplayInput {
  /** ID of the emitter, `emt_…`. 1 to 64 characters. */
  id: string
  /** Requests that arrived at or after this time are sent. ISO 8601. */
  from: string | Date
  /** Requests that arrived before this time are sent. It must not be in the future. ISO 8601. */
  to: string | Date
}

/** Of emitters.rotateSecret: rotate a signing secret. */
export interface EmittersRotateSecretInput {
  /** ID of the emitter, `emt_…`. 1 to 64 characters. */
  id: string
  /**
   * Grace period during which both secrets sign, in seconds (max 86,400). 0 replaces the previous secret
   * immediately. From 0 to 86400.
   */
  graceSeconds: number
}

/** Of emitters.test: deliver a sample event. */
export interface EmittersTestInput {
  /** ID of the emitter, `emt_…`. 1 to 64 characters. */
  id: string
}

/** Destinations for settled usage. */
export class Emitters {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List emitters. Returns the emitters of the application in the mode of the request, newest first.
   * Secrets are never returned.
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
   * Add a usage emitter. Adds a destination for usage events. Each request of the application and mode that
   * settles from now on is delivered to the destination.
   *
   * - Delivery happens after the money is recorded. An unreachable destination neither delays requests nor
   * changes their cost.
   * - The host of a URL is resolved and checked at each delivery, not by this request. `emitters.test`
   * delivers a sample.
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
   * Listen to usage events. Streams the signed batches that a webhook emitter of this application and mode
   * would receive, as server-sent events. A client can post them to a receiver on a private network.
   * `tollgate emitters listen --forward-to` does so.
   *
   * - `listening` is the first event and has the signing secret, which never changes.
   * - `batch` has the requests that settled within the last second. Batches are not stored or sent again,
   * so requests that settle while no client listens are skipped.
   * - `dropped` ends the stream when the client reads too slowly.
   * - `ended` ends the stream when the credential is no longer valid or the server stops.
   *
   * A comment is sent after every 15 seconds without a batch.
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
   * Create a signed sample batch. Returns a batch with one sample of `usage.recorded`, signed with the
   * secret of `emitters.listen`. The client posts the batch to a receiver, as `tollgate emitters trigger
   * --forward-to` does. Each request returns new IDs.
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
   * Show an emitter. Returns one emitter of either mode, with the state of its deliveries. The secret is
   * never returned.
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
   * Change an emitter. Changes the given fields, starting with the next batch. Omitted fields keep their
   * values.
   *
   * - Disabling an emitter keeps its configuration and discards its waiting events. After it is enabled
   * again, it receives the requests that settle from then on. `emitters.replay` sends the missed ones.
   * - `emitters.rotateSecret` replaces the signing secret of a webhook. The URL cannot be changed. Add
   * another emitter instead.
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
   * Delete an emitter. Deletes the emitter with its credential, its deliveries and its waiting events, and
   * returns the deleted emitter. A batch in transit may still arrive. Usage remains on record.
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
   * List deliveries. Returns the last 200 batches of an emitter with their results, newest first. A batch
   * is listed within one second after its last attempt. `emitters.delivery` returns the bodies of a failed
   * batch.
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
   * Show a delivery. Returns one of the last 200 deliveries of an emitter. A failed delivery includes the
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
   * Replay recorded usage. Sends all settled requests of a time span again, with the same idempotency keys,
   * including those that were delivered before. New usage continues to be delivered meanwhile.
   *
   * - The replay continues after a restart of the server. `emitters.show` returns its progress.
   * - The replay stops at the first batch that is not accepted. Replaying the same span again continues
   * with that batch.
   * - Disabling the emitter ends the replay.
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
   * Rotate a signing secret. Creates a new signing secret for a webhook, starting with the next batch. The
   * secret is returned once and cannot be retrieved again, so a repeat with the same Idempotency-Key is
   * rejected.
   *
   * - Until the grace period ends, every delivery is signed with the new and the previous secret. A
   * receiver can accept either signature.
   * - Rotating again during a grace period ends it for the oldest secret.
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
   * Deliver a sample event. Delivers one sample of `usage.recorded` with a new usage record ID, filed under
   * the organization. It has up to three attempts of up to 10 s each, and works for disabled emitters too.
   * A billing vendor records the sample as usage of a customer with the ID of the organization.
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
