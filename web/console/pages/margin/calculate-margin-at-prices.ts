/** In tenths of a percent. Null outside the range from −100 to 1,000 percent. */
export function tenthsOfText(text: string): bigint | null {
  const match = /^\s*([+-]?)(\d{1,4})(?:[.,](\d))?\s*%?\s*$/.exec(text.replace('\u2212', '-'))
  if (!match) return null
  const [, sign = '', whole = '', tenth = '0'] = match
  const tenths = BigInt(`${sign === '-' ? '-' : ''}${whole}${tenth}`)
  return tenths < -1000n || tenths > 10_000n ? null : tenths
}

/** Rounds up to a whole micro, like the cost of a request. */
export function costAt(costMicros: string | bigint, tenths: bigint): bigint {
  const thousandths = BigInt(costMicros) * (1000n + tenths)
  return thousandths / 1000n + (thousandths % 1000n > 0n ? 1n : 0n)
}

export interface Amounts {
  readonly costMicros: string
  readonly revenueMicros: string
}

export function marginAt(amounts: Amounts, tenths: bigint): bigint {
  return BigInt(amounts.revenueMicros) - costAt(amounts.costMicros, tenths)
}

/** Two decimals, as in the API. Halves are rounded away from zero. Null if the whole is not positive. */
export function percentAt(part: bigint, whole: bigint): string | null {
  if (whole <= 0n) return null
  const isNegative = part < 0n
  const hundredths = ((isNegative ? -part : part) * 20_000n + whole) / (2n * whole)
  return `${isNegative && hundredths > 0n ? '-' : ''}${hundredths / 100n}.${String(hundredths % 100n).padStart(2, '0')}`
}
