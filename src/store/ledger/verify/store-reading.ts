import type { SqlRow } from '#store/rows/sql-row.ts'

export interface Verification {
  readonly check: string
  readonly rows: number
  /** The first difference, and the number of others; null: everything adds up. */
  readonly difference: string | null
}

/** The store at one moment, unaffected by writes meanwhile. */
export interface StoreReading {
  readonly words: Words
  /** Checks of the engine itself: its files are whole, and recorded rows cannot be changed. */
  itself(): Promise<Verification[]>
  /** The one number that a query answers. */
  count(sql: string): Promise<number>
  /** Rows one after the other, never all of them at once; integers as bigint. */
  stream(sql: string): AsyncIterable<SqlRow>
  /** The text of a quote; null: it is not stored. */
  quote(id: string): Promise<string | null>
  /** The usage debits of these calls on the ledger, with `call_id`, `source_id` and `amount`. */
  debits(calls: readonly DebitsWanted[]): Promise<readonly SqlRow[]>
  close(): Promise<void>
}

/** The place of a usage record's debits, as the record says. */
export interface DebitsWanted {
  readonly endUserId: string
  readonly mode: string
  readonly callId: string
  readonly sourceIds: readonly string[]
  /** The sequence of the first debit; there is at most one for each leg. */
  readonly firstEntry: number
  readonly entriesMax: number
}

/** SQL that differs between the engines. */
export interface Words {
  /** The legs of hold `h`, as `leg.value`. */
  readonly eachLeg: string
  /** A text column as JSON, for `->>` behind it. */
  readonly json: (column: string) => string
  /** The largest possible number of a ledger entry so far. */
  readonly lastNumber: string
}
