/** Tests make the store fail at any of its steps: the guarantees of the ladder are proven step by step. */

/** What is written, in the order in which PostgreSQL writes it, by the table or the change that it is. */
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

/** How it fails there: a disk or a lock that is busy, full, broken, or has lost what it confirmed. */
export type InjectedFault = 'busy' | 'full' | 'io' | 'fsync'

/** Null: nothing goes wrong at this step. */
export type InjectFault = (point: FaultPoint) => InjectedFault | null
