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
  /** `nextCursor` of the page before. At most 1200 characters. */
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

/** Of outcomes.add: define an outcome. */
export interface OutcomesAddInput {
  /** What calls name in `svc.outcome`. */
  slug: string
  /** Display name. Required on creation; omit to keep the current value. 1 to 128 characters. */
  displayName?: string | undefined
  /**
   * Spend ceiling of one run, in micros. Required on creation; omit to keep the current value. An integer
   * as a decimal string.
   */
  ceilingMicros?: string | bigint | undefined
}

/** Of outcomes.rm: archive an outcome. */
export interface OutcomesRmInput {
  /** Slug of the outcome. 1 to 64 characters. */
  slug: string
}

/** Of outcomes.runs: list attempts at an outcome. */
export interface OutcomesRunsInput {
  /** Slug of the outcome. 1 to 64 characters. */
  slug: string
  /** Maximum number of rows to return. Defaults to 50. From 1 to 200. */
  limit?: number | undefined
  /** `nextCursor` of the page before. At most 1200 characters. */
  cursor?: string | undefined
  /** Only runs of that status. */
  status?: 'running' | 'done' | 'capped' | 'failed' | undefined
  /** External id: only runs of that person. 1 to 256 characters. */
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
  /** What calls named in `svc.outcome_id`. 1 to 256 characters. */
  id: string
  /** Result of the run. */
  status: 'done' | 'failed'
  /** External id of the person, needed where several have a run of that id. 1 to 256 characters. */
  endUserId?: string | undefined
}

/** Runs of several calls under one spend ceiling. */
export class Outcomes {
  readonly #sender: Sender

  constructor(sender: Sender) {
    this.#sender = sender
  }

  /**
   * List outcomes. The application's outcomes, newest first, with runs and spend in the mode of the
   * request.
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
   * Show an outcome. One outcome, with runs and spend in the mode of the request.
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
   * Define an outcome. Creates the outcome, or changes the existing one. An archived outcome accepts runs
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
   * Archive an outcome. From the next call on it takes no calls; those in flight end and are charged. The
   * outcome and its runs stay listed, and outcomes.add takes it up again. Repeating it changes nothing.
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
   * List attempts at an outcome. Runs in the mode of the request, newest first.
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
   * End a run. Sets the result of a run; further calls in it are refused, those in flight end and are
   * charged. Repeating it changes nothing; a run with another result keeps it.
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
