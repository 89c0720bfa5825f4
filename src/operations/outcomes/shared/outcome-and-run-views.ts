import type { Outcome, OutcomeRun } from '#domain/outcomes-and-runs.ts'
import * as z from 'zod'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { Count, Micros, MicrosSum, Slug, Timestamp } from '#operations/kernel/value-and-page-schemas.ts'

export const OutcomeView = z
  .object({
    slug: Slug.meta({ description: 'Slug of the outcome, sent in requests as `svc.outcome`.' }),
    displayName: z.string().meta({ description: 'Display name of the outcome.' }),
    ceilingMicros: Micros.meta({ description: 'Spend ceiling of one run, in micros.' }),
    runs: Count.meta({ description: 'Number of runs in the mode of the request.' }),
    spentMicros: MicrosSum.meta({
      description: 'Spending of all runs in the mode of the request, in micros.',
    }),
    createdAt: Timestamp.meta({ description: 'When the outcome was created.' }),
    archivedAt: Timestamp.nullable().meta({
      description: 'When the outcome was archived. Null if the outcome is not archived.',
    }),
  })
  .meta({
    id: 'Outcome',
    description: 'A goal that end users reach in runs of several requests, with a spend ceiling per run.',
  })

export const RunStatus = z.enum(['running', 'done', 'capped', 'failed']).meta({
  description:
    'Status of the run. `running`: the run accepts requests. `done` and `failed`: the run has ended. `capped`: the run has reached its ceiling, and accepts requests again if the ceiling is raised.',
})

export const RunView = z
  .object({
    id: z
      .string()
      .meta({ description: 'ID of the run. Requests of the run send this ID as `svc.outcome_id`.' }),
    endUserId: z.string().meta({ description: 'External ID of the end user.' }),
    status: RunStatus,
    spentMicros: MicrosSum.meta({ description: 'Charges for the settled requests of the run, in micros.' }),
    calls: Count.meta({ description: 'Number of requests in the run.' }),
    startedAt: Timestamp.meta({ description: 'Time of the first request in the run.' }),
    lastCallAt: Timestamp.meta({ description: 'Time of the last request in the run.' }),
  })
  .meta({ id: 'OutcomeRun', description: 'A run of an outcome.' })

export async function outcomeViewer({
  application,
  mode,
  store,
}: ApplicationContext): Promise<(outcome: Outcome) => z.output<typeof OutcomeView>> {
  const totals = await store.outcomes.totals(application.id, mode)
  return (outcome) => ({
    slug: outcome.slug,
    displayName: outcome.displayName,
    ceilingMicros: outcome.ceilingMicros,
    runs: totals.get(outcome.slug)?.runs ?? 0,
    spentMicros: totals.get(outcome.slug)?.spentMicros ?? 0n,
    createdAt: outcome.createdAtMs,
    archivedAt: outcome.archivedAtMs,
  })
}

export async function outcomeView(
  outcome: Outcome,
  context: ApplicationContext,
): Promise<z.output<typeof OutcomeView>> {
  return (await outcomeViewer(context))(outcome)
}

export function runView(run: OutcomeRun): z.output<typeof RunView> {
  return {
    id: run.runId,
    endUserId: run.externalId,
    status: run.status,
    spentMicros: run.spentMicros,
    calls: run.calls,
    startedAt: run.startedAtMs,
    lastCallAt: run.lastCallAtMs,
  }
}
