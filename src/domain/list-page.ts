/** The position at which a page starts: after the row with this `id` and `at`. */
export interface Position {
  /** Time in milliseconds, or the sequence number if the list is ordered by sequence. */
  readonly at: number
  readonly id: string
}

export interface Page {
  readonly limit: number
  readonly after: Position | null
}

/** A page of rows, newest first. `next` is null if the page is the last page. */
export interface Rows<T> {
  readonly rows: readonly T[]
  readonly next: Position | null
}
