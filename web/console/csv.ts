/** Formats tables as CSV (RFC 4180) with exact amounts. */

export type CsvCell = string | number | bigint | null | undefined

/** Text that a spreadsheet would run gets a leading apostrophe, as in the API's exports. */
export function csvText(heads: readonly string[], rows: readonly (readonly CsvCell[])[]): string {
  return [heads, ...rows].map((cells) => `${cells.map(cellText).join(',')}\r\n`).join('')
}

function cellText(cell: CsvCell): string {
  if (cell === null || cell === undefined) return ''
  const isNumber = typeof cell !== 'string' || /^-?\d+(?:\.\d+)?$/.test(cell)
  const text = isNumber ? String(cell) : /^[=+\-@']/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
