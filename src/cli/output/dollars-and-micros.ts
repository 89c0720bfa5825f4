/** Amounts are never converted to floating-point numbers. */
import { dollars, formatMicros } from '#sdk/money.ts'
import { isPerUse } from '#money/price.ts'
import { usageError } from '#cli/terminal-interface.ts'

/** A user can type `$0.25`, or micros as the API accepts them. */
export function microsOf(flag: string, text: string): string {
  const match = /^(-?)\$([\d,_]*)((?:\.\d+)?)$/.exec(text)
  if (match) {
    const [, sign = '', whole = '', decimals = ''] = match
    try {
      return dollars(`${sign}${whole.replaceAll(/[,_]/g, '') || '0'}${decimals}`)
    } catch {
      throw usageError(`${flag} must have at most six decimals, like '$0.25', but is ${text}.`)
    }
  }
  if (/^-?\d+$/.test(text)) return text
  const hint = /^\w*sh\./.test(text) ? ' The shell has replaced $0, so use single quotes.' : ''
  throw usageError(
    `${flag} must be dollars in single quotes, like '$0.25', or micros, like 250000, but is ${text}.${hint}`,
  )
}

export function isMoneyField(path: string): boolean {
  const name = path.split('.').at(-1) ?? ''
  return name.endsWith('Micros') || moneyNames.has(name)
}

const moneyNames: ReadonlySet<string> = new Set([
  'amountUnits',
  'balanceUnits',
  'reservedUnits',
  'balanceAfterUnits',
  'reversedUnits',
])

/** Whether a field is a rate of a price: a field of `price`, `cost` or `sell`, except in a price in credits. */
export function isRateField(path: string): boolean {
  return /(^|\.)(price|cost|sell)\.[a-zA-Z]+$/.test(path)
}

/** Formats a rate in micros per million tokens, or per use: `$0.15/M`. */
export function rateText(path: string, micros: string): string {
  const dimension = path.split('.').at(-1) ?? ''
  return `${moneyText(micros)}${isPerUse(dimension) ? ' each' : '/M'}`
}

/** Formats an amount in dollars with all its digits. Text that is not an integer is returned unchanged. */
export function moneyText(micros: string): string {
  return /^-?\d+$/.test(micros) ? formatMicros(micros) : micros
}
