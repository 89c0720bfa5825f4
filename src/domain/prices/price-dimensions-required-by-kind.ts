import { kindFacts, modelFacts, type ProviderKind } from '#domain/accounts/provider-kinds.ts'
import { ownSearchesOf } from '#domain/accounts/models-that-search-by-themselves.ts'
import type { Dimension, DimensionOn, TokenDimension } from '#money/price.ts'
import { familyOfModel } from './task-from-model-name.ts'

/** Returns every rate that an account's price must have to serve a model without a price of the bundle. */
export function requiredRates(kind: ProviderKind, model: string): readonly Dimension[] {
  return [...requiredDimensions(kind, model), ...requiredUses(kind, model)]
}

/**
 * Returns the dimensions that an account's price must have to serve a model. A model with a single task has no cache.
 * Its price needs only rates for input and for the tokens in `TaskFamily.tokens`. If the provider nevertheless reports
 * other tokens, these tokens are charged at the rate of the input (money/cost.ts).
 * @param model the provider's model ID
 */
export function requiredDimensions(kind: ProviderKind, model: string): readonly TokenDimension[] {
  const family = familyOfModel(model)
  return family === null ? modelFacts(kind, model).reportedDimensions : ['input', ...family.tokens]
}

/**
 * Returns the billed units other than tokens that every request to a model may cause. Examples are a model's own
 * searches, the search units of a reranking, images, characters and seconds. The rates for these units do not follow
 * from other rates, so these rates are never assumed.
 */
export function requiredUses(kind: ProviderKind, model: string): readonly DimensionOn<'use'>[] {
  const family = familyOfModel(model)
  if (family?.task === 'rerank' && kindFacts(kind).billsSearchUnits === true) return ['searchUnit']
  if (family !== null && family.use !== null) return [family.use]
  return ownSearchesOf(model) === null ? [] : ['webSearch']
}
