import { microsMax } from '#money/amount.ts'
import { mostExpensiveCall, isWithinLimit } from '#money/maximum-cost-at-price.ts'
import type { Price } from '#money/price.ts'
import { refused, type Refused } from './returned-error.ts'

/**
 * Rejects a price at which one request could cost more than the API's largest amount. Such a price must be a typing
 * error, and a single request would distort every later report. Null and undefined mean no price.
 */
export function excessivePrice(
  price: Price | null | undefined,
  param: string,
): Refused<'invalid_request'> | null {
  if (!price || isWithinLimit(price)) return null
  return refused(
    'invalid_request',
    {
      reason: `With this ${param}, a single request could cost ${mostExpensiveCall(price)} micros, more than the maximum of ${microsMax}. Rates are in micros per million tokens, or per use.`,
    },
    param,
  )
}
