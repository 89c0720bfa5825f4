import { openConnection } from '#store/sqlite/connection.ts'
import { openSqlite, sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { isDistributed as isOnNodes } from '#store/postgres/citus-cluster.ts'
import { connect, poolOf, withClient } from '#store/postgres/connection.ts'
import { migrateStoreAt } from '#store/migrate.ts'
import { PostgresDatabase } from '#store/postgres/database.ts'
import { foldCallHours } from '#store/call-sums-by-hour.ts'
import { foldSpending } from '#store/sum-spending-of-keys.ts'
import { foldUsageDays } from '#store/usage-sums-by-day.ts'
import type { Database } from '#store/sql/database-interface.ts'
import { Months } from '#store/postgres/monthly-partitions.ts'
import { monthsOf, seedStatements, type SeedSize } from './sql-that-fills-store.ts'

/** The store must be empty, and no server may use it. */
export async function seedSqlite(folder: string, size: SeedSize): Promise<void> {
  await migrateStoreAt({ engine: 'sqlite', folder })
  const connection = openConnection(sqlitePath(folder), 'write')
  try {
    connection.exec('BEGIN')
    for (const statement of seedStatements(size)) connection.exec(statement)
    connection.exec('UPDATE writer_slots SET ledger_sequence = (SELECT max(sequence) FROM ledger)')
    connection.exec('COMMIT')
    connection.exec('ANALYZE')
  } finally {
    connection.close()
  }
}

/** The background jobs of a server compute the same totals. */
export async function sumSqlite(folder: string, nowMs: number): Promise<void> {
  const store = await openSqlite({
    folder,
    nowMs: () => nowMs,
    onFatal: (error) => {
      throw error
    },
  })
  await sumUp(store.database, nowMs)
  await store.close()
}

/** The database may be distributed. */
export async function sumPostgres(url: string, nowMs: number): Promise<void> {
  const pools = [poolOf({ url, access: 'read' }, 2), poolOf({ url, access: 'write' }, 1)] as const
  const [readers, writers] = pools
  const isDistributed = await withClient({ url, access: 'read' }, isOnNodes)
  await sumUp(new PostgresDatabase(readers, writers, { isDistributed }), nowMs)
  for (const pool of pools) await pool.end()
}

async function sumUp(database: Database, nowMs: number): Promise<void> {
  await foldUsageDays(database, nowMs)
  await foldSpending(database)
  await foldCallHours(database, nowMs)
}

export async function seedPostgres(url: string, size: SeedSize): Promise<void> {
  await migrateStoreAt({ engine: 'postgres', url })
  const pool = poolOf({ url, access: 'write' }, 1)
  await new Months(pool).make(monthsOf(size))
  await pool.end()
  const client = await connect({ url, access: 'write', isPatient: true })
  try {
    await client.query('BEGIN')
    for (const statement of seedStatements(size)) await client.query(statement)
    await client.query(`SELECT setval('ledger_sequence', (SELECT max(sequence) FROM ledger) + 1, false)`)
    await client.query('COMMIT')
    // Brings the tables into the state that autovacuum would leave.
    await client.query('VACUUM ANALYZE')
  } finally {
    await client.end()
  }
}
