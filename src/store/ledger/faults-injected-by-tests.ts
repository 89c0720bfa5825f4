/** Faults that tests inject at any step of the store, to prove the guarantees of handle-failed-batches.ts. */

/** The writes of a batch by table or change, in the order in which PostgreSQL performs them. */
export type WritePoint =
  | 'quote'
  | 'grant'
  | 'source'
  | 'hold'
  | 'ledger'
  | 'usage'
  | 'request'
  | 'day'
  | 'run'
  | 'rate'
  | 'key'
  | 'state'

/** The steps at which a test can make the store fail. */
export type FaultPoint = WritePoint | 'begin' | 'load' | 'commit' | 'committed' | 'reread'

/**
 * The kinds of faults: the disk or a lock is busy, the disk is full or broken, or the disk has lost a confirmed write.
 */
export type InjectedFault = 'busy' | 'full' | 'io' | 'fsync'

/** Returns the fault to inject at a step. Null means no fault. */
export type InjectFault = (point: FaultPoint) => InjectedFault | null
