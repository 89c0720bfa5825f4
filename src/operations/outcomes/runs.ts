import { operation } from '#operations/operation.ts'
import { Refused } from '#operations/refused.ts'
import { answerOf, ExternalId, listOf, pageOf, pageQuery } from '#operations/schemas.ts'
import { ownEndUser } from '#operations/users/end-user-view.ts'
import { OutcomeSlug, ownOutcome, RunStatus, RunView, runView } from './outcome-view.ts'

export default operation({
  id: 'outcomes.runs',
  method: 'GET',
  path: '/v1/outcomes/{slug}/runs',
  scope: 'application',
  summary: 'List attempts at an outcome',
  description: 'Runs in the mode of the request, newest first.',
  input: {
    path: { slug: OutcomeSlug },
    query: {
      ...pageQuery,
      status: RunStatus.optional().meta({ description: 'Only runs of that status.' }),
      endUserId: ExternalId.optional().meta({ description: 'External id: only runs of that person.' }),
    },
  },
  output: listOf(RunView),
  errors: ['not_found'],
  async run({ path, query }, context) {
    const { application, mode, store } = context
    const outcome = await ownOutcome(path.slug, context)
    if (outcome instanceof Refused) return outcome
    const endUser =
      query.endUserId === undefined ? null : await ownEndUser(query.endUserId, context, 'endUserId')
    if (endUser instanceof Refused) return endUser
    const filter = { status: query.status ?? null, endUserId: endUser?.id ?? null }
    return answerOf(
      await store.outcomes.runs(application.id, mode, outcome.slug, filter, pageOf(query)),
      runView,
    )
  },
})
