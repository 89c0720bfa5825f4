import { balanceMax, formatMicros, maxOf } from '#money/amount.ts'
import { refused, type Refused } from './returned-error.ts'

export function balanceTooLarge(
  externalId: string,
  balanceMicros: bigint,
  param: string,
): Refused<'balance_too_large'> {
  const most = formatMicros(maxOf(balanceMax - balanceMicros, 0n))
  const balance = formatMicros(balanceMicros)
  return refused('balance_too_large', { id: externalId, balance, most, max: formatMicros(balanceMax) }, param)
}
