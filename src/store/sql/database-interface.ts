import { type Kysely, PostgresAdapter } from 'kysely'
import type { Reader } from '#domain/store-interface.ts'
import type { Schema } from './schema.ts'

/** Runs queries in the whole database, or in one transaction of it. */
export type Query = Kysely<Schema>

/** Whether the engine is PostgreSQL, for the few queries whose SQL differs between the engines. */
export function isPostgres(query: Query): boolean {
  return query.getExecutor().adapter instanceof PostgresAdapter
}

/** The adapter of a PostgreSQL database whose end users are distributed among nodes. */
export class DistributedAdapter extends PostgresAdapter {}

/** Whether end users are distributed among nodes. A few queries need other SQL in this case. */
export function isDistributed(query: Query): boolean {
  return query.getExecutor().adapter instanceof DistributedAdapter
}

/**
 * Access to all rows except for the ledger's own reads and writes. Code above this port does not depend on the engine.
 */
export interface Database {
  /** Reads committed rows. The engine rejects writes. Use `read` for look-ups, which do not wait for reports. */
  readonly read: Query
  /**
   * Reads committed rows, within the limits of this caller (turns-for-statements.ts).
   * @throws Failure too_many_reads, overloaded
   */
  readFor(reader: Reader): Query
  /**
   * Runs `work` in the store's only write transaction and returns its result when the commit is durable. If `work`
   * throws, everything is rolled back and the error is rethrown. The ledger waits while the transaction is open (on
   * PostgreSQL, only for end users whose rows it changed). During that time, `work` must only read and write rows: no
   * network and no hashing. A transaction that is open for longer than `transactionMsMax` is rolled back. Never open a
   * transaction inside another transaction, because the inner transaction would wait for the outer transaction.
   * @param reader the caller for which the transaction waits for a turn (turns-for-statements.ts); without a reader,
   * the transaction begins without a turn
   */
  transaction<T>(work: (tx: Query) => Promise<T>, reader?: Reader): Promise<T>
  /**
   * Whether the store rejects every query, because the disk is full or the database is unavailable. If so, the query
   * can be retried.
   */
  isEnvironmental(error: unknown): boolean
}

export const transactionMsMax = 5_000
