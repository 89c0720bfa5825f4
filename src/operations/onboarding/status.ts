import * as z from 'zod'
import { OperationCallView } from '#operations/operation-call.ts'
import { operation } from '#operations/operation.ts'
import type { Context } from '#operations/context.ts'
import { Timestamp } from '#operations/schemas.ts'
import { setUpOf, stepNames, type SetUp } from './steps.ts'

const StepView = z
  .object({
    step: z.enum(stepNames).meta({
      description:
        '`provider_answered`: an account has answered a call, in test mode the simulator; `name_served`: a model name has a price and is served; `bundle_allows`: a bundle allows such a name; `default_bundle`: the application has one for new people; `key_minted`: there is a valid key; `call_settled`: a call has settled.',
    }),
    state: z.enum(['done', 'missing']).meta({ description: 'As the server finds it now.' }),
    sentence: z.string().meta({ description: 'What was found, or what is missing.' }),
    call: OperationCallView.meta({
      description:
        'The operation that does it, with an example; of a step that is done, the one that shows it.',
    }),
  })
  .meta({ id: 'OnboardingStep', description: 'One step of the set-up.' })

export const OnboardingView = z
  .object({
    application: z.string().nullable().meta({
      description: 'Slug of the application that is nearest to its first call; null: there is none.',
    }),
    mode: z.enum(['live', 'test']).meta({ description: 'The mode that was looked at.' }),
    steps: z.array(StepView).meta({ description: 'The six steps, in their order.' }),
    fundedAndTriedAt: Timestamp.nullable().meta({
      description: 'When onboarding.fundAndTry found money and a settled call; null: not yet.',
    }),
    completedAt: Timestamp.nullable().meta({
      description: 'When onboarding.complete found every step done; null: not yet. It stays.',
    }),
  })
  .meta({ id: 'Onboarding', description: 'How far the set-up of the organization is.' })

export default operation({
  id: 'onboarding.status',
  method: 'GET',
  path: '/v1/onboarding',
  scope: 'organization',
  summary: 'Show how far the set-up is',
  description:
    'The six steps to a first settled call in the mode of the request, each as the server finds it now, and the call that does it.',
  output: OnboardingView,
  run: async (_, context) => onboardingView(await setUpOf(context), context),
})

export async function onboardingView(
  { application, steps }: SetUp,
  { mode, organization, store }: Context,
): Promise<z.output<typeof OnboardingView>> {
  return {
    application: application?.slug ?? null,
    mode,
    steps: steps.map(({ call, isDone, sentence, step }) => ({
      step,
      state: isDone ? 'done' : 'missing',
      sentence,
      call: { ...call, body: call.body && { ...call.body } },
    })),
    fundedAndTriedAt: await store.onboarding.finishedAtMs(organization.id, mode, 'fund_and_try'),
    completedAt: await store.onboarding.finishedAtMs(organization.id, mode, 'complete'),
  }
}
