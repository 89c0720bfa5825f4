import type { Dimension } from '#money/price.ts'

/**
 * What a bundle's own price must name. It is not a provider's bill: what it does not charge apart costs
 * what its kin does.
 */
export const soldDimensions: readonly Dimension[] = ['input', 'output']
