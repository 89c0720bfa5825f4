/**
 * SQL for the amounts and counts of calls, for both engines, from the table of figures
 * (domain/reports/table-of-request-figures.ts).
 */
import {
  correctedNames,
  countNames,
  type Figures,
  type Money,
  moneyNames,
  type PaidFigures,
  paidNames,
  type RecordName,
  recordNames,
  usageNames,
  zeroOf,
} from '#domain/sums-of-request-figures.ts'
import { type FailureClass, failureClasses } from '#domain/health/class-of-failure.ts'
import { type Columns, columnName } from './convert-records-and-rows.ts'

export const failedColumns = failureClasses.map((name) => `failed_${name}` as const)
export type FailedColumns = Record<(typeof failedColumns)[number], number>

// oxlint-disable typescript/no-unsafe-type-assertion -- one column for each class
export function failedIn(row: Readonly<FailedColumns>): Record<FailureClass, number> {
  return Object.fromEntries(failureClasses.map((name) => [name, row[`failed_${name}`]])) as Record<
    FailureClass,
    number
  >
}

export function columnsOfFailed(failed: Readonly<Record<FailureClass, number>>): FailedColumns {
  return Object.fromEntries(failureClasses.map((name) => [`failed_${name}`, failed[name]])) as FailedColumns
}
// oxlint-enable typescript/no-unsafe-type-assertion

export type MoneyColumns = Columns<Money>

export const moneyColumns: readonly string[] = moneyNames.map(columnName)
const countColumns: readonly string[] = countNames.map(columnName)
export const recordColumns: readonly string[] = recordNames.map(columnName)
export const usageColumns: readonly string[] = usageNames.map(columnName)
export const correctedColumns: readonly string[] = correctedNames.map(columnName)
/** In the order of `usage_days`: counts, then money. */
export const figureColumns: readonly string[] = [...countColumns, ...moneyColumns]

/** For example `cost_micros, billed_micros, ...`, each with the name of the table if one is given. */
export function listed(columns: readonly string[], table = ''): string {
  return columns.map((column) => (table === '' ? column : `${table}.${column}`)).join(', ')
}

/** Null counts as 0, because records older than a column have null there. */
export function summed(columns: readonly string[]): string {
  return columns.map((column) => `coalesce(sum(${column}), 0) AS ${column}`).join(', ')
}

/** For example `calls = usage_days.calls + excluded.calls, ...`, for the ON CONFLICT clause of an insert. */
export function added(table: string, columns: readonly string[]): string {
  return columns.map((column) => `${column} = ${table}.${column} + excluded.${column}`).join(', ')
}

/** For example `calls = excluded.calls, ...`, for the ON CONFLICT clause of an insert. */
export function replaced(columns: readonly string[]): string {
  return columns.map((column) => `${column} = excluded.${column}`).join(', ')
}

/** Null counts as 0, because records older than a column have null there. */
export function figuresIn<Name extends RecordName>(names: readonly Name[]): (row: object) => Figures<Name> {
  const zero = names.map((name) => [name, columnName(name), zeroOf([name])[name]] as const)
  return (row) => {
    // oxlint-disable typescript/no-unsafe-type-assertion -- each name has its column
    const cells = row as Readonly<Record<string, number | bigint | null>>
    const figures: Record<string, number | bigint> = {}
    for (const [name, column, none] of zero) figures[name] = cells[column] ?? none
    return figures as Figures<Name>
    // oxlint-enable typescript/no-unsafe-type-assertion
  }
}

export const moneyIn: (row: Readonly<MoneyColumns>) => Money = figuresIn(moneyNames)

const paidOf = figuresIn(paidNames)

/** Null if the record was written before charges were split by payer. */
export function paidIn(row: { readonly paid_plan_micros: bigint | null }): PaidFigures | null {
  return row.paid_plan_micros === null ? null : paidOf(row)
}

export function columnsOfMoney(money: Readonly<Money>): MoneyColumns {
  const cells = moneyNames.map((name, at) => [moneyColumns[at] ?? '', money[name]])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every name is also a column
  return Object.fromEntries(cells) as MoneyColumns
}
