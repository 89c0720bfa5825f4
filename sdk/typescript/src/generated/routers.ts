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
  /** `nextCursor` of the page before. At most 1200 characters. */
  cursor?: string | undefined
}

/** What routers.list answers. */
export interface RoutersListOutput {
  data: types.Router[]
  nextCursor: string | null
}

/** Of routers.show: show a router. */
export interface RoutersShowInput {
  /** The name; `/` may stand as it is or as `%2F`. 1 to 128 characters. */
  name: string
}

/** Of routers.add: build a router. */
export interface RoutersAddInput {
  /**
   * Name of the router, as end users request it. It must not match an existing model name. `/` may be
   * percent-encoded.
   */
  name: string
  /**
   * How targets are put in order. `priority`: as they stand; `weighted`: by chance, by weight; `cheapest`:
   * what this very call is expected to cost; `fastest`: the time to the first token; `leastBusy`: calls in
   * flight; `sticky`: the same person or session stays at one. Required on creation; omit to keep the
   * current value.
   */
  policy?: 'priority' | 'weighted' | 'cheapest' | 'fastest' | 'leastBusy' | 'sticky' | undefined
  /**
   * What `sticky` keeps on one target: the requests of an end user, or requests with the same
   * `svc.session`. Defaults to `end_user`. Omit to keep the current value; set to null to reset it to the
   * default.
   */
  stickyBy?: 'end_user' | 'session' | null | undefined
  /** The ways to answer. Required on creation; omit to keep the current value. 1 to 64 of them. */
  targets?: readonly types.RouterTarget[] | undefined
  /**
   * How targets are tried. Omitted rules get their defaults. Defaults to `{}`. Omit to keep the current
   * value; set to null to reset it to the default.
   */
  attempts?: types.RouterAttemptRules | null | undefined
}

/** Of routers.rm: remove a router. */
export interface RoutersRmInput {
  /** The name; `/` may stand as it is or as `%2F`. 1 to 128 characters. */
  name: string
}

/** Of routers.plan: plan a call without making it. */
export type RoutersPlanInput = {
  /** Name of a router or a model; `/` may stand as it is or as `%2F`. 1 to 128 characters. */
  name: string
} & ({
  /** The wire of `request`; `chat` when left out. */
  wire?: 'chat' | 'messages' | 'generate' | 'responses' | undefined
  /** The body that a client would send; its `model` does not matter. */
  request: Record<string, unknown>
  /** Whether the answer is streamed; left out: what `request` says, or the past call. */
  stream?: boolean | undefined
  /** Who calls, for `sticky` and for the bundle; left out: nobody in particular. 1 to 256 characters. */
  endUserId?: string | undefined
  /** The bundle of the caller; left out: the person's, else the default one. */
  bundle?: string | undefined
  /** Mode of the key; left out: that of this request. */
  mode?: 'live' | 'test' | undefined
} | {
  /** The wire of `request`; `chat` when left out. */
  wire?: 'chat' | 'messages' | 'generate' | 'responses' | undefined
  /** Whether the answer is streamed; left out: what `request` says, or the past call. */
  stream?: boolean | undefined
  /**
   * In place of `request` a past call, `req_…`: its wire, size, person and bundle. What it said is not
   * kept, so what a conversion would lose is not told. 1 to 64 characters.
   */
  requestId: string
  /** Who calls, for `sticky` and for the bundle; left out: nobody in particular. 1 to 256 characters. */
  endUserId?: string | undefined
  /** The bundle of the caller; left out: the person's, else the default one. */
  bundle?: string | undefined
  /** Mode of the key; left out: that of this request. */
  mode?: 'live' | 'test' | undefined
})

/** Names with several ways to answer. */
export class Routers {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List routers. The application's routers, newest first, with what keeps a target from being taken.
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
   * Show a router. One router, with what keeps a target from being taken.
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
   * Build a router. Creates the router, or changes the existing one, starting with the next request. End
   * users request a router by its name, like a model. A bundle that allows the router need not allow its
   * targets, and the price of the requested name applies. Targets that form a cycle, or a chain of more
   * than four routers, are rejected.
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
   * Remove a router. Forgets the router and what bundles charge for its name, and answers what it was.
   * Refused while another router leads to it. What was used under its name stays in usage and on the
   * ledger.
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
   * Plan a call without making it. Who would be asked for a call of the name, a router or a model, in which
   * order and why the others are passed over: decided by what decides calls, on the present configuration
   * and what this server process knows of its targets. Nothing is sent, nothing is held, and nothing of the
   * request is kept. Under a policy of chance the next call may be ordered otherwise.
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
