/**
 * The monthly partitions of `ledger`, `usage_records` and `requests` on PostgreSQL. They are made ahead, and
 * for a batch of any other time (a late settle, a clock that was set) before it is tried: there is no default
 * partition.
 */
import type { Client, Pool } from 'pg'
import { suffixFloor } from '#domain/id.ts'

const aheadMonths = 3

/** One process at a time makes partitions. The first number is `toll` in bytes. */
const partitionLock = [0x746f_6c6c, 2] as const

/** A table and the bounds of its months: times, or ids of calls, which begin with their time. */
const tables = [
  { table: 'ledger', boundAt: (ms: number) => String(ms) },
  { table: 'usage_records', boundAt: (ms: number) => `'${suffixFloor(ms)}'` },
  { table: 'requests', boundAt: (ms: number) => `'${suffixFloor(ms)}'` },
] as const

/** Months since 1970, UTC. */
export function monthOf(ms: number): number {
  const date = new Date(ms)
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()
}

export function monthStartsAtMs(month: number): number {
  return Date.UTC(1970, month)
}

/** The months whose partitions this process knows. */
export class Months {
  readonly #pool: Pool
  readonly #known = new Set<number>()

  constructor(pool: Pool) {
    this.#pool = pool
  }

  isThere(month: number): boolean {
    return this.#known.has(month)
  }

  /** Makes this month and the next ones. */
  ahead(nowMs: number): Promise<void> {
    const now = monthOf(nowMs)
    return this.make(Array.from({ length: 1 + aheadMonths }, (_, i) => now + i))
  }

  async make(months: Iterable<number>): Promise<void> {
    const missing = [...new Set(months)].filter((month) => !this.#known.has(month))
    if (missing.length === 0) return
    const client = await this.#pool.connect()
    try {
      await client.query(`BEGIN; SELECT pg_advisory_xact_lock(${partitionLock.join(', ')})`)
      // oxlint-disable-next-line no-await-in-loop -- one connection
      for (const month of missing) await makeMonth(client, month)
      await client.query('COMMIT')
    } catch (error) {
      client.release(true)
      throw error
    }
    client.release()
    for (const month of missing) this.#known.add(month)
  }

  /** Call after a row found no partition: one was removed. */
  forget(): void {
    this.#known.clear()
  }
}

/**
 * ATTACH rather than CREATE ... PARTITION OF: that one would wait for every query on the table, and all later
 * queries for it (postgresql.org/docs/current/sql-altertable.html, ATTACH PARTITION).
 */
async function makeMonth(client: Pick<Client, 'query'>, month: number): Promise<void> {
  const start = monthStartsAtMs(month)
  const end = monthStartsAtMs(month + 1)
  const suffix = new Date(start).toISOString().slice(0, 7).replace('-', '_')
  for (const { boundAt, table } of tables) {
    const partition = `${table}_${suffix}`
    // oxlint-disable-next-line no-await-in-loop -- one connection
    const { rows } = await client.query(`SELECT to_regclass('${partition}') AS there`)
    if (rows[0]?.there !== null) continue
    // oxlint-disable-next-line no-await-in-loop -- one connection
    await client.query(
      `CREATE TABLE ${partition} (LIKE ${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS);
       ALTER TABLE ${table} ATTACH PARTITION ${partition} FOR VALUES FROM (${boundAt(start)}) TO (${boundAt(end)})`,
    )
  }
}
