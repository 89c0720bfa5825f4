/** SQL over the figures of calls (domain/figures.ts), for both engines. The SQL is built only from that table. */
import { countNames, type FigureName, type Money, moneyNames, type PaidFigures } from '#domain/figures.ts'
import { type Columns, columnName } from './columns.ts'

/** Columns of the money of calls. */
export type MoneyColumns = Columns<Money>

export const moneyColumns: readonly string[] = moneyNames.map(columnName)
export const countColumns: readonly string[] = countNames.map(columnName)
/** In the order of `usage_days`: counts, then money. */
export const figureColumns: readonly string[] = [...countColumns, ...moneyColumns]

/** `cost_micros, billed_micros, ...`, each prefixed with the table. */
export function listed(columns: readonly string[], table = ''): string {
  return columns.map((column) => (table === '' ? column : `${table}.${column}`)).join(', ')
}

/** `sum(cost_micros) AS cost_micros, ...`. Null, in records older than a column, counts as 0. */
export function summed(columns: readonly string[]): string {
  return columns.map((column) => `coalesce(sum(${column}), 0) AS ${column}`).join(', ')
}

/** `calls = usage_days.calls + excluded.calls, ...`, for an existing row. */
export function added(table: string, columns: readonly string[]): string {
  return columns.map((column) => `${column} = ${table}.${column} + excluded.${column}`).join(', ')
}

/** `calls = excluded.calls, ...` */
export function replaced(columns: readonly string[]): string {
  return columns.map((column) => `${column} = excluded.${column}`).join(', ')
}

/** Returns the values of figures in the order of their columns. */
export function valuesOf<Name extends FigureName>(
  names: readonly Name[],
  record: Readonly<Record<Name, number | bigint>>,
): (number | bigint)[] {
  return names.map((name) => record[name])
}

/** Returns the money in a row. */
export function moneyIn(row: Readonly<MoneyColumns>): Money {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each name has its column
  const cells = row as Readonly<Record<string, bigint | null>>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- see above
  return Object.fromEntries(
    moneyNames.map((name, at) => [name, cells[moneyColumns[at] ?? ''] ?? 0n]),
  ) as Money
}

/** Returns the split of one charge. Null if the record is older than the split. */
export function paidIn(row: {
  readonly [column in keyof Columns<PaidFigures>]: bigint | null
}): PaidFigures | null {
  const { on_demand_micros, overdraft_micros, paid_gift_micros, paid_plan_micros, paid_wallet_micros } = row
  if (paid_plan_micros === null) return null
  return {
    paidPlanMicros: paid_plan_micros,
    paidWalletMicros: paid_wallet_micros ?? 0n,
    paidGiftMicros: paid_gift_micros ?? 0n,
    onDemandMicros: on_demand_micros ?? 0n,
    overdraftMicros: overdraft_micros ?? 0n,
  }
}

/** Returns the columns of money for an insert. */
export function columnsOfMoney(money: Readonly<Money>): MoneyColumns {
  const cells = moneyNames.map((name, at) => [moneyColumns[at] ?? '', money[name]])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- each name has its column
  return Object.fromEntries(cells) as MoneyColumns
}
