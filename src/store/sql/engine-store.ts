import type { Ledger } from '#domain/ledger.ts'
import type { Database } from './database.ts'

/** A store that is open, whichever engine it is on. */
export interface EngineStore {
  readonly database: Database
  /** And what an operator watches of it: what waits for the store, and records that did not fit. */
  readonly ledger: Ledger & { readonly keptCount: number; readonly recordsDropped: number }
  /** What the start found of the process before it, and finished. */
  readonly recovered: { readonly calls: number; readonly grants: number }
  /** Waits for what is under way, then lets go of it. */
  close(): Promise<void>
}
