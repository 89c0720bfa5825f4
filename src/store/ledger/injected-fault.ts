/** Faults that tests inject at any step of the store, to prove the guarantees of the ladder. */

/** The writes in PostgreSQL's order, by table or change. */
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
  | 'key'
  | 'state'

/** Where a test may make the store fail. */
export type FaultPoint = WritePoint | 'begin' | 'load' | 'commit' | 'committed' | 'reread'

/** The kind of fault: a disk or a lock that is busy, full, broken, or has lost a confirmed write. */
export type InjectedFault = 'busy' | 'full' | 'io' | 'fsync'

/** Null: nothing goes wrong at this step. */
export type InjectFault = (point: FaultPoint) => InjectedFault | null
