/**
 * Marks days whose stored sums lack a settle, on a distributed database. A settle is missing from stored sums only if
 * it is days late. In this case, `usage_fold.through_day` must be lowered to the day before the settle's day
 * (usage-sums-by-day.ts). A batch uses one node, but every node has a copy of the row of `usage_fold`. The row is
 * therefore changed after the commit of the batch, and no lane waits for the change. If a node does not respond, the
 * change is tried again until the process ends.
 *
 * If the process dies first, the sums of the day lack the settle until the day is summed again. The next daily run sums
 * the last week again. For an earlier day, `tollgate verify` reports the difference.
 */
import { withClient } from './connection.ts'

const againMs = 5_000

/** Also drops the sums of spending that include the day. On a database with one node, a trigger drops these sums. */
const lowerText = `UPDATE usage_fold SET through_day = $1::int8 - 1, spending_begun = spending_begun + 1,
  spending_set = CASE WHEN spending_day < $1 THEN spending_set ELSE 0 END,
  spending_day = CASE WHEN spending_day < $1 THEN spending_day ELSE -1 END
  WHERE id = 1 AND through_day >= $1`

export class LateDays {
  readonly #url: string
  /** The earliest day that must still be marked. Null if no such day remains. */
  #earliest: number | null = null
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

  /** Waits until the process has tried to mark this day, so that later reports include the late settle. */
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
