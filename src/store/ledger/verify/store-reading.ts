import type { SqlRow } from '#store/rows/sql-row.ts'

export interface Verification {
  readonly check: string
  /** How many rows were looked at. */
  readonly rows: number
  /** The first difference, and how many more there are; null: all of it adds up. */
  readonly difference: string | null
}

/** The store at one moment, whatever is written meanwhile, as each engine gives it. */
export interface StoreReading {
  readonly words: Words
  /** What only the engine itself can tell: that its files are whole, that what is recorded cannot be changed. */
  itself(): Promise<Verification[]>
  /** The one number that a query answers. */
  count(sql: string): Promise<number>
  /** Rows one after the other, never all of them at once; integers as bigint. */
  stream(sql: string): AsyncIterable<SqlRow>
  /** The text of a quote; null: it is not stored. */
  quote(id: string): Promise<string | null>
  /** The usage debits on the ledger that some calls name, with `call_id`, `source_id` and `amount`. */
  debits(calls: readonly DebitsWanted[]): Promise<readonly SqlRow[]>
  close(): Promise<void>
}

/** Where a usage record says that its debits are. */
export interface DebitsWanted {
  readonly endUserId: string
  readonly mode: string
  readonly callId: string
  readonly sourceIds: readonly string[]
  /** The sequence of the first one; there is at most one for each leg. */
  readonly firstEntry: number
  readonly entriesMax: number
}

/** What the engines have different words for. */
export interface Words {
  /** The legs of hold `h`, as `leg.value`. */
  readonly eachLeg: string
  /** A text column as JSON, to be followed by `->>`. */
  readonly json: (column: string) => string
  /** The largest number that a ledger entry can have so far. */
  readonly lastNumber: string
}
