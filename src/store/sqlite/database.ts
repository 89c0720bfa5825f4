import type { CompiledQuery } from 'kysely'
import { StoreUnavailable } from '#domain/ledger-interface.ts'
import { type Database, type Query, transactionMsMax } from '#store/sql/database-interface.ts'
import { guardedRunner, kyselyOver } from '#store/sql/run-kysely-on-engine.ts'
import type { Reader } from '#domain/store-interface.ts'
import { readLimits, transactionLimits, Turns } from '#store/sql/turns-for-statements.ts'
import type {
  MeasuredRows,
  RowReader,
  RowReaders,
  RowsAnswer,
  RowWriter,
} from '#store/sql/row-runner-interface.ts'
import { needsDays } from './buffered-day-sums.ts'
import { parametersOf, sqlite } from './kysely-language.ts'
import { isAway, sqliteCode } from './classify-sqlite-errors.ts'
import { withinLimit } from '#store/sql/transaction-time-limit.ts'

export const reportThreadsMax = 3

/** Transactions wait here, so that only one runs at a time. */
export class SqliteDatabase implements Database {
  readonly read: Query
  readonly #readers: RowReaders
  readonly #transactions = new Turns(transactionLimits)
  readonly #reads = new Turns({ ...readLimits, atOnce: reportThreadsMax })
  readonly #writer: RowWriter
  readonly #msMax: number
  #last: Promise<unknown> = Promise.resolve()

  constructor(readers: RowReaders, writer: RowWriter, msMax: number = transactionMsMax) {
    this.read = kyselyOver({ run: (query) => this.#read(readers.lookUps, query) }, sqlite)
    this.#readers = readers
    this.#writer = writer
    this.#msMax = msMax
  }

  readFor(reader: Reader): Query {
    const turns = this.#reads.of(reader)
    const run = (query: CompiledQuery): Promise<RowsAnswer> =>
      turns.run(async () => {
        const answer = await this.#read(this.#readers.reports, query)
        reader.onCost(answer.costMs)
        return answer
      })
    return kyselyOver({ run }, sqlite)
  }

  /** The store is unavailable, so the caller may retry the query. */
  async #read(reader: RowReader, query: CompiledQuery): Promise<MeasuredRows> {
    try {
      if (needsDays(query.sql)) await this.#writer.writeSlots()
      return await reader.query(query.sql, parametersOf(query))
    } catch (cause) {
      if (this.isEnvironmental(cause)) throw new StoreUnavailable('read rows', { cause })
      throw cause
    }
  }

  isEnvironmental(error: unknown): boolean {
    return isAway(sqliteCode(error))
  }

  transaction<T>(work: (tx: Query) => Promise<T>, reader?: Reader): Promise<T> {
    const begin = (): Promise<T> => this.#queued(work)
    return reader === undefined ? begin() : this.#transactions.of(reader).run(begin)
  }

  #queued<T>(work: (tx: Query) => Promise<T>): Promise<T> {
    const run = this.#last.then(() => this.#run(work))
    this.#last = run.catch(() => {})
    return run
  }

  async #run<T>(work: (tx: Query) => Promise<T>): Promise<T> {
    const transaction = await this.#writer.begin()
    const { runner, touched } = guardedRunner({
      run: (query) => this.#writer.query(transaction, query.sql, parametersOf(query)),
    })
    try {
      const result = await withinLimit(work(kyselyOver(runner, sqlite)), this.#msMax)
      await this.#writer.commit(transaction, touched())
      return result
    } catch (error) {
      await this.#writer.rollback(transaction)
      throw error
    }
  }
}
