/** The figures of requests on pages, from the table that the server uses. */
import { figures } from '#domain/reports/table-of-request-figures.ts'

type FigureName = keyof typeof figures
export type MoneyName = {
  [name in FigureName]: (typeof figures)[name]['unit'] extends 'micros' ? name : never
}[FigureName]

/** Every figure in micros, in the order in which responses have them. */
export const moneyNames = Object.entries(figures).flatMap(([name, { unit }]) =>
  unit === 'micros' ? [name as MoneyName] : [],
)

/** Figures with their own place on each page. Every page shows the remaining figures after them. */
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

/** Returns the amount of a figure in a response, in micros. 0 if the response lacks the figure. */
export function amountIn(of: object, name: MoneyName): string {
  const value = (of as Readonly<Record<string, unknown>>)[figures[name].wire]
  return typeof value === 'string' ? value : '0'
}
