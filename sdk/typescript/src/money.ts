/**
 * Amounts are decimal strings of integer micros, which are millionths of a dollar. The functions here convert between
 * micros and dollars without floating-point numbers, so they never round an amount.
 */

/**
 * Converts dollars to micros: `dollars('0.25')` is `'250000'`.
 * @param amount dollars with at most six decimals, like `'20'`, `'0.000001'` or `'-1.5'`
 * @throws RangeError if the amount is not a number with at most six decimals
 */
export function dollars(amount: string): string {
  const match = /^(-?)(\d+)(?:\.(\d{1,6}))?$/.exec(amount)
  if (!match)
    throw new RangeError(`${JSON.stringify(amount)} is not an amount in dollars with at most six decimals`)
  const [, sign = '', whole = '', decimals = ''] = match
  const micros = BigInt(whole + decimals.padEnd(6, '0'))
  return String(sign ? -micros : micros)
}

/**
 * Formats micros as dollars, with all significant digits and at least two decimals: `formatMicros('250000')` is
 * `'$0.25'`, `formatMicros('-1')` is `'-$0.000001'`.
 * @throws RangeError if `micros` is not an integer
 */
export function formatMicros(micros: string | bigint): string {
  if (typeof micros === 'string' && !/^-?\d+$/.test(micros)) {
    throw new RangeError(`${JSON.stringify(micros)} is not an integer number of micros`)
  }
  const amount = BigInt(micros)
  const digits = String(amount < 0n ? -amount : amount).padStart(7, '0')
  const decimals = digits.slice(-6).replace(/0{1,4}$/, '')
  return `${amount < 0n ? '-' : ''}$${digits.slice(0, -6)}.${decimals}`
}
