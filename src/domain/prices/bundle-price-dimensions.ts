import type { Dimension } from '#money/price.ts'

/**
 * The dimensions that a bundle's own price must have. It is not a provider's bill, so a dimension without a rate takes
 * the rate of a related dimension.
 */
export const bundlePriceDimensions: readonly Dimension[] = ['input', 'output']
