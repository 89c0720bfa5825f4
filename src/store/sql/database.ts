import { type Kysely, PostgresAdapter } from 'kysely'
import type { Schema } from './schema.ts'

/** What the nouns query: the whole database, or one transaction of it. Both take the same queries. */
export type Query = Kysely<Schema>

/** For the few queries that the engines' layouts, or their SQL, do not let be the same. */
export function isPostgres(query: Query): boolean {
  return query.getExecutor().adapter instanceof PostgresAdapter
}

/** Rows for everything but the money path. Engines make one; nothing above them knows which. */
export interface Database {
  /** Sees what is committed. A write through it is refused by the engine. */
  readonly read: Query
  /**
   * Runs `work` in the store's one write transaction and answers what it answers, after the commit is
   * durable; a throw rolls everything back and is thrown on. Money waits while it is open (on PostgreSQL
   * that of the people whose rows it has changed), so it does rows and nothing else: no network, no hashing. One open for longer than `transactionMsMax` is
   * rolled back. Never open one inside another: the inner one would wait for the outer one.
   */
  transaction<T>(work: (tx: Query) => Promise<T>): Promise<T>
  /** The machine refuses, whatever is asked: the disk is full, the database is away. The same may be sent again. */
  isEnvironmental(error: unknown): boolean
}

export const transactionMsMax = 5_000
