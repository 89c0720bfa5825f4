import { modelFacts, type ProviderKind } from '#domain/accounts/provider-kinds.ts'
import type { TokenDimension } from '#money/price.ts'
import { taskOfModel } from './model-task.ts'

/**
 * Returns the dimensions that an account's price must have to serve a model. A model that writes no text has no output
 * and no cache, so its price needs only input. If such a model reports other tokens anyway, they cost the rate of the
 * input (money/cost.ts).
 * @param model the provider's model ID
 */
export function requiredDimensions(kind: ProviderKind, model: string): readonly TokenDimension[] {
  return taskOfModel(model) === null ? modelFacts(kind, model).reportedDimensions : inputOnly
}

const inputOnly: readonly TokenDimension[] = ['input']
