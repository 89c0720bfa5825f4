/**
 * Stores quotes before the batches that use them. Several end users share a quote, but every other row of a batch
 * belongs to one end user. A batch that writes only rows of its own end users never waits for other batches. A
 * distributed database commits the batch on one node. If the batch then fails, the stored quote is harmless. Its ID is
 * a hash of its content, and no hold refers to it.
 */
import type { Pool } from 'pg'
import type { Quote } from '#money/decision-types.ts'
import { quoteRow, type RowValue } from '#store/ledger/rows-that-batch-inserts.ts'
import { postgresError } from './classify-postgres-errors.ts'

/** Beyond this number, all quotes are dropped from memory. Storing a dropped quote again changes nothing. */
const quotesMax = 20_000

/** Insert quotes in the order of their IDs, so that two processes that store the same quotes never deadlock. */
const storeText = `INSERT INTO quotes (${quoteRow.columns.replace(' ', ', ')})
  SELECT * FROM unnest($1::text[], $2::text[]) AS w(id, body) ORDER BY w.id ${quoteRow.onConflict}`

export class StoredQuotes {
  readonly #pool: Pick<Pool, 'query'>
  readonly #isDistributed: boolean
  readonly #quotes = new Map<string, Quote>()

  constructor(pool: Pick<Pool, 'query'>, isDistributed: boolean) {
    this.#pool = pool
    this.#isDistributed = isDistributed
  }

  /** Undefined if the quote is not in memory. */
  get(id: string): Quote | undefined {
    return this.#quotes.get(id)
  }

  /**
   * Storing a quote again changes nothing.
   * @param rows the values in the order of `quoteRow`
   * @throws PostgresError
   */
  async store(rows: readonly RowValue[][]): Promise<void> {
    try {
      const missing = this.#isDistributed ? await this.#missing(rows) : rows
      if (missing.length === 0) return
      await this.#pool.query(storeText, [missing.map(([id]) => id), missing.map(([, body]) => body)])
    } catch (cause) {
      throw postgresError(cause)
    }
  }

  keep(quotes: Iterable<Quote>): void {
    if (this.#quotes.size > quotesMax) this.#quotes.clear()
    for (const quote of quotes) this.#quotes.set(quote.id, quote)
  }

  /**
   * Returns the rows of quotes that are not stored yet. On a distributed database, storing a quote needs every node,
   * but reading a quote needs only the coordinator. While a node does not respond, stored quotes can therefore still be
   * used.
   */
  async #missing(rows: readonly RowValue[][]): Promise<readonly RowValue[][]> {
    const stored = await this.#pool.query<{ id: string }>(
      'SELECT id FROM quotes WHERE id = ANY($1::text[])',
      [rows.map(([id]) => id)],
    )
    const ids = new Set(stored.rows.map(({ id }) => id))
    return rows.filter(([id]) => !ids.has(String(id)))
  }
}
