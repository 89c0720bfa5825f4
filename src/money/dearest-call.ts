/** The most that any call can cost at a price, for the limit that prices are checked against when they are set. */
import { ceilDiv, microsMax } from './amount.ts'
import { rateOf } from './cost.ts'
import { dearestRates, dimensionsOn, type Price } from './price.ts'
import { unitsMax } from './usage.ts'

const perUnit = 1_000_000n
const plainMultiplier = 1000n

/**
 * Returns the cost of a call that uses as much of everything as is believed (`unitsMax`), at the most expensive tier.
 * In micros, or millionths of a credit, rounded up.
 * @param price names input or output
 */
export function dearestCall(price: Price): bigint {
  const rates = dearestRates(price, Infinity)
  const units = BigInt(unitsMax)
  let sum = (rates.request ?? 0n) * perUnit + units * (rates.webSearch ?? 0n) * perUnit
  for (const dimension of dimensionsOn('text', 'media')) sum += units * rateOf(dimension, rates)
  // The kinds of output are parts of one count.
  let output = 0n
  for (const dimension of dimensionsOn('output')) {
    const rate = rateOf(dimension, rates)
    if (rate > output) output = rate
  }
  let multiplier = plainMultiplier
  for (const one of Object.values(price.serviceTiers ?? {})) if (one > multiplier) multiplier = one
  return ceilDiv((sum + units * output) * multiplier, perUnit * plainMultiplier)
}

/** Whether every call at this price costs an amount that the API can carry. */
export function isWithinLimit(price: Price): boolean {
  return dearestCall(price) <= microsMax
}
