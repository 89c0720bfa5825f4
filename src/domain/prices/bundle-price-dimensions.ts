import type { TokenDimension } from '#money/price.ts'
import { billsImageTokens, taskOfModel } from './model-task.ts'

/**
 * Returns the dimensions that a bundle's own price must have. It is not a provider's bill, so a dimension without a
 * rate takes the rate of a related dimension. Models that write no text need no rate for output, except for the tokens of images.
 * @param models the provider's model IDs to which the name resolves; empty if they are unknown
 */
export function bundlePriceDimensions(models: readonly string[]): readonly TokenDimension[] {
  const hasNoText = models.length > 0 && models.every((model) => taskOfModel(model) !== null)
  if (!hasNoText) return ['input', 'output']
  return models.some(billsImageTokens) ? ['input', 'imageOutput'] : ['input']
}

/** The targets of a name: the provider's model IDs, and other names. */
export interface NameTargets {
  readonly models: readonly string[]
  readonly names: readonly string[]
}

/**
 * Returns the provider's model IDs to which a model name or a router resolves.
 * @param targetsOf returns null for an unknown name
 */
export function modelsOfName(
  name: string,
  targetsOf: (name: string) => NameTargets | null,
  depth = depthMax,
): readonly string[] {
  const targets = depth === 0 ? null : targetsOf(name)
  if (targets === null) return []
  return [...targets.models, ...targets.names.flatMap((each) => modelsOfName(each, targetsOf, depth - 1))]
}

/** Routers are at most four deep, and the last one has a model name (domain/serving.ts). */
const depthMax = 5
