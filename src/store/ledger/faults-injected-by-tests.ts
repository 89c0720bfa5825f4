/** In the order in which PostgreSQL performs the writes. */
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

export type FaultPoint = WritePoint | 'begin' | 'load' | 'commit' | 'committed' | 'reread'

export type InjectedFault = 'busy' | 'full' | 'io' | 'fsync'

/** Null means no fault. */
export type InjectFault = (point: FaultPoint) => InjectedFault | null
