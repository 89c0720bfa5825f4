/** Amounts in files for a spreadsheet. */
import { numeral, type CsvCell } from '#safe-text/csv.ts'

/** Converts micros to dollars that a spreadsheet can calculate with: `-0.000277`. */
export function dollarsCell(micros: string | bigint): CsvCell {
  const amount = BigInt(micros)
  const digits = String(amount < 0n ? -amount : amount).padStart(7, '0')
  return numeral(`${amount < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`)
}
