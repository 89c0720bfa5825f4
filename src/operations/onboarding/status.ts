import * as z from 'zod'
import { OperationCallView } from '#operations/kernel/suggested-call.ts'
import { operation } from '#operations/kernel/declare-operation.ts'
import type { Context } from '#operations/kernel/operation-context.ts'
import { Timestamp } from '#operations/kernel/value-and-page-schemas.ts'
import { setUpOf, stepNames, type SetUp } from '#operations/onboarding/shared/setup-steps.ts'

const StepView = z
  .object({
    step: z.enum(stepNames).meta({
      description:
        'The step.\n\n- `provider_answered`: a provider account has responded to a request. In test mode, the simulator responds.\n- `name_served`: a model name has a price and is served.\n- `bundle_allows`: a bundle allows a model name that is served.\n- `default_bundle`: the application has a default bundle for new end users.\n- `key_minted`: a valid key exists.\n- `call_settled`: a request has settled.',
    }),
    state: z
      .enum(['done', 'missing'])
      .meta({ description: 'Current state of the step, checked by this request.' }),
    sentence: z.string().meta({ description: 'Why the step is done or missing, in one sentence.' }),
    call: OperationCallView.meta({
      description:
        'Operation that completes the step, with an example. If the step is done, the operation that shows the result.',
    }),
  })
  .meta({ id: 'OnboardingStep', description: 'A step of the setup.' })

export const OnboardingView = z
  .object({
    application: z.string().nullable().meta({
      description:
        'Slug of the application that has completed the most setup steps. Null if no application exists.',
    }),
    mode: z.enum(['live', 'test']).meta({ description: 'Mode that was checked.' }),
    steps: z.array(StepView).meta({ description: 'The six steps, in order.' }),
    fundedAndTriedAt: Timestamp.nullable().meta({
      description: 'When `onboarding.fundAndTry` first succeeded. Null until then.',
    }),
    completedAt: Timestamp.nullable().meta({
      description:
        'When `onboarding.complete` first succeeded. The time is kept even if a step is undone later. Null until then.',
    }),
  })
  .meta({ id: 'Onboarding', description: 'Setup progress of the organization.' })

export default operation({
  id: 'onboarding.status',
  method: 'GET',
  path: '/v1/onboarding',
  scope: 'organization',
  summary: 'Show the setup progress',
  description:
    'Returns the six setup steps, from a provider account to the first settled gateway request, in the mode of this API request. For each step, the response has the current state and the operation that completes the step.',
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
