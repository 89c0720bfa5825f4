import { type Database, type Query, transactionMsMax } from '#store/sql/database.ts'
import type { RowReader, RowWriter } from '#store/sql/row-runner.ts'
import { isEnvironmental, sqliteCode } from './error.ts'
import { readingKysely, writingKysely } from './kysely.ts'
import { timeLimit } from '#store/sql/time-limit.ts'

/** Rows over one reader and one writer. Transactions queue here, so the writer sees one at a time. */
export class SqliteDatabase implements Database {
  readonly read: Query
  readonly #writer: RowWriter
  readonly #msMax: number
  #last: Promise<unknown> = Promise.resolve()

  constructor(reader: RowReader, writer: RowWriter, msMax: number = transactionMsMax) {
    this.read = readingKysely(reader)
    this.#writer = writer
    this.#msMax = msMax
  }

  isEnvironmental(error: unknown): boolean {
    return isEnvironmental(sqliteCode(error))
  }

  transaction<T>(work: (tx: Query) => Promise<T>): Promise<T> {
    const run = this.#last.then(() => this.#run(work))
    this.#last = run.catch(() => {})
    return run
  }

  async #run<T>(work: (tx: Query) => Promise<T>): Promise<T> {
    const transaction = await this.#writer.begin()
    const { query, touched } = writingKysely(this.#writer, transaction)
    const overdue = timeLimit(this.#msMax)
    try {
      const result = await Promise.race([work(query), overdue.promise])
      await this.#writer.commit(transaction, touched())
      return result
    } catch (error) {
      await this.#writer.rollback(transaction)
      throw error
    } finally {
      overdue.cancel()
    }
  }
}
