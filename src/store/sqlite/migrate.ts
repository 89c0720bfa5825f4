import type { DatabaseSync } from 'node:sqlite'
import { assertNotNewer, type Migration, migrationsFor } from '#store/migrations/list-and-load-migrations.ts'
import { applicationId, scalar } from './connection.ts'
import { hasWaiting, nextCycle, writeWaiting } from './buffered-balances.ts'

/** Changes nothing if the file is already migrated. */
export function migrateSqlite(connection: DatabaseSync, migrations = migrationsFor('sqlite')): void {
  const current = schemaVersion(connection, migrations)
  for (const { version, name, sql } of migrations.slice(current)) {
    connection.exec('BEGIN IMMEDIATE')
    try {
      writeSlotsOfSources(connection)
      connection.exec(sql)
      connection.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}`)
      connection.exec('COMMIT')
    } catch (error) {
      if (connection.isTransaction) connection.exec('ROLLBACK')
      throw new Error(`migrate the store to version ${version} (${name})`, { cause: error })
    }
  }
}

/** A crash may have left figures in slots, but a migration reads only the rows of the tables. */
function writeSlotsOfSources(connection: DatabaseSync): void {
  const tables = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'source_slots'"
  if (scalar(connection, tables) === 0 || scalar(connection, hasWaiting) === 0) return
  for (const sql of writeWaiting) connection.exec(sql)
  connection.exec(nextCycle)
}

/** Changes nothing. @throws if `migrateSqlite` would throw */
export function pendingInSqlite(
  connection: DatabaseSync,
  migrations = migrationsFor('sqlite'),
): readonly Migration[] {
  return migrations.slice(schemaVersion(connection, migrations))
}

/**
 * Call this function before reading rows. The function throws unless the file has exactly the version that this program
 * knows.
 */
export function assertMigrated(connection: DatabaseSync, migrations = migrationsFor('sqlite')): void {
  const current = schemaVersion(connection, migrations)
  if (current === migrations.length) return
  throw new Error(
    `The store has version ${current}, and this program requires version ${migrations.length}. Start the server once, or run tollgate migrate`,
  )
}

function schemaVersion(connection: DatabaseSync, migrations: readonly Migration[]): number {
  const version = Number(scalar(connection, 'PRAGMA user_version'))
  const owner = Number(scalar(connection, 'PRAGMA application_id'))
  const isEmpty = scalar(connection, 'SELECT count(*) FROM sqlite_schema') === 0
  if (owner !== applicationId && !isEmpty) {
    throw new Error('The database file was created by another program. Use another data folder')
  }
  assertNotNewer(version, migrations)
  return version
}
