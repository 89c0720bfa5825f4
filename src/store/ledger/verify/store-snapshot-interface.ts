import type { SqlRow } from '#store/rows/read-row-strictly.ts'

export interface Verification {
  readonly check: string
  readonly rows: number
  /** The first difference and the number of further differences. Null if there is no difference. */
  readonly difference: string | null
}

/** Later writes do not change the snapshot. */
export interface StoreReading {
  readonly words: Words
  /**
   * Checks that the files of the engine are intact, and that its append-only tables reject changes. On a distributed
   * database, also checks the numbers of ledger entries.
   */
  itself(): Promise<Verification[]>
  count(sql: string): Promise<number>
  /** Returns the rows one by one, so that they are never all in memory. Integers are bigint. */
  stream(sql: string): AsyncIterable<SqlRow>
  /** Null if the quote is not stored. */
  quote(id: string): Promise<string | null>
  /** Each row has `call_id`, `source_id` and `amount`. */
  debits(calls: readonly DebitsWanted[]): Promise<readonly SqlRow[]>
  close(): Promise<void>
}

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

export interface Words {
  /** SQL that returns the legs of hold `h` (the amount held in each source) as rows of `leg.value`. Legs that cannot be read count as no legs. */
  readonly eachLeg: string
  /** Returns SQL for the policy in the text of a quote. Null if the text cannot be read. */
  readonly policyOf: (quote: string) => string
  /**
   * SQL for the highest entry number that has been assigned so far. Null on a distributed database, where each node
   * numbers its own entries and `StoreReading.itself` checks these numbers.
   */
  readonly lastNumber: string | null
}
