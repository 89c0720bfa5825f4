/**
 * Partitions are created months before they are needed. A batch may contain rows of a month without a partition, after
 * a late settle or a clock change. The partition is then created first. There is no default partition, so rows of any
 * other month are rejected.
 */
import type { Client, Pool } from 'pg'
import { suffixFloor } from '#domain/ids-sorted-by-time.ts'

const aheadMonths = 3

/** Only one process at a time creates partitions. The first number of the lock is the text `toll` as bytes. */
const partitionLock = [0x746f_6c6c, 2] as const

/** The bounds of a month are times, or call IDs, which begin with their time. */
const tables = [
  { table: 'ledger', boundAt: (ms: number) => String(ms) },
  { table: 'usage_records', boundAt: suffixFloor },
  { table: 'requests', boundAt: suffixFloor },
] as const

/** Number of months since January 1970, UTC. */
export function monthOf(ms: number): number {
  const date = new Date(ms)
  return (date.getUTCFullYear() - 1970) * 12 + date.getUTCMonth()
}

export function monthStartsAtMs(month: number): number {
  return Date.UTC(1970, month)
}

export class Months {
  readonly #pool: Pool
  readonly #known = new Set<number>()

  constructor(pool: Pool) {
    this.#pool = pool
  }

  isThere(month: number): boolean {
    return this.#known.has(month)
  }

  ahead(nowMs: number): Promise<void> {
    const now = monthOf(nowMs)
    return this.make(Array.from({ length: 1 + aheadMonths }, (_, i) => now + i))
  }

  async make(months: Iterable<number>): Promise<void> {
    const missing = [...new Set(months)].filter((month) => !this.#known.has(month))
    if (missing.length === 0) return
    const client = await this.#pool.connect()
    try {
      await client.query('BEGIN')
      await client.query(`SELECT pg_advisory_xact_lock(${partitionLock.join(', ')})`)
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

  /** Call this function if no partition accepted a row, because a partition may have been removed. */
  forget(): void {
    this.#known.clear()
  }
}

/**
 * On a distributed database, servers may not create tables. This SQL function creates one partition with the rights of
 * the tables' owner (server-role.ts). Its arguments are the table, the partition, and both bounds.
 */
export const partitionFunction = 'add_partition(text, text, text, text)'

/** Attaches a new table, because CREATE TABLE with PARTITION OF would wait for every query on the table. */
export const partitionFunctionSql: readonly string[] = [
  // With pg_temp at the end, the function never uses a temporary table of its caller.
  `SELECT set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true)`,
  `CREATE FUNCTION add_partition(parent TEXT, partition TEXT, from_bound TEXT, to_bound TEXT) RETURNS void
     LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
     BEGIN
       IF parent NOT IN (${tables.map(({ table }) => `'${table}'`).join(', ')})
         OR partition !~ ('^' || parent || '_[0-9]{4,}_[0-9]{2}$')
       THEN RAISE EXCEPTION '% is not the name of a monthly partition', partition; END IF;
       EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', partition, parent);
       EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
         parent, partition, from_bound, to_bound);
     END $$`,
  `REVOKE EXECUTE ON FUNCTION ${partitionFunction} FROM PUBLIC`,
]

/**
 * Uses ATTACH, because CREATE TABLE with PARTITION OF would wait for every query on the table. All later queries would
 * wait for that statement (postgresql.org/docs/current/sql-altertable.html, ATTACH PARTITION).
 */
async function makeMonth(client: Pick<Client, 'query'>, month: number): Promise<void> {
  const start = monthStartsAtMs(month)
  const end = monthStartsAtMs(month + 1)
  const suffix = new Date(start).toISOString().slice(0, 7).replace('-', '_')
  for (const { boundAt, table } of tables) {
    const partition = `${table}_${suffix}`
    const bounds = [boundAt(start), boundAt(end)]
    // oxlint-disable-next-line no-await-in-loop -- one connection
    const { rows } = await client.query<{ there: string | null; adding: string | null }>(
      `SELECT to_regclass('${partition}') AS there, to_regprocedure('${partitionFunction}') AS adding`,
    )
    const [found] = rows
    if (found?.there !== null) continue
    if (found.adding !== null) {
      // oxlint-disable-next-line no-await-in-loop -- one connection
      await client.query('SELECT add_partition($1, $2, $3, $4)', [table, partition, ...bounds])
      continue
    }
    // oxlint-disable-next-line no-await-in-loop -- one connection
    await client.query(`CREATE TABLE ${partition} (LIKE ${table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`)
    const range = bounds.map((bound) => `('${bound}')`).join(' TO ')
    // oxlint-disable-next-line no-await-in-loop -- one connection
    await client.query(`ALTER TABLE ${table} ATTACH PARTITION ${partition} FOR VALUES FROM ${range}`)
  }
}
