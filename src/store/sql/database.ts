import { type Kysely, PostgresAdapter } from 'kysely'
import type { Reader } from '#domain/store.ts'
import type { Schema } from './schema.ts'

/** The whole database, or one transaction of it. Both accept the same queries. */
export type Query = Kysely<Schema>

/** For the few queries whose SQL differs between the engines. */
export function isPostgres(query: Query): boolean {
  return query.getExecutor().adapter instanceof PostgresAdapter
}

/** Rows for everything except the ledger's own path. Code above it does not depend on the engine. */
export interface Database {
  /** Reads committed rows. The engine rejects writes. For look-ups, which do not wait for reports. */
  readonly read: Query
  /** Reads committed rows within a caller's share (turns.ts). @throws Failure too_many_reads, overloaded */
  readFor(reader: Reader): Query
  /**
   * Runs `work` in the store's only write transaction and returns its result when the commit is durable. If `work`
   * throws, everything is rolled back and the error is rethrown. The ledger waits while the transaction is open (on
   * PostgreSQL, only for end users whose rows it changed). So `work` must only read and write rows: no network and no
   * hashing. A transaction that is open for longer than `transactionMsMax` is rolled back. Never open one inside
   * another, because it would wait for the outer one.
   * @param reader the caller whose turn is used (turns.ts); if omitted, it does not wait for the turns of callers
   */
  transaction<T>(work: (tx: Query) => Promise<T>, reader?: Reader): Promise<T>
  /**
   * Whether the store rejects every query, because the disk is full or the database is away. The query can be retried.
   */
  isEnvironmental(error: unknown): boolean
}

export const transactionMsMax = 5_000
