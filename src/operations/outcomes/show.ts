import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownOutcome } from '#operations/kernel/find-resources-of-caller.ts'
import { OutcomeView, outcomeView } from '#operations/outcomes/shared/outcome-and-run-views.ts'

export default operationOn(ownOutcome, {
  id: 'outcomes.show',
  method: 'GET',
  path: '/v1/outcomes/{slug}',
  summary: 'Show an outcome',
  description: 'Returns an outcome, with its runs and spending in the mode of the request.',
  output: OutcomeView,
  run: outcomeView,
})
