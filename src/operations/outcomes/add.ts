import { operation } from '#operations/kernel/declare-operation.ts'
import { lasting, putBody, putValues } from '#operations/kernel/put-fields.ts'
import { Refused } from '#operations/kernel/returned-error.ts'
import { Micros, Slug, text } from '#operations/kernel/value-and-page-schemas.ts'
import { OutcomeView, outcomeView } from '#operations/outcomes/shared/outcome-and-run-views.ts'

const outcomePut = {
  displayName: lasting(text(128).meta({ description: 'Display name.', examples: ['Report written'] })),
  ceilingMicros: lasting(Micros.meta({ description: 'Spend ceiling of one run, in micros.' })),
}

export default operation({
  id: 'outcomes.add',
  method: 'PUT',
  path: '/v1/outcomes/{slug}',
  scope: 'application',
  summary: 'Create an outcome',
  description:
    'Creates the outcome, or changes the existing one. If the outcome is archived, the request restores the outcome, which then accepts runs again. A new ceiling applies to runs in progress, starting with their next request. A higher ceiling reopens runs that had reached the previous ceiling.',
  parameters: { slug: Slug.meta({ description: 'Slug of the outcome, sent in requests as `svc.outcome`.' }) },
  body: putBody(outcomePut),
  output: OutcomeView,
  configures: 'application',
  async run({ body, path }, context) {
    const { application, nowMs, store } = context
    const existing = await store.outcomes.bySlug(application.id, path.slug)
    const fields = putValues(outcomePut, body, existing)
    if (fields instanceof Refused) return fields
    const outcome = {
      applicationId: application.id,
      slug: path.slug,
      ...fields,
      createdAtMs: existing?.createdAtMs ?? nowMs,
      archivedAtMs: null,
    }
    await store.outcomes.put(outcome)
    return outcomeView(outcome, context)
  },
})
