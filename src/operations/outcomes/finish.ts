import * as z from 'zod'
import { operationOn } from '#operations/operation.ts'
import { ownOutcome } from '#operations/own.ts'
import { refused } from '#operations/refused.ts'
import { ExternalId, text } from '#operations/schemas.ts'
import { RunView, runView } from './outcome-view.ts'

export default operationOn(ownOutcome, {
  id: 'outcomes.finish',
  method: 'POST',
  path: '/v1/outcomes/{slug}/runs/{id}/finish',
  summary: 'End a run',
  description:
    'Sets the result of a run; further calls in it are refused, those in flight end and are charged. Repeating it changes nothing; a run with another result keeps it.',
  isExtension: true,
  parameters: { id: text(256).meta({ description: 'What calls named in `svc.outcome_id`.' }) },
  body: z.strictObject({
    status: z.enum(['done', 'failed']).meta({ description: 'Result of the run.' }),
    endUserId: ExternalId.optional().meta({
      description: 'External id of the person, needed where several have a run of that id.',
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
      const reason = `${runs.length} people have a run ${path.id}; name one with endUserId.`
      return refused('invalid_request', { reason }, 'endUserId')
    }
    if (run.status === body.status) return runView(run)
    if (run.status !== 'running') return refused('outcome_finished', { run: path.id }, 'id')
    await store.outcomes.setRunStatus(run.endUserId, mode, outcome.slug, run.runId, body.status)
    return runView({ ...run, status: body.status })
  },
})
