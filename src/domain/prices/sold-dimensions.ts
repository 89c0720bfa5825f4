import type { Dimension } from '#money/price.ts'

/**
 * The dimensions that a bundle's own price must name. It is not a provider's bill: a dimension without a rate
 * takes the rate of its kin.
 */
export const soldDimensions: readonly Dimension[] = ['input', 'output']
