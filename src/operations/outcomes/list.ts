import { operation } from '#operations/operation.ts'
import { answerOf, listOf, pageOf, pageQuery } from '#operations/schemas.ts'
import { OutcomeView, outcomeViews } from './outcome-view.ts'

export default operation({
  id: 'outcomes.list',
  method: 'GET',
  path: '/v1/outcomes',
  scope: 'application',
  summary: 'List outcomes',
  description: "The application's outcomes, newest first, with runs and spend in the mode of the request.",
  input: { query: pageQuery },
  output: listOf(OutcomeView),
  errors: [],
  async run({ query }, context) {
    const { next, rows } = await context.store.outcomes.list(context.application.id, pageOf(query))
    return answerOf({ rows: await outcomeViews(rows, context), next }, (view) => view)
  },
})
