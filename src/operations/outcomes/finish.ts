import * as z from 'zod'
import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownOutcome } from '#operations/kernel/find-resources-of-caller.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { ExternalId, text } from '#operations/kernel/value-and-page-schemas.ts'
import { RunView, runView } from '#operations/outcomes/shared/outcome-and-run-views.ts'

export default operationOn(ownOutcome, {
  id: 'outcomes.finish',
  method: 'POST',
  path: '/v1/outcomes/{slug}/runs/{id}/finish',
  summary: 'End a run',
  description:
    'Sets the result of a run. New requests in the run are rejected. Requests in flight continue and are charged. Repeating the request changes nothing. A run that already has another result keeps that result.',
  isExtension: true,
  parameters: {
    id: text(256).meta({
      description: 'ID of the run. Requests of the run send this ID as `svc.outcome_id`.',
    }),
  },
  body: z.strictObject({
    status: z.enum(['done', 'failed']).meta({ description: 'Result of the run.' }),
    endUserId: ExternalId.optional().meta({
      description: 'External ID of the end user. Required if several end users have a run with this ID.',
    }),
  }),
  output: RunView,
  errors: ['outcome_finished'],
  async run(outcome, { application, mode, store }, { body, path }) {
    const all = await store.outcomes.run(application.id, mode, outcome.slug, path.id)
    const runs = all.filter(({ externalId }) => body.endUserId === undefined || externalId === body.endUserId)
    const [run] = runs
    if (!run) return refused('not_found', { resource: 'run', id: path.id }, 'id')
    if (runs.length > 1) {
      const reason = `${runs.length} end users have a run with the ID ${path.id}. Set endUserId to select the end user.`
      return refused('invalid_request', { reason }, 'endUserId')
    }
    const { endUserId, runId } = run
    const status = await store.outcomes.finishRun({ endUserId, mode, slug: outcome.slug, runId }, body.status)
    if (status !== body.status) return refused('outcome_finished', { run: path.id }, 'id')
    return runView({ ...run, status })
  },
})
