import type { Ledger } from '#domain/ledger-interface.ts'
import type { Database } from './database-interface.ts'
import type { HourSource } from './hour-sums-interface.ts'

export interface EngineStore {
  readonly database: Database
  /**
   * Short transactions on rows that no other code writes. On PostgreSQL, these transactions do not wait for write
   * transactions of other processes.
   */
  readonly apart: Pick<Database, 'transaction'>
  /**
   * The counts are for the operator: operations that wait for a commit, operations that are kept because the store is
   * unavailable, and dropped records.
   */
  readonly ledger: Ledger & {
    /** Whether so many operations wait that a new call of the application would wait long for its commits. */
    isBusyFor(applicationId: string): boolean
    readonly waitingCount: number
    readonly keptCount: number
    readonly isAway: boolean
    readonly recordsDropped: number
  }
  readonly hours: HourSource
  /** Epoch of this process: the ID of its row in `epochs`. */
  readonly epoch: number
  /** Number of calls and grants of an earlier process that were ended at the start. */
  readonly recovered: { readonly calls: number; readonly grants: number }
  /** Waits for running work before closing. */
  close(): Promise<void>
}
