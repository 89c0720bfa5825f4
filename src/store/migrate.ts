/** `migrate` and `migrate --check` on a store of either engine that no one has opened. */
import { existsSync, mkdirSync } from 'node:fs'
import { close, connect } from '#store/postgres/connection.ts'
import { openConnection } from '#store/sqlite/connection.ts'
import { lockFolder } from '#store/sqlite/lock.ts'
import { sqlitePath } from '#store/sqlite/engine.ts'
import { type Migration, migrationsFor } from '#store/migrations/list.ts'
import { migrateSqlite, pendingInSqlite } from '#store/sqlite/migrate.ts'
import { migratePostgres, pendingMigrations } from '#store/postgres/migrate.ts'

type Place =
  | { readonly engine: 'sqlite'; readonly folder: string }
  | { readonly engine: 'postgres'; readonly url: string }

/** What the store lacks, in order; it is not changed. @throws when it is newer than this program, or no store */
export async function pendingAt(place: Place): Promise<readonly Migration[]> {
  if (place.engine === 'sqlite') {
    const path = sqlitePath(place.folder)
    if (!existsSync(path)) return migrationsFor('sqlite')
    const connection = openConnection(path, 'read')
    try {
      return pendingInSqlite(connection)
    } finally {
      connection.close()
    }
  }
  const client = await connect({ url: place.url, access: 'read', isPatient: true })
  try {
    return await pendingMigrations(client)
  } finally {
    close(client)
  }
}

/** Repeating it changes nothing. @throws when a server uses the folder of an embedded store */
export async function migrateStoreAt(place: Place): Promise<void> {
  if (place.engine === 'sqlite') {
    mkdirSync(place.folder, { recursive: true, mode: 0o700 })
    const unlock = lockFolder(place.folder)
    try {
      const connection = openConnection(sqlitePath(place.folder), 'write')
      try {
        migrateSqlite(connection)
      } finally {
        connection.close()
      }
    } finally {
      unlock()
    }
    return
  }
  const client = await connect({ url: place.url, access: 'write', isPatient: true })
  try {
    await migratePostgres(client)
  } finally {
    close(client)
  }
}
