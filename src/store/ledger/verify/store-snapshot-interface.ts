import type { SqlRow } from '#store/rows/read-row-strictly.ts'

export interface Verification {
  readonly check: string
  readonly rows: number
  /** Text with the first difference and the number of further differences. Null if the check found no difference. */
  readonly difference: string | null
}

/** A consistent snapshot of the store. Writes after the start of the snapshot do not change it. */
export interface StoreReading {
  readonly words: Words
  /**
   * Checks that the files of the engine are intact, and that its append-only tables reject changes. On a distributed
   * database, also checks the numbers of ledger entries.
   */
  itself(): Promise<Verification[]>
  /** Returns the single number that a query selects. */
  count(sql: string): Promise<number>
  /** Returns the rows one by one, so that they are never all in memory. Integers are bigint. */
  stream(sql: string): AsyncIterable<SqlRow>
  /** Returns the text of a quote, or null if it is not stored. */
  quote(id: string): Promise<string | null>
  /** Returns the ledger's usage debits of these calls, with `call_id`, `source_id` and `amount`. */
  debits(calls: readonly DebitsWanted[]): Promise<readonly SqlRow[]>
  close(): Promise<void>
}

/** The ledger entries that should contain the debits of a usage record. */
export interface DebitsWanted {
  readonly endUserId: string
  readonly mode: string
  readonly callId: string
  readonly sourceIds: readonly string[]
  /**
   * The sequence number of the first debit. Each leg of the charge (the part that one source pays) has at most one
   * debit.
   */
  readonly firstEntry: number
  readonly entriesMax: number
}

/** The parts of the SQL that differ between the engines. */
export interface Words {
  /** SQL that returns the legs of hold `h` (the amount held in each source) as rows of `leg.value`. */
  readonly eachLeg: string
  /** Returns SQL that reads a text column as JSON, so that `->>` can follow. */
  readonly json: (column: string) => string
  /**
   * SQL for the highest entry number that has been assigned so far. Null on a distributed database, where each node
   * numbers its own entries and `StoreReading.itself` checks the numbers.
   */
  readonly lastNumber: string | null
}
