import type { DatabaseSync } from 'node:sqlite'
import type { MeasuredRows, Parameter, RowReader } from '#store/sql/row-runner.ts'
import { SqliteRows } from './row-runner.ts'

/** A connection that reads, on the thread that creates it. */
export class SqliteReader implements RowReader {
  readonly #connection: DatabaseSync
  readonly #rows: SqliteRows

  constructor(connection: DatabaseSync) {
    this.#connection = connection
    this.#rows = new SqliteRows(connection)
  }

  async query(sql: string, parameters: readonly Parameter[]): Promise<MeasuredRows> {
    const before = process.threadCpuUsage()
    const found = this.#rows.run(sql, parameters)
    const { system, user } = process.threadCpuUsage(before)
    return { ...found, costMs: (system + user) / 1000 }
  }

  close(): void {
    this.#connection.close()
  }
}
