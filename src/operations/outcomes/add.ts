import * as z from 'zod'
import { operation } from '#operations/operation.ts'
import { Micros, Slug, text } from '#operations/schemas.ts'
import { OutcomeView, outcomeView } from './outcome-view.ts'

export default operation({
  id: 'outcomes.add',
  method: 'PUT',
  path: '/v1/outcomes/{slug}',
  scope: 'application',
  summary: 'Define an outcome',
  description:
    'Makes the outcome or changes its name and ceiling; an archived one takes runs again. A new ceiling holds for runs in progress from their next call on, and a higher one reopens those that had reached the one before.',
  parameters: { slug: Slug.meta({ description: 'What calls name in `svc.outcome`.' }) },
  body: z.strictObject({
    displayName: text(128).meta({ description: 'Name for people.', examples: ['Report written'] }),
    ceilingMicros: Micros.meta({ description: 'Spend ceiling of one run.' }),
  }),
  output: OutcomeView,
  changes: 'application',
  async run({ body, path }, context) {
    const { application, nowMs, store } = context
    const existing = await store.outcomes.bySlug(application.id, path.slug)
    const outcome = {
      applicationId: application.id,
      slug: path.slug,
      displayName: body.displayName,
      ceilingMicros: body.ceilingMicros,
      createdAtMs: existing?.createdAtMs ?? nowMs,
      archivedAtMs: null,
    }
    await store.outcomes.put(outcome)
    return outcomeView(outcome, context)
  },
})
