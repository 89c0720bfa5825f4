import type { Kysely } from 'kysely'
import type { Schema } from './schema.ts'

/** What the nouns query: the whole database, or one transaction of it. Both take the same queries. */
export type Query = Kysely<Schema>

/** Rows for everything but the money path. Engines make one; nothing above them knows which. */
export interface Database {
  /** Sees what is committed. A write through it is refused by the engine. */
  readonly read: Query
  /**
   * Runs `work` in the store's one write transaction and answers what it answers, after the commit is
   * durable; a throw rolls everything back and is thrown on. Money waits while it is open, so it does
   * rows and nothing else: no network, no hashing. One open for longer than `transactionMsMax` is
   * rolled back. Never open one inside another: the inner one would wait for the outer one.
   */
  transaction<T>(work: (tx: Query) => Promise<T>): Promise<T>
}

export const transactionMsMax = 5_000
