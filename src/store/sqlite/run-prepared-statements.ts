import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { RowsAnswer } from '#store/sql/row-runner-interface.ts'

interface Prepared {
  readonly statement: StatementSync
  readonly answersRows: boolean
}

// Far above the number of different queries. Limits memory if code creates query texts in a loop.
const preparedMax = 500

/** Each query text is prepared once. */
export class SqliteRows {
  readonly #connection: DatabaseSync
  readonly #prepared = new Map<string, Prepared>()

  constructor(connection: DatabaseSync) {
    this.#connection = connection
  }

  run(sql: string, parameters: readonly SQLInputValue[]): RowsAnswer {
    const { statement, answersRows } = this.#prepare(sql)
    if (!answersRows) {
      const { changes } = statement.run(...parameters)
      return { rows: [], changes: BigInt(changes) }
    }
    return { rows: statement.all(...parameters), changes: null }
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql)
    if (known !== undefined) return known
    const statement = this.#connection.prepare(sql)
    statement.setReadBigInts(true)
    const prepared = { statement, answersRows: statement.columns().length > 0 }
    if (this.#prepared.size >= preparedMax) this.#prepared.clear()
    this.#prepared.set(sql, prepared)
    return prepared
  }
}
