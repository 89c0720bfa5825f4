/** The table is the same as for the server's responses. */
import { figures } from '#domain/reports/table-of-request-figures.ts'

type FigureName = keyof typeof figures
export type MoneyName = {
  [name in FigureName]: (typeof figures)[name]['unit'] extends 'micros' ? name : never
}[FigureName]

/** In the order of responses. */
export const moneyNames = Object.entries(figures).flatMap(([name, { unit }]) =>
  unit === 'micros' ? [name as MoneyName] : [],
)

/** Figures for which each page has a fixed place. */
const placed: readonly MoneyName[] = [
  'chargeMicros',
  'billedMicros',
  'costMicros',
  'overHoldMicros',
  'paidPlanMicros',
  'paidGiftMicros',
  'paidWalletMicros',
  'onDemandMicros',
  'overdraftMicros',
]
export const furtherNames = moneyNames.filter((name) => !placed.includes(name))

/** In micros. 0 if the response lacks the figure. */
export function amountIn(of: object, name: MoneyName): string {
  const value = (of as Readonly<Record<string, unknown>>)[figures[name].wire]
  return typeof value === 'string' ? value : '0'
}
