import type { SqlRow } from '#store/rows/sql-row.ts'

export interface Verification {
  readonly check: string
  readonly rows: number
  /** The first difference, and the number of others. Null if everything adds up. */
  readonly difference: string | null
}

/** A consistent snapshot of the store. Later writes do not change it. */
export interface StoreReading {
  readonly words: Words
  /** Checks of the engine: its files are intact, and recorded rows cannot be changed. */
  itself(): Promise<Verification[]>
  /** Returns the single number that a query selects. */
  count(sql: string): Promise<number>
  /** Returns the rows one by one, never all of them together. Integers are bigint. */
  stream(sql: string): AsyncIterable<SqlRow>
  /** Returns the text of a quote, or null if it is not stored. */
  quote(id: string): Promise<string | null>
  /** Returns the ledger's usage debits of these calls, with `call_id`, `source_id` and `amount`. */
  debits(calls: readonly DebitsWanted[]): Promise<readonly SqlRow[]>
  close(): Promise<void>
}

/** Where the debits of a usage record are, according to the record. */
export interface DebitsWanted {
  readonly endUserId: string
  readonly mode: string
  readonly callId: string
  readonly sourceIds: readonly string[]
  /** The sequence of the first debit. There is at most one debit per leg. */
  readonly firstEntry: number
  readonly entriesMax: number
}

/** SQL that differs between the engines. */
export interface Words {
  /** The legs of hold `h`, as `leg.value`. */
  readonly eachLeg: string
  /** Returns a text column as JSON, so that `->>` can follow it. */
  readonly json: (column: string) => string
  /** The highest number that a ledger entry can have so far. */
  readonly lastNumber: string
}
