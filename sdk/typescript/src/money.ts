/**
 * Amounts are decimal strings of an integer number of micros, millionths of a dollar. These helpers go between them
 * and dollars without a floating-point number in between, so no amount is ever rounded.
 */

/**
 * Dollars as micros: `dollars('0.25')` is `'250000'`.
 * @param amount dollars with at most six decimals, like `'20'`, `'0.000001'` or `'-1.5'`
 * @throws RangeError when it is no such number
 */
export function dollars(amount: string): string {
  const match = /^(-?)(\d+)(?:\.(\d{1,6}))?$/.exec(amount)
  if (!match)
    throw new RangeError(`${JSON.stringify(amount)} is no amount of dollars with at most six decimals`)
  const [, sign = '', whole = '', decimals = ''] = match
  const micros = BigInt(whole + decimals.padEnd(6, '0'))
  return String(sign ? -micros : micros)
}

/**
 * Micros as dollars, with all digits that are not zero and at least two decimals: `formatMicros('250000')` is
 * `'$0.25'`, `formatMicros('-1')` is `'-$0.000001'`.
 * @throws RangeError when it is no integer
 */
export function formatMicros(micros: string | bigint): string {
  if (typeof micros === 'string' && !/^-?\d+$/.test(micros)) {
    throw new RangeError(`${JSON.stringify(micros)} is no integer number of micros`)
  }
  const amount = BigInt(micros)
  const digits = String(amount < 0n ? -amount : amount).padStart(7, '0')
  const decimals = digits.slice(-6).replace(/0{1,4}$/, '')
  return `${amount < 0n ? '-' : ''}$${digits.slice(0, -6)}.${decimals}`
}
