import type { SQLInputValue } from 'node:sqlite'

export type Parameter = SQLInputValue
type Row = Record<string, unknown>

export interface RowsAnswer {
  readonly rows: Row[]
  /** Number of rows written. Null for a query that returns rows. */
  readonly changes: bigint | null
}

/** A connection that reads. */
export interface RowReader {
  query(sql: string, parameters: readonly Parameter[]): Promise<MeasuredRows>
}

export interface MeasuredRows extends RowsAnswer {
  /** Time that the store needed, in milliseconds. It is CPU time if the engine can measure it, otherwise clock time. */
  readonly costMs: number
}

/** Connections that read. */
export interface RowReaders {
  /** For short SQL statements, which do not wait for reports. */
  readonly lookUps: RowReader
  /** For all other SQL statements. `turns.ts` limits how many run concurrently. */
  readonly reports: RowReader
}

/** The only writer, for row transactions. At most one is open at a time. */
export interface RowWriter {
  /** Adds sums of usage that the ledger has left elsewhere to `usage_days`. Call before a read of that table. */
  writeDays(): Promise<void>
  begin(): Promise<number>
  query(transaction: number, sql: string, parameters: readonly Parameter[]): Promise<RowsAnswer>
  /** @param touched tables that the transaction wrote; null if unknown */
  commit(transaction: number, touched: readonly string[] | null): Promise<void>
  /** Does nothing if the transaction has already ended. */
  rollback(transaction: number): Promise<void>
}
