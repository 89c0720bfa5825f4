import type { Ledger } from '#domain/ledger.ts'
import type { Database } from './database.ts'

/** An open store on either engine. */
export interface EngineStore {
  readonly database: Database
  /** With figures for the operator: operations that wait for a commit, or for the store, and dropped records. */
  readonly ledger: Ledger & {
    readonly waitingCount: number
    readonly keptCount: number
    readonly recordsDropped: number
  }
  /** Calls and grants of an earlier process that the start ended. */
  readonly recovered: { readonly calls: number; readonly grants: number }
  /** Waits for work under way, then closes the store. */
  close(): Promise<void>
}
