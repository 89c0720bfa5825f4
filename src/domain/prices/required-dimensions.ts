import { modelFacts, type ProviderKind } from '#domain/accounts/provider-kinds.ts'
import type { TokenDimension } from '#money/price.ts'

/**
 * Returns the dimensions that an account's price must have to serve a model. An embedding model has no output and no
 * cache, so its price needs only input. If such a model reports other tokens anyway, they cost the rate of the input
 * (money/cost.ts).
 * @param model the provider's model ID
 */
export function requiredDimensions(kind: ProviderKind, model: string): readonly TokenDimension[] {
  return isEmbeddingModel(model) ? inputOnly : modelFacts(kind, model).reportedDimensions
}

/** Whether the ID names an embedding model: the word itself, or a family that has only embedding models. */
export function isEmbeddingModel(model: string): boolean {
  return embeds.test(model)
}

const embeds = /embed|(?:^|\/)(?:bge|e5|gte|voyage)-/i
const inputOnly: readonly TokenDimension[] = ['input']
