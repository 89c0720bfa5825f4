/** A price is rejected when it is set if its most expensive request costs more than the API can represent. */
import { ceilDiv, microsMax } from './amount.ts'
import { multiplierOf, rateOf, scaleOf } from './cost.ts'
import { countedUses, highestRates, dimensionsOn, type Price } from './price.ts'
import { unitsMax } from './usage-counts.ts'

const perUnit = 1_000_000n
const plainMultiplier = 1000n

/**
 * Returns the cost of a request that uses the largest plausible count (`unitsMax`) of every dimension, at the most
 * expensive tier. The result is in micros, or millionths of a credit, rounded up.
 * @param price must include a rate for input or output
 */
export function mostExpensiveCall(price: Price): bigint {
  const rates = highestRates(price, Infinity)
  const units = BigInt(unitsMax)
  let multiplier = plainMultiplier
  for (const one of Object.values(price.serviceTiers ?? {})) if (one > multiplier) multiplier = one
  let uses = 0n
  for (const { dimension } of countedUses)
    uses += units * (rates[dimension] ?? 0n) * scaleOf(dimension) * multiplierOf(dimension, multiplier)
  let sum = (rates.request ?? 0n) * perUnit
  for (const dimension of dimensionsOn('text', 'media')) sum += units * rateOf(dimension, rates)
  // All output dimensions are parts of one total, so only the most expensive rate matters.
  let output = 0n
  for (const dimension of dimensionsOn('output')) {
    const rate = rateOf(dimension, rates)
    if (rate > output) output = rate
  }
  return ceilDiv((sum + units * output) * multiplier + uses, perUnit * plainMultiplier)
}

export function isWithinLimit(price: Price): boolean {
  return mostExpensiveCall(price) <= microsMax
}
