/**
 * Rows as CSV (RFC 4180), as `usage.export` writes them: null is an empty cell, and an empty text a quoted one; amounts
 * are their micros, since a sheet of sums has no use for dollar signs.
 */
import { isMoneyField } from './money.ts'
import { isRow, type Row } from './table.ts'

export function csvHead(columns: readonly string[]): string {
  return `${columns.join(',')}\r\n`
}

/** @param columns paths of fields, one level deep */
export function csvRow(columns: readonly string[], row: Row): string {
  return `${columns.map((path) => cell(path, valueAt(row, path))).join(',')}\r\n`
}

function valueAt(row: Row, path: string): unknown {
  const [above = '', ...rest] = path.split('.')
  const value = row[above]
  if (rest.length === 0) return value
  return isRow(value) ? value[rest.join('.')] : null
}

function cell(path: string, value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') return quoted(JSON.stringify(value))
  return isMoneyField(path) && /^-?\d+$/.test(value) ? value : quoted(neutralised(value))
}

/** Quoted always: a program that splits at semicolons or tabs would begin a cell in the middle of a bare one. */
function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}

/** Spreadsheets run what begins like a formula, and ids of people may (owasp.org/www-community/attacks/CSV_Injection). */
function neutralised(text: string): string {
  return /^['=+\-@\t\r＝＋－＠]/u.test(text) ? `'${text}` : text
}
