/**
 * Writes rows as CSV (RFC 4180), like `usage.export`: null is an empty cell, and an empty text is a quoted one. Amounts
 * are micros, since spreadsheets cannot sum dollar signs.
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

/**
 * Always quotes. A program that splits at semicolons or tabs would otherwise start a new cell in the middle of an
 * unquoted one.
 */
function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}

/**
 * Spreadsheets run text that begins like a formula, and an end user's ID may
 * (owasp.org/www-community/attacks/CSV_Injection).
 */
function neutralised(text: string): string {
  return /^['=+\-@\t\r＝＋－＠]/u.test(text) ? `'${text}` : text
}
