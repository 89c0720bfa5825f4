import type { SQLInputValue } from 'node:sqlite'

export type Parameter = SQLInputValue
type Row = Record<string, unknown>

export interface RowsAnswer {
  readonly rows: Row[]
  /** Number of rows written. Null for a query that returns rows. */
  readonly changes: bigint | null
}

/** A connection that only reads. */
export interface RowReader {
  query(sql: string, parameters: readonly Parameter[]): Promise<MeasuredRows>
}

export interface MeasuredRows extends RowsAnswer {
  /** Time that the store needed, in milliseconds: CPU time if the engine can measure it, otherwise elapsed time. */
  readonly costMs: number
}

/** The connections that only read. */
export interface RowReaders {
  /** The connection for short SQL statements, which do not wait for reports. */
  readonly lookUps: RowReader
  /**
   * The connections for all SQL statements that are not short, such as the queries of reports.
   * `turns-for-statements.ts` limits how many of these statements run concurrently.
   */
  readonly reports: RowReader
}

/** The only connection that writes rows outside the ledger. At most one transaction is open at a time. */
export interface RowWriter {
  /**
   * Writes the changes that the ledger has stored in slots to `usage_days` and `sources` (sqlite/buffered-day-sums.ts,
   * sqlite/buffered-balances.ts). Call this function before reading `usage_days`.
   */
  writeSlots(): Promise<void>
  begin(): Promise<number>
  query(transaction: number, sql: string, parameters: readonly Parameter[]): Promise<RowsAnswer>
  /** @param touched tables that the transaction wrote; null if the tables are unknown */
  commit(transaction: number, touched: readonly string[] | null): Promise<void>
  /** Does nothing if the transaction has already ended. */
  rollback(transaction: number): Promise<void>
}
