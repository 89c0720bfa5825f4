import { operation } from '#operations/kernel/declare-operation.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { OnboardingView, onboardingView } from './status.ts'
import { missingOf, nextOf, setUpOf } from '#operations/onboarding/shared/setup-steps.ts'

export default operation({
  id: 'onboarding.complete',
  method: 'POST',
  path: '/v1/onboarding/complete',
  scope: 'organization',
  summary: 'Complete the setup',
  description:
    'Marks the setup as complete in the mode of the request. Fails if a setup step is missing. The error names the missing step. The time of the first success is kept. Repeating the request changes nothing, even if a step was undone in the meantime.',
  output: OnboardingView,
  errors: ['onboarding_incomplete'],
  async run(_, context) {
    const { mode, nowMs, organization, store } = context
    const setUp = await setUpOf(context)
    const isRecorded = (await store.onboarding.finishedAtMs(organization.id, mode, 'complete')) !== null
    const [next, ...others] = missingOf(setUp)
    if (next && !isRecorded) {
      const missing = [next, ...others].map(({ step }) => step).join(', ')
      return refused('onboarding_incomplete', { missing, next: nextOf(next) })
    }
    await store.onboarding.finish(organization.id, mode, 'complete', nowMs)
    return onboardingView(setUp, context)
  },
})
