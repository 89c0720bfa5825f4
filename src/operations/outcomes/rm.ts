import { operationOn } from '#operations/kernel/declare-operation.ts'
import { ownOutcome } from '#operations/kernel/find-resources-of-caller.ts'
import { OutcomeView, outcomeView } from '#operations/outcomes/shared/outcome-and-run-views.ts'

export default operationOn(ownOutcome, {
  id: 'outcomes.rm',
  method: 'DELETE',
  path: '/v1/outcomes/{slug}',
  summary: 'Archive an outcome',
  description:
    'Archives the outcome, so that it accepts no new requests. Requests in flight continue and are charged. The outcome and its runs stay in lists, and outcomes.add restores the outcome. Repeating the request changes nothing.',
  output: OutcomeView,
  configures: 'application',
  async run(outcome, context) {
    const archived = { ...outcome, archivedAtMs: outcome.archivedAtMs ?? context.nowMs }
    await context.store.outcomes.put(archived)
    return outcomeView(archived, context)
  },
})
