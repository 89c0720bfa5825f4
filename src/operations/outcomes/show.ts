import { operationOn } from '#operations/kernel/operation.ts'
import { ownOutcome } from '#operations/kernel/owned-resources.ts'
import { OutcomeView, outcomeView } from './outcome-view.ts'

export default operationOn(ownOutcome, {
  id: 'outcomes.show',
  method: 'GET',
  path: '/v1/outcomes/{slug}',
  summary: 'Show an outcome',
  description: 'Returns an outcome, with its runs and spending in the mode of the request.',
  output: OutcomeView,
  run: outcomeView,
})
