import { operationOn } from '#operations/kernel/declare-operation.ts'
import { findIfNamed, ownEndUser, ownOutcome } from '#operations/kernel/find-resources-of-caller.ts'
import { Refused } from '#operations/kernel/returned-error.ts'
import { answerOf, ExternalId, listOf, pageOf, pageQuery } from '#operations/kernel/value-and-page-schemas.ts'
import { RunStatus, RunView, runView } from '#operations/outcomes/shared/outcome-and-run-views.ts'

export default operationOn(ownOutcome, {
  id: 'outcomes.runs',
  method: 'GET',
  path: '/v1/outcomes/{slug}/runs',
  summary: 'List runs of an outcome',
  description: 'Returns the runs of the outcome in the mode of the request, newest first.',
  query: {
    ...pageQuery,
    status: RunStatus.optional().meta({ description: 'Returns only runs with this status.' }),
    endUserId: ExternalId.optional().meta({
      description: 'External ID of an end user. Returns only runs of that end user.',
    }),
  },
  output: listOf(RunView),
  async run(outcome, context, { query }) {
    const { application, mode, store } = context
    const endUser = await findIfNamed(ownEndUser, query.endUserId, context, 'endUserId')
    if (endUser instanceof Refused) return endUser
    const filter = { status: query.status ?? null, endUserId: endUser?.id ?? null }
    const page = store.outcomes.runs(application.id, mode, outcome.slug, filter, pageOf(query))
    return answerOf(page, runView)
  },
})
