/**
 * Marks days whose stored sums lack a settle, on a distributed database. A settle is missing from stored sums only if
 * it is days late. `usage_fold.through_day` must then be lowered to the day before the settle's day
 * (usage-sums-by-day.ts). The row of `usage_fold` has a copy on each node, and a batch uses one node. The row is
 * therefore changed after the batch is committed, and no lane waits for the change. If a node does not respond, the
 * change is tried again until the process ends.
 *
 * If the process dies before it has lowered `through_day`, the sums of the day lack the settle until the day is summed
 * again. The next daily run sums the days of the last week again (usage-sums-by-day.ts). If the day is earlier than
 * that, `tollgate verify` reports the difference.
 */
import { withClient } from './connection.ts'

const againMs = 5_000

/**
 * SQL that lowers `through_day`. The SQL also drops sums of spending that include the day. On a database with one node,
 * a trigger drops these sums.
 */
const lowerText = `UPDATE usage_fold SET through_day = $1::int8 - 1, spending_begun = spending_begun + 1,
  spending_set = CASE WHEN spending_day < $1 THEN spending_set ELSE 0 END,
  spending_day = CASE WHEN spending_day < $1 THEN spending_day ELSE -1 END
  WHERE id = 1 AND through_day >= $1`

export class LateDays {
  readonly #url: string
  /** The earliest day that must still be marked, because its stored sums lack a settle. Null if no such day remains. */
  #earliest: number | null = null
  /** The latest day of a late settle. */
  #latest = -Infinity
  #running: Promise<void> | null = null
  #retry: NodeJS.Timeout | null = null
  #isClosed = false

  constructor(url: string) {
    this.#url = url
  }

  /** Call this function after the commit of a batch that changed the sums of this day. */
  add(day: number): void {
    this.#earliest = Math.min(day, this.#earliest ?? day)
    this.#latest = Math.max(day, this.#latest)
    this.#running ??= this.#run()
  }

  /**
   * If this day must be marked, waits until the process has tried to mark it. Later reports then include the late
   * settle.
   */
  async tried(day: number): Promise<void> {
    if (day <= this.#latest) await this.#running
  }

  async close(): Promise<void> {
    this.#isClosed = true
    if (this.#retry !== null) clearTimeout(this.#retry)
    await this.#running
  }

  async #run(): Promise<void> {
    while (this.#earliest !== null) {
      const day = this.#earliest
      this.#earliest = null
      try {
        // oxlint-disable-next-line no-await-in-loop -- days that were added meanwhile follow
        await withClient({ url: this.#url, access: 'write' }, (client) => client.query(lowerText, [day]))
      } catch {
        this.#earliest = Math.min(day, this.#earliest ?? day)
        break
      }
    }
    this.#running = null
    if (this.#earliest !== null && !this.#isClosed) this.#retryLater()
  }

  #retryLater(): void {
    this.#retry = setTimeout(() => {
      this.#running ??= this.#run()
    }, againMs)
    this.#retry.unref()
  }
}
