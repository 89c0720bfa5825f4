/**
 * Completes the price of a provider account if some of its rates are not set. A dimension without a rate gets an
 * assumed rate. An assumed rate is the highest known rate for the same kind of unit.
 *
 * The candidates are the bundle's sell price for the dimension, and the account's rates for input or output in any
 * price tier. An assumed rate is therefore never below the fallback rate of `costOf`, and never below the end user's
 * price.
 */
import { assertMoney } from './amount.ts'
import { highestRateOf, rateOf } from './cost.ts'
import {
  allDimensions,
  highestRates,
  type Dimension,
  dimensionsOn,
  type Price,
  sideOf,
  type TokenDimension,
} from './price.ts'

interface AssumedCost {
  readonly cost: Price
  readonly assumed: readonly Dimension[]
}

/**
 * @param own the account's price; if null, the sell price is used for all dimensions
 * @param sell the bundle's sell price for the alias, which must include rates for input and output
 * @param missing the dimensions that the provider can report and for which `own` has no rate
 */
export function assumeRates(own: Price | null, sell: Price, missing: readonly TokenDimension[]): AssumedCost {
  if (own === null) {
    return { cost: sell, assumed: allDimensions.filter((dimension) => sell[dimension] !== undefined) }
  }
  const ownHighest = highestRates(own, Infinity)
  const sellHighest = highestRates(sell, Infinity)
  const cost: { -readonly [field in keyof Price]: Price[field] } = { ...own }
  for (const dimension of missing) {
    assertMoney(own[dimension] === undefined, 'assumeRates: a known rate is kept')
    const sold = rateOf(dimension, sellHighest)
    const kin = highestRateOf(dimensionsOn(sideOf(dimension)), ownHighest)
    cost[dimension] = kin !== undefined && kin > sold ? kin : sold
  }
  return { cost, assumed: allDimensions.filter((dimension) => missing.some((one) => one === dimension)) }
}
