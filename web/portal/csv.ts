/** Files for a spreadsheet. */

/**
 * Lines of cells, quoted always: a program that splits at semicolons or tabs would begin a cell in the middle of a bare
 * one. What would be run as a formula is text (docs/reference/threats.md "Names are text").
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

/** Micros as dollars that a spreadsheet counts with: `-0.000277`. */
export function dollarsCell(micros: string | bigint): string {
  const amount = BigInt(micros)
  const digits = String(amount < 0n ? -amount : amount).padStart(7, '0')
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`
}
