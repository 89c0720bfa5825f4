/** Amounts as people write and read them. No amount is ever a floating-point number. */
import { dollars, formatMicros } from '#sdk/money.ts'
import { usageError } from '#cli/terminal.ts'

/**
 * An amount that a person has typed: `$0.25`, or micros as the API takes them.
 * @param flag named in the fault
 */
export function microsOf(flag: string, text: string): string {
  const match = /^(-?)\$([\d,_]*)((?:\.\d+)?)$/.exec(text)
  if (match) {
    const [, sign = '', whole = '', decimals = ''] = match
    try {
      return dollars(`${sign}${whole.replaceAll(/[,_]/g, '') || '0'}${decimals}`)
    } catch {
      throw usageError(`${flag} is ${text}; dollars have at most six decimals, like '$0.25'.`)
    }
  }
  if (/^-?\d+$/.test(text)) return text
  const hint = /^\w*sh\./.test(text) ? ' The shell has replaced $0: write it in single quotes.' : ''
  throw usageError(
    `${flag} is ${text}; it is dollars in single quotes, like '$0.25', or micros, like 250000.${hint}`,
  )
}

/** Whether a field holds micros, by its name. */
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

/** A rate of a price: what stands in `price`, `cost` or `sell`, and is no price in credits. */
export function isRateField(path: string): boolean {
  return /(^|\.)(price|cost|sell)\.[a-zA-Z]+$/.test(path)
}

/** Micros per million tokens, or per use: `$0.15/M`. */
export function rateText(path: string, micros: string): string {
  const isPerUse = /\.(request|webSearch)$/.test(path)
  return `${moneyText(micros)}${isPerUse ? ' each' : '/M'}`
}

/** Dollars with all their digits; what is no integer stays as it is. */
export function moneyText(micros: string): string {
  return /^-?\d+$/.test(micros) ? formatMicros(micros) : micros
}
