import type { DatabaseSync } from 'node:sqlite'
import type { MeasuredRows, Parameter, RowReader, RowsAnswer } from '#store/sql/row-runner-interface.ts'
import { SqliteRows } from './run-prepared-statements.ts'
import { needsSources, WaitingSources } from './views-with-buffered-balances.ts'

export class SqliteReader implements RowReader {
  readonly #connection: DatabaseSync
  readonly #rows: SqliteRows
  readonly #waiting: WaitingSources

  constructor(connection: DatabaseSync) {
    this.#connection = connection
    this.#waiting = new WaitingSources(connection)
    this.#rows = new SqliteRows(connection)
  }

  async query(sql: string, parameters: readonly Parameter[]): Promise<MeasuredRows> {
    const before = process.threadCpuUsage()
    const found = needsSources(sql) ? this.#withSources(sql, parameters) : this.#rows.run(sql, parameters)
    const { system, user } = process.threadCpuUsage(before)
    return { ...found, costMs: (system + user) / 1000 }
  }

  /** Read the slots and the rows in one transaction, so that both belong to the same commit. */
  #withSources(sql: string, parameters: readonly Parameter[]): RowsAnswer {
    this.#connection.exec('BEGIN')
    try {
      this.#waiting.refresh()
      return this.#rows.run(sql, parameters)
    } finally {
      if (this.#connection.isTransaction) this.#connection.exec('COMMIT')
    }
  }

  close(): void {
    this.#connection.close()
  }
}
