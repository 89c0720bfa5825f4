/** Writes files for a spreadsheet. */

/**
 * Writes lines of cells, always quoted. A program that splits at semicolons or tabs would otherwise start a new cell in
 * the middle of an unquoted one. Text that a spreadsheet would run as a formula is escaped (docs/reference/threats.md
 * "Names are text").
 */
export function csvOf(rows: readonly (readonly string[])[]): string {
  return rows.map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('')
}

function cellOf(text: string): string {
  // A number may begin with a minus.
  const isNumber = /^-?\d+(?:\.\d+)?$/.test(text)
  const safe = !isNumber && /^['=+\-@\t\r\n＝＋－＠]/u.test(text) ? `'${text}` : text
  return `"${safe.replaceAll('"', '""')}"`
}

/** Converts micros to dollars that a spreadsheet can calculate with: `-0.000277`. */
export function dollarsCell(micros: string | bigint): string {
  const amount = BigInt(micros)
  const digits = String(amount < 0n ? -amount : amount).padStart(7, '0')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`
}
