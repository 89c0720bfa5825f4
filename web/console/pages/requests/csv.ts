/** Formats rows as CSV (RFC 4180). */

type Cell = string | number | boolean | null | undefined

export function csvText(heads: readonly string[], rows: readonly (readonly Cell[])[]): string {
  return [heads, ...rows].map((row) => `${row.map(cellText).join(',')}\r\n`).join('')
}

/** An apostrophe precedes text that a spreadsheet would run, as in usage.export. */
function cellText(cell: Cell): string {
  if (cell === null || cell === undefined) return ''
  const text =
    typeof cell === 'string' && /^[=+\-@\t\r']/.test(cell) && !/^-?\d+$/.test(cell)
      ? `'${cell}`
      : String(cell)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
