import { openConnection } from '#store/sqlite/connection.ts'
import { sqlitePath } from '#store/sqlite/engine.ts'
import { connect, poolOf } from '#store/postgres/connection.ts'
import { migrateStoreAt } from '#store/migrate.ts'
import { Months } from '#store/postgres/partitions.ts'
import { monthsOf, seedStatements, type SeedSize } from './statements.ts'

/** Fills an empty embedded store that no server uses. */
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

/** Fills an empty PostgreSQL database. */
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
    // Afterwards, the tables are in the same state as after autovacuum.
    await client.query('VACUUM ANALYZE')
  } finally {
    await client.end()
  }
}
