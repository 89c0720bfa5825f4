import { kindFacts, modelFacts, type ProviderKind } from '#domain/accounts/provider-kinds.ts'
import { ownSearchesOf } from '#domain/accounts/searching-models.ts'
import type { DimensionOn, TokenDimension } from '#money/price.ts'
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

/**
 * Returns the uses that every request to a model may be billed for: the searches of a model that searches by itself, and
 * the search units of a reranking. No other rate tells their price, so it is never assumed.
 */
export function requiredUses(kind: ProviderKind, model: string): readonly DimensionOn<'use'>[] {
  if (kindFacts(kind).billsSearchUnits === true && taskOfModel(model) === 'rerank') return ['searchUnit']
  return ownSearchesOf(model) === null ? [] : ['webSearch']
}
