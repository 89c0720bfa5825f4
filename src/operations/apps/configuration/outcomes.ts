import type { Outcome } from '#domain/outcomes-and-runs.ts'
import * as z from 'zod'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { always, lasting, putBody } from '#operations/kernel/put-fields.ts'
import type { Refused } from '#operations/kernel/returned-error.ts'
import { Micros, Slug, text } from '#operations/kernel/value-and-page-schemas.ts'
import { type ApplyCode, type Part, type Step, stepsOf } from './steps-to-apply-changes.ts'

export const OutcomeItem = z
  .strictObject({
    slug: Slug.meta({ description: 'Slug of the outcome. Requests send this slug as `svc.outcome`.' }),
    displayName: text(128).meta({ description: 'Display name.', examples: ['Report written'] }),
    ceilingMicros: Micros.meta({ description: 'Maximum spend of one run, in micros.' }),
  })
  .meta({ id: 'ConfigurationOutcome', description: 'An outcome that is not archived.' })

export const outcomeItemPut = {
  slug: always(OutcomeItem.shape.slug),
  displayName: lasting(OutcomeItem.shape.displayName),
  ceilingMicros: lasting(OutcomeItem.shape.ceilingMicros),
}

export const WantedOutcome = putBody(outcomeItemPut).meta({
  id: 'WantedOutcome',
  description: 'An outcome to create or change.',
})

type Item = z.output<typeof OutcomeItem>

/** Archived outcomes are not part of the configuration. */
export async function readOutcomes({ application, store }: ApplicationContext): Promise<Item[]> {
  const outcomes = await store.outcomes.serving(application.id)
  return outcomes.map(({ ceilingMicros, displayName, slug }) => ({ slug, displayName, ceilingMicros }))
}

export function outcomeSteps(
  part: Part<Item>,
  { application, nowMs, store }: ApplicationContext,
): Promise<readonly Step[] | Refused<ApplyCode>> {
  const put = async (item: Item, archivedAtMs: number | null): Promise<void> => {
    const existing = await store.outcomes.bySlug(application.id, item.slug)
    const outcome: Outcome = {
      applicationId: application.id,
      ...item,
      createdAtMs: existing?.createdAtMs ?? nowMs,
      archivedAtMs,
    }
    await store.outcomes.put(outcome)
  }
  return stepsOf(
    {
      resource: 'outcome',
      field: 'outcomes',
      schema: OutcomeItem,
      nameOf: ({ slug }) => slug,
      prepare: async (item) => item,
      put: (item) => put(item, null),
      // Archive the outcome instead of deleting it, because recorded runs still refer to it.
      remove: (item) => put(item, nowMs),
    },
    part,
  )
}
