import { counted } from './pluralize.ts'
import type { Check, Finding } from './finding-types.ts'
import {
  type SubstitutedModel,
  substitutedModels,
  substitutionsSearched,
} from '#operations/providers/shared/substituted-models.ts'

export const answeringModels: Check = {
  name: 'answering_models',
  looksAt: `Newest ${substitutionsSearched} charged requests of the last day: whether the provider used the requested model.`,
  run: async (context) => (await substitutedModels(context)).map(findingOf),
}

function findingOf({ account, answeredBy, calls, lastRequestId, model }: SubstitutedModel): Finding {
  const { label } = account
  return {
    code: 'model_substituted',
    severity: 'warning',
    resource: { type: 'provider', id: label },
    message: `In the last day, ${label} answered ${counted(calls, 'request')} for ${model} with ${answeredBy}. The cost was computed at the price of ${model}. The newest request is ${lastRequestId}.`,
    fix: {
      say: `If ${answeredBy} is another name of ${model} at ${label}, check that the price of ${model} is right. Otherwise, remove the fallback or the alias at ${label}, or use ${answeredBy} as the source of the model.`,
      call: null,
    },
  }
}
