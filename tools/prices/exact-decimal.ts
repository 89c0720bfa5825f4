/**
 * Returns `amount x 10^powerOfTen`, or null if the product is not an integer. Uses the decimal text that JavaScript
 * prints for the amount: 1.005 x 10^6 is 1005000, although a multiplication returns 1004999.9999999999.
 * @param amount a number that is not negative
 */
export function exactly(amount: number, powerOfTen: number): bigint | null {
  const text = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(amount))
  if (text === null) return null
  const [, whole = '', fraction = '', exponent = '0'] = text
  const digits = `${whole}${fraction}`
  const shift = powerOfTen + Number(exponent) - fraction.length
  if (shift >= 0) return BigInt(digits) * 10n ** BigInt(shift)
  const divisor = 10n ** BigInt(-shift)
  return BigInt(digits) % divisor === 0n ? BigInt(digits) / divisor : null
}
