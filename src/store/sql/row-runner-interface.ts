import type { SQLInputValue } from 'node:sqlite'

export type Parameter = SQLInputValue
type Row = Record<string, unknown>

export interface RowsAnswer {
  readonly rows: Row[]
  /** Null for a query that returns rows. */
  readonly changes: bigint | null
}

export interface RowReader {
  query(sql: string, parameters: readonly Parameter[]): Promise<MeasuredRows>
}

export interface MeasuredRows extends RowsAnswer {
  /** CPU time in milliseconds if the engine can measure it, otherwise elapsed time. */
  readonly costMs: number
}

export interface RowReaders {
  /** For short statements, which do not wait for reports. */
  readonly lookUps: RowReader
  /**
   * For all other statements, such as the queries of reports. `turns-for-statements.ts` limits how many statements run
   * concurrently.
   */
  readonly reports: RowReader
}

/** The only connection that writes rows outside the ledger. At most one transaction is open at a time. */
export interface RowWriter {
  /**
   * Moves the ledger's changes from slots to `usage_days` and `sources` (sqlite/buffered-day-sums.ts,
   * sqlite/buffered-balances.ts). Call this function before reading `usage_days`.
   */
  writeSlots(): Promise<void>
  begin(): Promise<number>
  query(transaction: number, sql: string, parameters: readonly Parameter[]): Promise<RowsAnswer>
  /** @param touched tables that the transaction wrote; null if unknown */
  commit(transaction: number, touched: readonly string[] | null): Promise<void>
  /** Does nothing if the transaction has already ended. */
  rollback(transaction: number): Promise<void>
}
