import type { ReactNode } from 'react'
import { classNames } from '#web/ui/class-names.ts'
import { moneyText } from '#web/ui/money-text.ts'
import { Money } from '#web/ui/formatted-values.tsx'

/** A long number must fit on a phone of 320 pixels. */
export function BigMoney({
  isLargest = false,
  micros,
}: {
  readonly micros: string | bigint
  readonly isLargest?: boolean
}): ReactNode {
  const { length } = moneyText(micros)
  const size = length > 16 ? 'text-20' : length > 11 || !isLargest ? 'text-28' : 'text-40'
  return <Money micros={micros} className={classNames('font-semibold tracking-tight', size)} />
}
