/**
 * Deletes old records of calls that were not charged (`requests`). The ledger never reads these records. Charged calls
 * are kept, so that every charge can be explained.
 */
import { suffixFloor } from '#domain/ids-sorted-by-time.ts'
import { isDistributed } from '#store/postgres/citus-cluster.ts'
import { withClient } from '#store/postgres/connection.ts'
import { withConnection } from '#store/sqlite/connection.ts'
import { pathOfExistingStore } from '#store/sqlite/open-sqlite-store.ts'
import { assertMigrated } from '#store/sqlite/migrate.ts'
import { assertMigratedPostgres } from '#store/postgres/migrate.ts'
import { monthStartsAtMs } from '#store/postgres/monthly-partitions.ts'

export interface Pruned {
  readonly rows: number
  /** Months whose partitions were dropped as a whole. PostgreSQL only. */
  readonly months: readonly string[]
}

/** Number of rows per step. On the embedded store, the ledger waits for at most one step, a few milliseconds. */
const rowsAtOnce = 2_000

/**
 * Can run alongside a server, because each step is a short transaction. An interruption keeps the rows that were not
 * deleted yet.
 */
export async function pruneSqlite(folder: string, beforeMs: number): Promise<Pruned> {
  return withConnection(pathOfExistingStore(folder), 'write', async (connection) => {
    assertMigrated(connection)
    const step = connection.prepare(
      `DELETE FROM requests WHERE rowid IN (SELECT rowid FROM requests WHERE call_id < ? LIMIT ${rowsAtOnce})`,
    )
    let rows = 0
    for (;;) {
      const changes = Number(step.run(suffixFloor(beforeMs)).changes)
      rows += changes
      if (changes < rowsAtOnce) return { rows, months: [] }
      // Let the server do other work.
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  })
}

/**
 * Marks the tables that `prunePostgres` detaches. After an interruption, the next run finds and drops these tables. A
 * month that an operator detached has no such mark and is kept.
 */
const mark = 'tollgate prune drops this table'

/**
 * Drops whole months before the limit, which costs little. Then deletes the older rows of the limit's own month. After
 * an interruption, the next run continues.
 * @param step for tests: called before each detached month is dropped
 */
export async function prunePostgres(url: string, beforeMs: number, step?: () => void): Promise<Pruned> {
  return withClient({ url, access: 'write', isPatient: true }, async (client) => {
    await assertMigratedPostgres(client)
    const isOnNodes = await isDistributed(client)
    const tables = await client.query<{ name: string; state: 'attached' | 'pending' | 'detached' }>(
      `SELECT c.relname AS name, CASE WHEN i.inhrelid IS NULL THEN 'detached'
         WHEN i.inhdetachpending THEN 'pending' ELSE 'attached' END AS state
       FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid AND i.inhparent = 'requests'::regclass
       WHERE i.inhrelid IS NOT NULL
         OR (c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'requests'::regclass)
           AND c.relkind = 'r' AND NOT c.relispartition AND obj_description(c.oid, 'pg_class') = $1)
       ORDER BY 1`,
      [mark],
    )
    const months: string[] = []
    let rows = 0
    for (const { name, state } of tables.rows) {
      const endsAtMs = endOf(name)
      if (endsAtMs === null || (endsAtMs > beforeMs && state === 'attached')) continue
      const counted = await client.query<{ n: bigint }>(`SELECT count(*) AS n FROM ${name}`)
      rows += Number(counted.rows[0]?.n ?? 0)
      if (state === 'pending') await client.query(`ALTER TABLE requests DETACH PARTITION ${name} FINALIZE`)
      else if (state === 'attached') {
        if (!isOnNodes) await client.query(`COMMENT ON TABLE ${name} IS '${mark}'`)
        // With CONCURRENTLY, readers continue. Otherwise DETACH waits for readers, and all other queries wait for
        // DETACH. Citus does not support CONCURRENTLY.
        await client.query(`ALTER TABLE requests DETACH PARTITION ${name} ${isOnNodes ? '' : 'CONCURRENTLY'}`)
      }
      step?.()
      await client.query(`DROP TABLE ${name}`)
      months.push(name)
    }
    for (;;) {
      const { rowCount } = await client.query(
        `DELETE FROM requests WHERE (application_id, call_id) IN (
           SELECT application_id, call_id FROM requests WHERE call_id < $1 LIMIT ${rowsAtOnce})
         AND call_id < $1`,
        [suffixFloor(beforeMs)],
      )
      rows += rowCount ?? 0
      if ((rowCount ?? 0) < rowsAtOnce) return { rows, months }
    }
  })
}

/**
 * Returns the end of the month: the start of December for `requests_2026_11`. Null if the program did not create the
 * partition.
 */
function endOf(partition: string): number | null {
  const groups = /^requests_(?<year>\d{4})_(?<month>\d{2})$/.exec(partition)?.groups
  if (groups === undefined) return null
  return monthStartsAtMs((Number(groups.year) - 1970) * 12 + Number(groups.month))
}
