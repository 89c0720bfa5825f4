/** The head of the column shows the unit, and decimal points are aligned. */
import type { ReactNode } from 'react'
import { Nothing } from '#web/ui/formatted-values.tsx'
import { microsText, moneyText } from '#web/ui/money-text.ts'

export function decimalsOf(rates: readonly (string | undefined)[]): number {
  return Math.max(2, ...rates.map((rate) => (rate === undefined ? 2 : decimalCount(moneyText(rate)))))
}

export function Rate({
  decimals = 2,
  micros,
  reason,
}: {
  readonly micros: string | undefined
  readonly reason: string
  readonly decimals?: number
}): ReactNode {
  if (micros === undefined) return <Nothing reason={reason} />
  const text = moneyText(micros)
  const missing = decimals - decimalCount(text)
  return (
    <span className="figures whitespace-nowrap" title={microsText(micros)} data-micros={micros}>
      {text}
      {missing > 0 && (
        <span aria-hidden className="invisible select-none">
          {'0'.repeat(missing)}
        </span>
      )}
    </span>
  )
}

function decimalCount(text: string): number {
  return text.length - text.indexOf('.') - 1
}
