/**
 * What a provider account is charged where nobody has set all of its rates. A missing rate costs only the units of its
 * own dimension: every known rate is kept.
 *
 * An assumed rate is the most expensive one that is known for the same thing: of the account's own rates on that side
 * (text, or output), at any size of input, and of what the bundle sells the dimension at. So it is never below what
 * `costOf` would take from the account's own rates, nor below what the end user would be charged.
 */
import { assertMoney } from './amount.ts'
import { dearestOf, rateOf } from './cost.ts'
import {
  allDimensions,
  dearestRates,
  type Dimension,
  dimensionFacts,
  dimensionsOn,
  type Price,
  type TokenDimension,
} from './price.ts'

/** A cost price that is complete, and the dimensions whose rates were assumed, in their one order. */
interface AssumedCost {
  readonly cost: Price
  readonly assumed: readonly Dimension[]
}

/**
 * Fills the missing rates of an account's price.
 * @param own the price of the account; null: it has none, and the sell price stands for all of it
 * @param sell the price at which the bundle sells the name; names input and output
 * @param missing the dimensions that the provider can report and `own` does not name
 */
export function assumeRates(own: Price | null, sell: Price, missing: readonly TokenDimension[]): AssumedCost {
  if (own === null) {
    return { cost: sell, assumed: allDimensions.filter((dimension) => sell[dimension] !== undefined) }
  }
  const ownDearest = dearestRates(own, Infinity)
  const sellDearest = dearestRates(sell, Infinity)
  const cost: { -readonly [field in keyof Price]: Price[field] } = { ...own }
  for (const dimension of missing) {
    assertMoney(own[dimension] === undefined, 'assumeRates: a known rate is kept')
    const sold = rateOf(dimension, sellDearest)
    const kin = dearestOf(dimensionsOn(dimensionFacts[dimension].side), ownDearest)
    cost[dimension] = kin !== undefined && kin > sold ? kin : sold
  }
  return { cost, assumed: allDimensions.filter((dimension) => missing.some((one) => one === dimension)) }
}
