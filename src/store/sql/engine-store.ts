import type { Ledger } from '#domain/ledger.ts'
import type { Database } from './database.ts'

/** An open store on either engine. */
export interface EngineStore {
  readonly database: Database
  /** For the operator: operations that wait for a commit, those kept for a store that is away, and dropped records. */
  readonly ledger: Ledger & {
    readonly waitingCount: number
    readonly keptCount: number
    readonly isAway: boolean
    readonly recordsDropped: number
  }
  /** Of this process: its row in `epochs`. */
  readonly epoch: number
  /** Calls and grants of an earlier process that the start ended. */
  readonly recovered: { readonly calls: number; readonly grants: number }
  /** Waits for work under way, then closes the store. */
  close(): Promise<void>
}
