import { operation } from '#operations/kernel/declare-operation.ts'
import { refused } from '#operations/kernel/returned-error.ts'
import { OnboardingView, onboardingView } from './status.ts'
import { nextOf, setUpOf } from '#operations/onboarding/shared/setup-steps.ts'

const unfunded = {
  step: 'funded' as const,
  sentence: 'No end user has received credit yet.',
  call: { operation: 'grants.issue', method: 'POST' as const, path: '/v1/grants', body: null },
}

export default operation({
  id: 'onboarding.fundAndTry',
  method: 'POST',
  path: '/v1/onboarding/fund-and-try',
  scope: 'organization',
  summary: 'Confirm that an end user has credit and a settled request',
  description:
    'Records that an end user has received credit (a grant or plan pool) and that a request has settled, in the mode of the request. Fails if one of these events has not happened. The time of the first success is kept. Repeating the request changes nothing.',
  output: OnboardingView,
  errors: ['onboarding_incomplete'],
  async run(_, context) {
    const { mode, nowMs, organization, store } = context
    const setUp = await setUpOf(context)
    const { application, steps } = setUp
    const isRecorded = (await store.onboarding.finishedAtMs(organization.id, mode, 'fund_and_try')) !== null
    const isFunded = application !== null && (await store.diagnosis.isFunded(application.id, mode))
    const untried = steps.filter(({ isDone, step }) => step === 'call_settled' && !isDone)
    const [next, ...others] = isFunded ? untried : [unfunded, ...untried]
    if (next && !isRecorded) {
      const missing = [next, ...others].map(({ step }) => step).join(', ')
      return refused('onboarding_incomplete', { missing, next: nextOf(next) })
    }
    await store.onboarding.finish(organization.id, mode, 'fund_and_try', nowMs)
    return onboardingView(setUp, context)
  },
})
