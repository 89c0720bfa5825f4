// Made by tools/generate/typescript from the table of operations: `npm run generate` writes it anew.

import type { Call } from '../call.ts'
import type { PageCall } from '../page.ts'
import type { Sender } from '../sender.ts'
import type { CallOptions } from '../settings.ts'
import type * as types from './types.ts'

/** Of outcomes.list: list outcomes. */
export interface OutcomesListInput {
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. Omit for the first page. At most 1200 characters. */
  cursor?: string | undefined
}

/** What outcomes.list answers. */
export interface OutcomesListOutput {
  data: types.Outcome[]
  nextCursor: string | null
}

/** Of outcomes.show: show an outcome. */
export interface OutcomesShowInput {
  /** Slug of the outcome. 1 to 64 characters. */
  slug: string
}

/** Of outcomes.add: create an outcome. */
export interface OutcomesAddInput {
  /** Slug of the outcome, sent in requests as `svc.outcome`. */
  slug: string
  /** Display name. Required on creation. Omit to keep the current value. 1 to 128 characters. */
  displayName?: string | undefined
  /**
   * Spend ceiling of one run, in micros. Required on creation. Omit to keep the current value. An integer
   * as a decimal string.
   */
  ceilingMicros?: string | bigint | undefined
}

/** Of outcomes.rm: archive an outcome. */
export interface OutcomesRmInput {
  /** Slug of the outcome. 1 to 64 characters. */
  slug: string
}

/** Of outcomes.runs: list runs of an outcome. */
export interface OutcomesRunsInput {
  /** Slug of the outcome. 1 to 64 characters. */
  slug: string
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the previous page. Omit for the first page. At most 1200 characters. */
  cursor?: string | undefined
  /** Returns only runs with this status. */
  status?: 'running' | 'done' | 'capped' | 'failed' | undefined
  /** External ID of an end user. Returns only runs of that end user. 1 to 256 characters. */
  endUserId?: string | undefined
}

/** What outcomes.runs answers. */
export interface OutcomesRunsOutput {
  data: types.OutcomeRun[]
  nextCursor: string | null
}

/** Of outcomes.finish: end a run. */
export interface OutcomesFinishInput {
  /** Slug of the outcome. 1 to 64 characters. */
  slug: string
  /** ID of the run, sent in requests as `svc.outcome_id`. 1 to 256 characters. */
  id: string
  /** Result of the run. */
  status: 'done' | 'failed'
  /**
   * External ID of the end user. Required if several end users have a run with this ID. 1 to 256
   * characters.
   */
  endUserId?: string | undefined
}

/** Runs of several requests under one spend ceiling. */
export class Outcomes {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List outcomes. Returns the application's outcomes, newest first, with their runs and spending in the
   * mode of the request.
   *
   * GET /v1/outcomes
   */
  list(input?: OutcomesListInput, options?: CallOptions): PageCall<types.Outcome, OutcomesListOutput> {
    return this.#sender.page(
      { id: 'outcomes.list', method: 'GET', path: '/v1/outcomes', query: ['limit', 'cursor'] },
      input,
      options,
    )
  }

  /**
   * Show an outcome. Returns an outcome, with its runs and spending in the mode of the request.
   *
   * GET /v1/outcomes/{slug}
   * @throws ApiError not_found
   */
  show(input: OutcomesShowInput, options?: CallOptions): Call<types.Outcome> {
    return this.#sender.call(
      { id: 'outcomes.show', method: 'GET', path: '/v1/outcomes/{slug}' },
      input,
      options,
    )
  }

  /**
   * Create an outcome. Creates the outcome, or changes the existing one. An archived outcome accepts runs
   * again. A new ceiling applies to runs in progress starting with their next request, and a higher ceiling
   * reopens runs that had reached the previous one.
   *
   * PUT /v1/outcomes/{slug}
   */
  add(input: OutcomesAddInput, options?: CallOptions): Call<types.Outcome> {
    return this.#sender.call(
      { id: 'outcomes.add', method: 'PUT', path: '/v1/outcomes/{slug}', body: 'json', isKeyed: true },
      input,
      options,
    )
  }

  /**
   * Archive an outcome. Archives the outcome, so that it accepts no new requests. Requests in flight
   * continue and are charged. The outcome and its runs stay in lists, and outcomes.add restores the
   * outcome. Repeating the request changes nothing.
   *
   * DELETE /v1/outcomes/{slug}
   * @throws ApiError not_found
   */
  rm(input: OutcomesRmInput, options?: CallOptions): Call<types.Outcome> {
    return this.#sender.call(
      { id: 'outcomes.rm', method: 'DELETE', path: '/v1/outcomes/{slug}' },
      input,
      options,
    )
  }

  /**
   * List runs of an outcome. Returns the runs of the outcome in the mode of the request, newest first.
   *
   * GET /v1/outcomes/{slug}/runs
   * @throws ApiError not_found
   */
  runs(input: OutcomesRunsInput, options?: CallOptions): PageCall<types.OutcomeRun, OutcomesRunsOutput> {
    return this.#sender.page(
      { id: 'outcomes.runs', method: 'GET', path: '/v1/outcomes/{slug}/runs', query: ['limit', 'cursor', 'status', 'endUserId'] },
      input,
      options,
    )
  }

  /**
   * End a run. Sets the result of a run. New requests in the run are rejected. Requests in flight continue
   * and are charged. Repeating the request changes nothing. A run that already has another result keeps it.
   *
   * POST /v1/outcomes/{slug}/runs/{id}/finish (an extension)
   * @throws ApiError not_found, outcome_finished
   */
  finish(input: OutcomesFinishInput, options?: CallOptions): Call<types.OutcomeRun> {
    return this.#sender.call(
      { id: 'outcomes.finish', method: 'POST', path: '/v1/outcomes/{slug}/runs/{id}/finish', body: 'json', isKeyed: true },
      input,
      options,
    )
  }
}
