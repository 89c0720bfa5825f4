import { sideOf, type TokenDimension } from '#money/price.ts'
import { familyOfModel } from './task-from-model-name.ts'

/**
 * Returns the dimensions that a bundle's own price must have. All other dimensions are optional. A bundle's price need
 * not match a provider's bill. A dimension without a rate is therefore charged at the rate of a related dimension. The
 * price of a model with a single task needs rates only for input and for the kinds of output tokens that the model
 * bills.
 * @param models the provider's model IDs to which the model name resolves; empty if the IDs are unknown
 */
export function bundlePriceDimensions(models: readonly string[]): readonly TokenDimension[] {
  const families = models.map(familyOfModel)
  const outputs = new Set<TokenDimension>()
  for (const family of families) {
    if (family === null) return ['input', 'output']
    for (const dimension of family.tokens) if (sideOf(dimension) === 'output') outputs.add(dimension)
  }
  return families.length === 0 ? ['input', 'output'] : ['input', ...outputs]
}

export interface NameTargets {
  readonly models: readonly string[]
  readonly names: readonly string[]
}

/** @param targetsOf returns the targets of a model name; null if the name is unknown */
export function modelsOfName(
  name: string,
  targetsOf: (name: string) => NameTargets | null,
  depth = depthMax,
): readonly string[] {
  const targets = depth === 0 ? null : targetsOf(name)
  if (targets === null) return []
  return [...targets.models, ...targets.names.flatMap((each) => modelsOfName(each, targetsOf, depth - 1))]
}

/**
 * Routers are nested at most four deep, and the innermost router routes to model names
 * (domain/sources-serving-model-name.ts).
 */
const depthMax = 5
