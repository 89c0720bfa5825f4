/** The limit's measure determines the unit of amounts. */
import { moneyText } from './money-text.ts'
import { countText } from './number-text.ts'

export const measureWords: Readonly<Record<string, string>> = {
  requests: 'Requests',
  tokens: 'Tokens',
  inputTokens: 'Input tokens',
  outputTokens: 'Output tokens',
  micros: 'Spend',
  calls: 'Requests in flight',
}

export const windowWords: Readonly<Record<string, string>> = {
  minute: 'per minute',
  hour: 'per hour',
  '5h': 'within 5 hours',
  day: 'per day',
  week: 'per week',
  month: 'per month',
  total: 'in total',
}

/** Such as `Requests per minute` or `Tokens per day for acme/*`. */
export function limitText({
  measure,
  models,
  window,
}: {
  readonly measure: string
  readonly window?: string
  readonly models?: readonly string[]
}): string {
  const span = window === undefined ? '' : ` ${windowWords[window] ?? `per ${window}`}`
  const scope = models === undefined ? '' : ` for ${models.join(', ')}`
  return `${measureWords[measure] ?? measure}${span}${scope}`
}

export function limitAmountText(measure: string, amount: bigint): string {
  return measure === 'micros' ? moneyText(amount) : countText(amount)
}
