/**
 * Halves are rounded away from zero.
 * @param whole must not be negative
 */
export function percentOf(part: bigint, whole: bigint): string | null {
  if (whole === 0n) return null
  const isNegative = part < 0n
  const hundredths = ((isNegative ? -part : part) * 20_000n + whole) / (2n * whole)
  const digits = hundredths.toString().padStart(3, '0')
  const sign = isNegative && hundredths > 0n ? '-' : ''
  return `${sign}${digits.slice(0, -2)}.${digits.slice(-2)}`
}
