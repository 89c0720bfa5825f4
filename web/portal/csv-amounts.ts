import { formatDollars } from '#money/amount.ts'
import { numeral, type CsvCell } from '#safe-text/csv.ts'

/** A spreadsheet can calculate with this text: `-0.000277`. */
export function dollarsCell(micros: string | bigint): CsvCell {
  return numeral(formatDollars(BigInt(micros)))
}
