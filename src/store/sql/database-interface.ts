import { type Kysely, PostgresAdapter } from 'kysely'
import type { Reader } from '#domain/store-interface.ts'
import type { Schema } from './schema.ts'

export type Query = Kysely<Schema>

/** For the few queries whose SQL differs between the engines. */
export function isPostgres(query: Query): boolean {
  return query.getExecutor().adapter instanceof PostgresAdapter
}

export class DistributedAdapter extends PostgresAdapter {}

/** Whether end users are distributed among nodes, which a few queries must consider. */
export function isDistributed(query: Query): boolean {
  return query.getExecutor().adapter instanceof DistributedAdapter
}

/** Access to all rows except the ledger's. Code above this port does not depend on the engine. */
export interface Database {
  /** Reads committed rows. The engine rejects writes. For look-ups, which do not wait for reports. */
  readonly read: Query
  /**
   * Reads committed rows, within the limits of this caller (turns-for-statements.ts).
   * @throws Failure too_many_reads, overloaded
   */
  readFor(reader: Reader): Query
  /**
   * Runs `work` in the store's only write transaction, and returns its result when the commit is durable. If `work`
   * throws, everything is rolled back and the error is rethrown. The ledger waits while the transaction is open (on
   * PostgreSQL, only for end users whose rows it changed). During the transaction, `work` must only read and write
   * rows: no network and no hashing. A transaction that is open for longer than `transactionMsMax` is rolled back.
   * Never open a transaction inside another, because the inner transaction would wait for the outer transaction.
   * @param reader the caller for which the transaction waits for a turn (turns-for-statements.ts); without a reader, it
   * begins immediately
   */
  transaction<T>(work: (tx: Query) => Promise<T>, reader?: Reader): Promise<T>
  /** Whether the disk is full or the database is unavailable, so that the query can be retried. */
  isEnvironmental(error: unknown): boolean
}

export const transactionMsMax = 5_000
