import type { ReactNode } from 'react'
import { moneyText } from '#web/ui/money-text.ts'
import { Money } from '#web/ui/formatted-values.tsx'

/** @param units micros, or millionths of a credit */
export function Amount({
  isSigned = false,
  unit,
  units,
}: {
  readonly units: string
  readonly unit: string
  readonly isSigned?: boolean
}): ReactNode {
  if (unit === 'micros') {
    // Spending is not an error, so only incoming amounts have a color.
    return isSigned && BigInt(units) > 0n ? (
      <Money micros={units} signed aligned />
    ) : (
      <Money micros={units} aligned />
    )
  }
  return (
    <span className="figures whitespace-nowrap" data-micros={units}>
      {moneyText(units, { sign: isSigned }).replace('$', '').replace(/\.00$/, '')} {unit}
    </span>
  )
}
