import { operation } from '#operations/operation.ts'
import { Refused } from '#operations/refused.ts'
import { OutcomeSlug, OutcomeView, outcomeView, ownOutcome } from './outcome-view.ts'

export default operation({
  id: 'outcomes.show',
  method: 'GET',
  path: '/v1/outcomes/{slug}',
  scope: 'application',
  summary: 'Show an outcome',
  description: 'One outcome, with runs and spend in the mode of the request.',
  input: { path: { slug: OutcomeSlug } },
  output: OutcomeView,
  errors: ['not_found'],
  async run({ path }, context) {
    const outcome = await ownOutcome(path.slug, context)
    return outcome instanceof Refused ? outcome : outcomeView(outcome, context)
  },
})
