import type { RunStatus } from '#money/decision-types.ts'
import type { Mode } from './application-config.ts'
import type { Page, Rows } from './list-page.ts'

export interface Outcome {
  readonly applicationId: string
  readonly slug: string
  readonly displayName: string
  readonly ceilingMicros: bigint
  readonly createdAtMs: number
  readonly archivedAtMs: number | null
}

export interface OutcomeTotals {
  readonly runs: number
  readonly spentMicros: bigint
}

export interface OutcomeRun {
  readonly endUserId: string
  readonly externalId: string
  readonly runId: string
  readonly status: RunStatus
  readonly spentMicros: bigint
  readonly calls: number
  readonly startedAtMs: number
  readonly lastCallAtMs: number
}

export interface Outcomes {
  put(outcome: Outcome): Promise<void>
  bySlug(applicationId: string, slug: string): Promise<Outcome | null>
  /** Returns the outcomes that are not archived, sorted by slug. */
  serving(applicationId: string): Promise<readonly Outcome[]>
  list(applicationId: string, page: Page): Promise<Rows<Outcome>>
  totals(applicationId: string, mode: Mode): Promise<ReadonlyMap<string, OutcomeTotals>>
  runs(
    applicationId: string,
    mode: Mode,
    slug: string,
    filter: { readonly status: RunStatus | null; readonly endUserId: string | null },
    page: Page,
  ): Promise<Rows<OutcomeRun>>
  /** Returns the runs with this ID, at most one per end user. */
  run(applicationId: string, mode: Mode, slug: string, runId: string): Promise<readonly OutcomeRun[]>
  /**
   * Sets the result of a running run. Any other run keeps its status.
   * @returns the status of the run after the call; null if there is no such run
   */
  finishRun(run: RunKey, result: 'done' | 'failed'): Promise<RunStatus | null>
}

export interface RunKey {
  readonly endUserId: string
  readonly mode: Mode
  /** The slug of the run's outcome. */
  readonly slug: string
  readonly runId: string
}
