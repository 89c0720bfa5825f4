import { operationOn } from '#operations/operation.ts'
import { ownOutcome } from '#operations/own.ts'
import { OutcomeView, outcomeView } from './outcome-view.ts'

export default operationOn(ownOutcome, {
  id: 'outcomes.rm',
  method: 'DELETE',
  path: '/v1/outcomes/{slug}',
  summary: 'Archive an outcome',
  description:
    'From the next call on it takes no calls; those in flight end and are charged. The outcome and its runs stay listed, and outcomes.add takes it up again. Repeating it changes nothing.',
  output: OutcomeView,
  changes: 'application',
  async run(outcome, context) {
    const archived = { ...outcome, archivedAtMs: outcome.archivedAtMs ?? context.nowMs }
    await context.store.outcomes.put(archived)
    return outcomeView(archived, context)
  },
})
