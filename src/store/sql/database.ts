import { type Kysely, PostgresAdapter } from 'kysely'
import type { Reader } from '#domain/store.ts'
import type { Schema } from './schema.ts'

/** The whole database, or one transaction of it: both take the same queries. */
export type Query = Kysely<Schema>

/** For the few queries whose SQL differs between the engines. */
export function isPostgres(query: Query): boolean {
  return query.getExecutor().adapter instanceof PostgresAdapter
}

/** Rows for everything but the money path. Code above it does not know the engine. */
export interface Database {
  /** Reads committed rows. The engine refuses a write through it. For look-ups, which wait for no report. */
  readonly read: Query
  /** Reads committed rows within the share of a caller (turns.ts). @throws Failure too_many_reads, overloaded */
  readFor(reader: Reader): Query
  /**
   * Runs `work` in the store's one write transaction and passes on its answer once the commit is durable; a throw
   * rolls everything back and is thrown on. Money waits while it is open (on PostgreSQL the money of people whose
   * rows it changed), so `work` does rows and nothing else: no network, no hashing. A transaction open for longer
   * than `transactionMsMax` is rolled back. Never open one inside another: it would wait for the outer one.
   * @param reader whose turn it takes (turns.ts); left out: it does not wait for those of callers
   */
  transaction<T>(work: (tx: Query) => Promise<T>, reader?: Reader): Promise<T>
  /** The machine refuses every query: the disk is full, the database is away. The query may be sent again. */
  isEnvironmental(error: unknown): boolean
}

export const transactionMsMax = 5_000
