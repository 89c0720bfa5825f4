/**
 * CSV in the format of `usage.export`. Amounts are micros, because spreadsheets cannot add up texts with dollar signs.
 */
import { csvLine, numeral, type CsvCell } from '#safe-text/csv.ts'
import { isMoneyField } from './dollars-and-micros.ts'
import { isRow, type Row } from './aligned-table.ts'

export function csvHead(columns: readonly string[]): string {
  return `${columns.join(',')}\r\n`
}

/** @param columns paths of fields, nested at most one level deep */
export function csvRow(columns: readonly string[], row: Row): string {
  return csvLine(columns.map((path) => cell(path, valueAt(row, path))))
}

function valueAt(row: Row, path: string): unknown {
  const [above = '', ...rest] = path.split('.')
  const value = row[above]
  if (rest.length === 0) return value
  return isRow(value) ? value[rest.join('.')] : null
}

function cell(path: string, value: unknown): CsvCell {
  if (value === null || value === undefined) return null
  if (typeof value === 'number' || typeof value === 'boolean') return value
  if (typeof value !== 'string') return JSON.stringify(value)
  return isMoneyField(path) ? numeral(value) : value
}
