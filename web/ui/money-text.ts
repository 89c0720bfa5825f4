/** Amounts are micros in decimal strings, never floating-point numbers. */
import { formatMicros } from '#sdk/money.ts'

/** All significant digits, at least two decimals: `$1,234.50`. `sign` adds `+` to positive amounts. */
export function moneyText(
  micros: string | bigint,
  { sign = false }: { readonly sign?: boolean } = {},
): string {
  const [whole = '', decimals = ''] = formatMicros(micros).split('.')
  const grouped = whole.replaceAll(/\B(?=(?:\d{3})+$)/g, ',').replace('-', '\u2212')
  return `${sign && BigInt(micros) > 0n ? '+' : ''}${grouped}.${decimals}`
}

/** The integer that the API uses: `1 234 500 micros`. */
export function microsText(micros: string | bigint): string {
  const amount = BigInt(micros)
  const digits = String(amount < 0n ? -amount : amount).replaceAll(/\B(?=(?:\d{3})+$)/g, '\u2009')
  return `${amount < 0n ? '\u2212' : ''}${digits} micro${amount === 1n ? '' : 's'}`
}

/**
 * Accepts `20`, `$20.5` and `1,000`.
 * @returns null if the text is not a dollar amount with at most six decimals
 */
export function microsOfText(text: string): string | null {
  const match = /^\s*([-\u2212]?)\s*\$?\s*(\d{1,3}(?:,\d{3})+|\d+)?(?:\.(\d{0,6}))?\s*$/.exec(text)
  if (!match) return null
  const [, sign = '', whole, decimals] = match
  if (whole === undefined && !decimals) return null
  const micros = BigInt(`${(whole ?? '0').replaceAll(',', '')}${(decimals ?? '').padEnd(6, '0')}`)
  return String(sign === '' ? micros : -micros)
}

export function typedDollars(micros: string | bigint): string {
  return formatMicros(micros).replace('$', '').replace(/\.00$/, '')
}
