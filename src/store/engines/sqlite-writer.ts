import assert from 'node:assert/strict'
import type { DatabaseSync } from 'node:sqlite'
import type { Parameter, RowsAnswer, RowWriter } from './rows.ts'
import { SqliteRows } from './sqlite-rows.ts'

/**
 * The one connection that writes, on whichever thread it is. Row transactions are open across
 * messages; a ledger batch is one synchronous piece of work and waits while one of those is.
 */
export class SqliteWriter implements RowWriter {
  readonly #connection: DatabaseSync
  readonly #rows: SqliteRows
  #transaction: number | null = null
  #transactionsBegun = 0

  constructor(connection: DatabaseSync) {
    this.#connection = connection
    this.#rows = new SqliteRows(connection)
  }

  async begin(): Promise<number> {
    assert(this.#transaction === null, 'one row transaction at a time')
    this.#connection.exec('BEGIN IMMEDIATE')
    this.#transaction = ++this.#transactionsBegun
    return this.#transaction
  }

  async query(transaction: number, sql: string, parameters: readonly Parameter[]): Promise<RowsAnswer> {
    this.#assertOpen(transaction)
    return this.#rows.run(sql, parameters)
  }

  async commit(transaction: number, _touched: readonly string[] | null): Promise<void> {
    this.#assertOpen(transaction)
    try {
      this.#connection.exec('COMMIT')
    } finally {
      this.#end()
    }
  }

  async rollback(transaction: number): Promise<void> {
    if (this.#transaction === transaction) this.#end()
  }

  close(): void {
    this.#end()
    this.#connection.close()
  }

  #assertOpen(transaction: number): void {
    if (this.#transaction !== transaction)
      throw new Error('the transaction is over: it was open for too long')
  }

  #end(): void {
    this.#transaction = null
    if (this.#connection.isTransaction) this.#connection.exec('ROLLBACK')
  }
}
