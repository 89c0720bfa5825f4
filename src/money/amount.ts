/** `assertMoney` is the only way in which money code stops when an invariant is broken. */

/**
 * The largest amount accepted as input: one billion dollars, in micros. The limit of a 64-bit integer is far above this
 * amount.
 */
export const microsMax = 1_000_000_000_000_000n
const digitsMax = 16

/**
 * The largest balance of an end user that a credit can create, and the largest sum that one grant can credit: a trillion
 * dollars, in micros. Refunds, and sums of a few balances, then still fit into a 64-bit integer.
 */
export const balanceMax = 1_000n * microsMax

/**
 * Thrown if the ledger no longer adds up or if a caller violates a precondition. Code that catches this error must not
 * write to the store, because a wrong amount is worse than a failed request.
 */
export class MoneyBroken extends Error {
  override readonly name = 'MoneyBroken'
}

/**
 * Throws if the condition is false, in production as well. `claim` describes the expected condition, as a constant
 * string, because this function runs for every request.
 */
export function assertMoney(condition: boolean, claim: string): asserts condition {
  if (!condition) throw new MoneyBroken(claim)
}

/**
 * Parses an amount from its text form: a decimal integer from 0 to microsMax without sign, leading zero or space.
 * Returns null for text in any other form, so that each amount has exactly one text form.
 */
export function parseMicros(text: string): bigint | null {
  if (text.length === 0 || text.length > digitsMax) return null
  if (text.length > 1 && text.startsWith('0')) return null
  for (let at = 0; at < text.length; at += 1) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) return null
  }
  const amount = BigInt(text)
  return amount <= microsMax ? amount : null
}

export function formatMicros(amount: bigint): string {
  return amount.toString()
}

/** Formats an amount for display: 1234567 micros become `1.234567` dollars. */
export function formatDollars(micros: bigint): string {
  const digits = (micros < 0n ? -micros : micros).toString().padStart(7, '0')
  return `${micros < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`
}

/** Returns `dividend / divisor`, rounded up. */
export function ceilDiv(dividend: bigint, divisor: bigint): bigint {
  assertMoney(dividend >= 0n, 'ceilDiv: the dividend is not negative')
  assertMoney(divisor > 0n, 'ceilDiv: the divisor is positive')
  return (dividend + divisor - 1n) / divisor
}

export function maxOf(one: bigint, other: bigint): bigint {
  return one > other ? one : other
}

export function minOf(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}
