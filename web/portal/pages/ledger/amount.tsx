import type { ReactNode } from 'react'
import { moneyText } from '#web/ui/money-text.ts'
import { Money } from '#web/ui/values.tsx'

/** Micros as money, or millionths of a credit as credits. */
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
    // What is spent is no fault: only what comes in has a colour.
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
