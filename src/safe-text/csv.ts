/**
 * A spreadsheet must never run a text in a CSV file (RFC 4180) as a formula. The server, the command line and the pages
 * create all CSV files with this module.
 */

/** A string is always written as text. Amounts are `bigint`, or strings of digits marked with `numeral`. */
export type CsvCell = string | number | bigint | boolean | null | undefined | Numeral

interface Numeral {
  readonly numeral: string
}

/** Marks a string such as `-12` or `0.000277` as a number. A marked string that is not a number is written as text. */
export function numeral(digits: string): CsvCell {
  return /^-?\d+(?:\.\d+)?$/.test(digits) ? { numeral: digits } : digits
}

/** Null becomes an empty cell, and an empty text becomes a pair of quotes. */
export function csvLine(cells: readonly CsvCell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`
}

function cellText(cell: CsvCell): string {
  if (cell === null || cell === undefined) return ''
  if (typeof cell === 'object') return cell.numeral
  return typeof cell === 'string' ? quotedText(cell) : String(cell)
}

/**
 * Spreadsheets run text that begins like a formula, and an end user's ID may begin like one
 * (owasp.org/www-community/attacks/CSV_Injection). A leading apostrophe marks the cell as text. If a text already
 * begins with an apostrophe, another apostrophe is added, so that readers of the file can always drop the first.
 *
 * Every text is quoted, because a program that splits at semicolons or tabs could otherwise start a formula within a
 * text.
 */
function quotedText(text: string): string {
  const harmless = /^['=+\-@\t\r\n＝＋－＠]/u.test(text) ? `'${text}` : text
  return `"${harmless.replaceAll('"', '""')}"`
}
