import * as z from 'zod'
import type { Outcome, OutcomeRun } from '#domain/records.ts'
import type { ApplicationContext } from '#operations/context.ts'
import { Count, Micros, MicrosSum, Slug, Timestamp } from '#operations/schemas.ts'

export const OutcomeView = z
  .object({
    slug: Slug.meta({ description: 'What calls name in `svc.outcome`.' }),
    displayName: z.string().meta({ description: 'Name for people.' }),
    ceilingMicros: Micros.meta({ description: 'Spend ceiling of one run.' }),
    runs: Count.meta({ description: 'Number of runs in the mode of the request.' }),
    spentMicros: MicrosSum.meta({ description: 'Sum of their spending.' }),
    createdAt: Timestamp.meta({ description: 'When it was defined.' }),
    archivedAt: Timestamp.nullable().meta({ description: 'When it was archived; null: not archived.' }),
  })
  .meta({ id: 'Outcome', description: 'A goal with a bounded spend.' })

export const RunStatus = z.enum(['running', 'done', 'capped', 'failed']).meta({
  description:
    '`running`: takes calls; `done`, `failed`: ended; `capped`: reached its ceiling, and takes calls again under a higher one.',
})

export const RunView = z
  .object({
    id: z.string().meta({ description: 'What calls named in `svc.outcome_id`.' }),
    endUserId: z.string().meta({ description: "The customer's own id of the person." }),
    status: RunStatus,
    spentMicros: MicrosSum.meta({ description: 'What its settled calls were charged.' }),
    calls: Count.meta({ description: 'Number of its calls.' }),
    startedAt: Timestamp.meta({ description: 'Time of its first call.' }),
    lastCallAt: Timestamp.meta({ description: 'Time of its last call.' }),
  })
  .meta({ id: 'OutcomeRun', description: 'One attempt at an outcome.' })

/** Reads the totals of the mode once, for any number of outcomes. */
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
