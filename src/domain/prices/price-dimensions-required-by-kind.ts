import { kindFacts, modelFacts, type ProviderKind } from '#domain/accounts/provider-kinds.ts'
import { ownSearchesOf } from '#domain/accounts/models-that-search-by-themselves.ts'
import type { DimensionOn, TokenDimension } from '#money/price.ts'
import { familyOfModel } from './task-of-model.ts'

/**
 * Returns the dimensions that an account's price must have to serve a model. A model with a single task has no cache,
 * so its price needs only input and the tokens that its family bills. If such a model nevertheless reports other
 * tokens, they are charged at the rate of the input (money/cost.ts).
 * @param model the provider's model ID
 */
export function requiredDimensions(kind: ProviderKind, model: string): readonly TokenDimension[] {
  const family = familyOfModel(model)
  return family === null ? modelFacts(kind, model).reportedDimensions : ['input', ...family.tokens]
}

/**
 * Returns the uses for which the provider may bill any request to a model. For example, the uses are the searches of a
 * model that searches by itself, the search units of a reranking, images, characters or seconds. The rates for these
 * uses do not follow from any other rate, so they are never assumed.
 */
export function requiredUses(kind: ProviderKind, model: string): readonly DimensionOn<'use'>[] {
  const family = familyOfModel(model)
  if (family?.task === 'rerank' && kindFacts(kind).billsSearchUnits === true) return ['searchUnit']
  if (family !== null && family.use !== null) return [family.use]
  return ownSearchesOf(model) === null ? [] : ['webSearch']
}
