import { operation } from '#operations/kernel/declare-operation.ts'
import { answerOf, listOf, pageOf, pageQuery } from '#operations/kernel/value-and-page-schemas.ts'
import { OutcomeView, outcomeViewer } from '#operations/outcomes/shared/outcome-and-run-views.ts'

export default operation({
  id: 'outcomes.list',
  method: 'GET',
  path: '/v1/outcomes',
  scope: 'application',
  summary: 'List outcomes',
  description:
    "Returns the application's outcomes, newest first, with their runs and spending in the mode of the request.",
  query: pageQuery,
  output: listOf(OutcomeView),
  async run({ query }, context) {
    const { application, store } = context
    return answerOf(store.outcomes.list(application.id, pageOf(query)), await outcomeViewer(context))
  },
})
