import { bundlePriceDimensions } from '#domain/prices/price-dimensions-required-in-bundle.ts'
import { missingDimensions, type Price } from '#money/price.ts'
import { refused, type Refused } from '#operations/kernel/returned-error.ts'

/**
 * Rejects a bundle price that lacks a required rate. Null and undefined mean no price.
 * @param models the provider's model IDs to which the priced model name resolves
 */
export function incompletePrice(
  price: Price | null | undefined,
  param: string,
  models: readonly string[],
): Refused<'invalid_request'> | null {
  const missing = price ? missingDimensions(price, bundlePriceDimensions(models)) : []
  if (missing.length === 0) return null
  return refused(
    'invalid_request',
    { reason: `${param} has no rate for ${missing.join(', ')}. Set a free rate to 0 explicitly.` },
    param,
  )
}
