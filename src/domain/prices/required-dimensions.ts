import { kindFacts, modelFacts, type ProviderKind } from '#domain/accounts/provider-kinds.ts'
import { ownSearchesOf } from '#domain/accounts/searching-models.ts'
import type { DimensionOn, TokenDimension } from '#money/price.ts'
import { billsImageTokens, taskOfModel } from './model-task.ts'

/**
 * Returns the dimensions that an account's price must have to serve a model. A model that writes no text has no output
 * and no cache, so its price needs only a rate for input. If the model is billed by image tokens, the price also needs
 * a rate for them. If such a model reports other tokens anyway, they are charged at the rate of the input
 * (money/cost.ts).
 * @param model the provider's model ID
 */
export function requiredDimensions(kind: ProviderKind, model: string): readonly TokenDimension[] {
  const task = taskOfModel(model)
  if (task === null) return modelFacts(kind, model).reportedDimensions
  return task === 'images' && billsImageTokens(model) ? ofImages : inputOnly
}

const inputOnly: readonly TokenDimension[] = ['input']
const ofImages: readonly TokenDimension[] = ['input', 'imageInput', 'imageOutput']

/**
 * Returns the uses that any request to a model may be billed for: web searches of a model that searches by itself,
 * search units of a rerank request, and images. Their price cannot be derived from another rate, so it is never
 * assumed.
 */
export function requiredUses(kind: ProviderKind, model: string): readonly DimensionOn<'use'>[] {
  const task = taskOfModel(model)
  if (task === 'rerank' && kindFacts(kind).billsSearchUnits === true) return ['searchUnit']
  if (task === 'images' && !billsImageTokens(model)) return ['image']
  return ownSearchesOf(model) === null ? [] : ['webSearch']
}
