import { formatMicros } from '#sdk/money.ts'
import { moneyText } from '#web/ui/money-text.ts'

/** Amounts in credits are given in millionths. */
export function unitsText(
  units: string | bigint,
  unit: string,
  { currency = 'credits', sign = false }: { readonly currency?: string; readonly sign?: boolean } = {},
): string {
  if (unit === 'micros') return moneyText(units, { sign })
  const [whole = '', decimals = ''] = formatMicros(units).replace('$', '').split('.')
  const digits = decimals.replace(/0+$/, '')
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',').replace('-', '\u2212')
  const plus = sign && BigInt(units) > 0n ? '+' : ''
  return `${plus}${grouped}${digits === '' ? '' : `.${digits}`} ${currency}`
}

const periods: Readonly<Record<string, string>> = {
  day: 'per day',
  week: 'per week',
  month: 'per month',
  total: 'in total',
}

export function periodWords(period: string): string {
  return periods[period] ?? `per ${period}`
}
