// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { PageCall } from '../page.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions, ConditionalOptions } from '../settings.ts'
import type * as types from './types.ts'

/** Of routers.list: list routers. */
export interface RoutersListInput {
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. Omit for the first page. At most 1200 characters. */
  cursor?: string | undefined
}

/** What routers.list answers. */
export interface RoutersListOutput {
  data: types.Router[]
  nextCursor: string | null
}

/** Of routers.show: show a router. */
export interface RoutersShowInput {
  /** The router's name. `/` may be percent-encoded as `%2F`. 1 to 128 characters. */
  name: string
}

/** Of routers.add: create or update a router. */
export interface RoutersAddInput {
  /**
   * Name of the router, as end users request it. It must not match an existing model name. `/` may be
   * percent-encoded.
   */
  name: string
  /**
   * Policy that orders the targets. `priority`: as listed. `weighted`: at random, by weight. `cheapest`: by
   * expected cost of the request. `fastest`: by time to the first token. `leastBusy`: by requests in
   * flight. `sticky`: the same target for each end user or session. Required on creation. Omit to keep the
   * current value.
   */
  policy?: 'priority' | 'weighted' | 'cheapest' | 'fastest' | 'leastBusy' | 'sticky' | undefined
  /**
   * Scope of `sticky`: requests of one end user, or requests with the same `svc.session`, use the same
   * target. Defaults to `end_user`. Omit to keep the current value; set to null to reset it to the default.
   */
  stickyBy?: 'end_user' | 'session' | null | undefined
  /** Targets of the router. Required on creation. Omit to keep the current value. 1 to 64 of them. */
  targets?: readonly types.RouterTarget[] | undefined
  /**
   * Rules for attempts. Omitted rules get their defaults. Defaults to `{}`. Omit to keep the current value;
   * set to null to reset it to the default.
   */
  attempts?: types.RouterAttemptRules | null | undefined
}

/** Of routers.rm: delete a router. */
export interface RoutersRmInput {
  /** The router's name. `/` may be percent-encoded as `%2F`. 1 to 128 characters. */
  name: string
}

/** Of routers.plan: preview a request's route. */
export type RoutersPlanInput = {
  /** Name of a router or a model. `/` may be percent-encoded. 1 to 128 characters. */
  name: string
} & ({
  /** Wire format of `request`. Defaults to `chat`. */
  wire?: 'chat' | 'messages' | 'generate' | 'responses' | undefined
  /** Request body as a client would send it. Its `model` is ignored. */
  request: Record<string, unknown>
  /** Whether the response is streamed. Defaults to the setting of `request` or of the past request. */
  stream?: boolean | undefined
  /**
   * External ID of the end user, for `sticky` and for the bundle. Defaults to the end user of `requestId`,
   * or else to no end user. 1 to 256 characters.
   */
  endUserId?: string | undefined
  /**
   * Slug of the bundle. Defaults to the bundle of the end user or of `requestId`, or else to the default
   * bundle.
   */
  bundle?: string | undefined
  /** Mode of the key. Defaults to the mode of this request. */
  mode?: 'live' | 'test' | undefined
} | {
  /** Wire format of `request`. Defaults to `chat`. */
  wire?: 'chat' | 'messages' | 'generate' | 'responses' | undefined
  /** Whether the response is streamed. Defaults to the setting of `request` or of the past request. */
  stream?: boolean | undefined
  /**
   * ID of a past request, `req_…`, to use instead of `request`. The plan uses its wire format, size, end
   * user and bundle. Its content is not stored, so fields lost in a conversion are not reported. 1 to 64
   * characters.
   */
  requestId: string
  /**
   * External ID of the end user, for `sticky` and for the bundle. Defaults to the end user of `requestId`,
   * or else to no end user. 1 to 256 characters.
   */
  endUserId?: string | undefined
  /**
   * Slug of the bundle. Defaults to the bundle of the end user or of `requestId`, or else to the default
   * bundle.
   */
  bundle?: string | undefined
  /** Mode of the key. Defaults to the mode of this request. */
  mode?: 'live' | 'test' | undefined
})

/** Model names that route to several targets. */
export class Routers {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List routers. Returns the routers of the application, newest first, with the problem of each target
   * that cannot be used.
   *
   * GET /v1/routers
   */
  list(input?: RoutersListInput, options?: CallOptions): PageCall<types.Router, RoutersListOutput> {
    return this.#sender.page(
      { id: 'routers.list', method: 'GET', path: '/v1/routers', query: ['limit', 'cursor'] },
      input,
      options,
    )
  }

  /**
   * Show a router. Returns a router, with the problem of each target that cannot be used.
   *
   * GET /v1/routers/{name}
   * @throws ApiError not_found
   */
  show(input: RoutersShowInput, options?: ConditionalOptions): Call<types.Router> {
    return this.#sender.call(
      { id: 'routers.show', method: 'GET', path: '/v1/routers/{name}' },
      input,
      options,
    )
  }

  /**
   * Create or update a router. Creates a router, or changes the existing router, starting with the next
   * request. End users request a router by its name, like a model.
   *
   * - A bundle that allows the router does not need to allow its targets.
   * - The price of the requested name applies.
   * - Targets that form a cycle, or a chain of more than four routers, are rejected.
   *
   * PUT /v1/routers/{name}
   * @throws ApiError name_taken, not_found
   */
  add(input: RoutersAddInput, options?: ConditionalOptions): Call<types.Router> {
    return this.#sender.call(
      { id: 'routers.add', method: 'PUT', path: '/v1/routers/{name}', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Delete a router. Deletes the router and its prices in all bundles, and returns the deleted router.
   * Fails with `in_use` while another router routes to it. Past usage under its name remains on record.
   *
   * DELETE /v1/routers/{name}
   * @throws ApiError not_found, in_use
   */
  rm(input: RoutersRmInput, options?: ConditionalOptions): Call<types.Router> {
    return this.#sender.call(
      { id: 'routers.rm', method: 'DELETE', path: '/v1/routers/{name}' },
      input,
      options,
    )
  }

  /**
   * Preview a request's route. Returns the targets that a request for a router or model would try, in
   * order, and why other targets would be skipped. Nothing is sent, held or stored.
   *
   * - The plan uses the routing code for real requests, the current configuration, and the target state of
   * this server process.
   * - With a random policy such as `weighted`, the next request can get another order.
   *
   * POST /v1/routers/{name}/plan (an extension)
   * @throws ApiError not_found, bundle_required
   */
  plan(input: RoutersPlanInput, options?: CallOptions): Call<types.RoutePlan> {
    return this.#sender.call(
      { id: 'routers.plan', method: 'POST', path: '/v1/routers/{name}/plan', body: 'json', isKeyed: true },
      input,
      options,
    )
  }
}
