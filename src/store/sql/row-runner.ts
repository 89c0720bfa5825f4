import type { SQLInputValue } from 'node:sqlite'

export type Parameter = SQLInputValue
type Row = Record<string, unknown>

export interface RowsAnswer {
  readonly rows: Row[]
  /** Rows written; null for a query that answers rows. */
  readonly changes: bigint | null
}

/** A connection that reads. */
export interface RowReader {
  query(sql: string, parameters: readonly Parameter[]): Promise<MeasuredRows>
}

export interface MeasuredRows extends RowsAnswer {
  /** Time that the store needed, in milliseconds: of a processor where the engine can tell, else by the clock. */
  readonly costMs: number
}

/** Connections that read. */
export interface RowReaders {
  /** For statements that are over at once; they wait for no report. */
  readonly lookUps: RowReader
  /** For all others, as many at once as `turns.ts` lets begin. */
  readonly reports: RowReader
}

/** The one writer, for row transactions. At most one of them is open at a time. */
export interface RowWriter {
  begin(): Promise<number>
  query(transaction: number, sql: string, parameters: readonly Parameter[]): Promise<RowsAnswer>
  /** @param touched tables that the transaction wrote; null when that is not known */
  commit(transaction: number, touched: readonly string[] | null): Promise<void>
  /** Changes nothing once the transaction is over. */
  rollback(transaction: number): Promise<void>
}
