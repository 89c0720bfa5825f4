import { formatDollars } from '#money/amount.ts'
import { numeral, type CsvCell } from '#safe-text/csv.ts'

/** Such as `-0.000277`, with which a spreadsheet can calculate. */
export function dollarsCell(micros: string | bigint): CsvCell {
  return numeral(formatDollars(BigInt(micros)))
}
