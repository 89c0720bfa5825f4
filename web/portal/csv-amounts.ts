/** Amounts in files for a spreadsheet. */
import { formatDollars } from '#money/amount.ts'
import { numeral, type CsvCell } from '#safe-text/csv.ts'

/** Converts micros to dollars that a spreadsheet can calculate with: `-0.000277`. */
export function dollarsCell(micros: string | bigint): CsvCell {
  return numeral(formatDollars(BigInt(micros)))
}
