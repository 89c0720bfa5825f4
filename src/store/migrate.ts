/** Implements `migrate` and `migrate --check` for a store of either engine that no server uses. */
import { existsSync, mkdirSync } from 'node:fs'
import { withClient } from '#store/postgres/connection.ts'
import { withConnection } from '#store/sqlite/connection.ts'
import { lockFolder } from '#store/sqlite/data-folder-lock.ts'
import { sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { type Migration, migrationsFor } from '#store/migrations/list-and-load-migrations.ts'
import { migrateSqlite, pendingInSqlite } from '#store/sqlite/migrate.ts'
import { migratePostgres, pendingInPostgres } from '#store/postgres/migrate.ts'

type Place =
  | { readonly engine: 'sqlite'; readonly folder: string }
  | { readonly engine: 'postgres'; readonly url: string }

/**
 * Changes nothing.
 * @throws if the store is newer than this program, or is not a store
 */
export async function pendingAt(place: Place): Promise<readonly Migration[]> {
  if (place.engine === 'postgres') {
    return withClient({ url: place.url, access: 'read', isPatient: true }, (client) =>
      pendingInPostgres(client),
    )
  }
  const path = sqlitePath(place.folder)
  if (!existsSync(path)) return migrationsFor('sqlite')
  return withConnection(path, 'read', (connection) => pendingInSqlite(connection))
}

/** Changes nothing if the store is already migrated. @throws if a server uses the folder of an embedded store */
export async function migrateStoreAt(place: Place): Promise<void> {
  if (place.engine === 'postgres') {
    return withClient({ url: place.url, access: 'write', isPatient: true }, (client) =>
      migratePostgres(client),
    )
  }
  mkdirSync(place.folder, { recursive: true, mode: 0o700 })
  const unlock = lockFolder(place.folder)
  try {
    await withConnection(sqlitePath(place.folder), 'write', (connection) => migrateSqlite(connection))
  } finally {
    unlock()
  }
}
