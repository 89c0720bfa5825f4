/**
 * `amount x 10^powerOfTen` as a whole number, or null when it is not one. The amount is read from its decimal text, the
 * shortest that JavaScript prints for the number: 1.005 x 10^6 is 1005000 here, and 1004999.9999999999 by
 * multiplication.
 * @param amount from 0 up
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
