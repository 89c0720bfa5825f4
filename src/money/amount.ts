/** Arithmetic on amounts, and the one way in which money code stops: `assertMoney`. */

/** The largest amount taken from outside: a thousand million dollars, far below what 64 bits hold. */
export const microsMax = 1_000_000_000_000_000n
const digitsMax = 16

/**
 * The ledger no longer adds up, or a caller broke a precondition. Code that catches this must not write: a
 * wrong amount that is stored is worse than a call that fails.
 */
export class MoneyBroken extends Error {
  override readonly name = 'MoneyBroken'
}

/**
 * Stays on in production: the conditions are comparisons of values at hand, so they cost nothing that can be
 * measured. `claim` says what should have been true; a constant text on the path of every call.
 */
export function assertMoney(condition: boolean, claim: string): asserts condition {
  if (!condition) throw new MoneyBroken(claim)
}

/**
 * An amount as the wire writes it: a decimal integer from 0 to microsMax without sign, leading zero or space.
 * Anything else is null, so that each amount has one text and none is guessed.
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

/** The wire form of any amount, negative balances included. */
export function formatMicros(amount: bigint): string {
  return amount.toString()
}

/** For people: 1234567 micros are `1.234567` dollars. */
export function formatDollars(micros: bigint): string {
  const digits = (micros < 0n ? -micros : micros).toString().padStart(7, '0')
  return `${micros < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`
}

/** `dividend / divisor` rounded up, for a dividend of at least 0 and a divisor of at least 1. */
export function ceilDiv(dividend: bigint, divisor: bigint): bigint {
  assertMoney(dividend >= 0n, 'ceilDiv: the dividend is not negative')
  assertMoney(divisor > 0n, 'ceilDiv: the divisor is positive')
  return (dividend + divisor - 1n) / divisor
}

export function minOf(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}
