/** What an operator does with a store as a whole, behind the commands of that name. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { masterKeyFile } from '#domain/master-key.ts'
import { copyToPostgres, type CopiedTable } from '#store/copy.ts'
import { type BackupFile, backupSqlite, restoreSqlite } from '#store/engines/sqlite-backup.ts'
import { migrateStoreAt, pendingAt } from '#store/migrate-store.ts'
import { type Pruned, prunePostgres, pruneSqlite } from '#store/prune.ts'
import type { StorePlace } from './store-place.ts'

/** Names of the migrations that the store lacks, in order. */
export async function pendingMigrationsOf(place: StorePlace): Promise<readonly string[]> {
  return (await pendingAt(place)).map(({ name, version }) => `${version} ${name}`)
}

/** Applies what is pending. @throws when a server uses the folder of an embedded store */
export function migrateStore(place: StorePlace): Promise<void> {
  return migrateStoreAt(place)
}

export function backupStore(folder: string, file: string): Promise<BackupFile> {
  return backupSqlite(folder, file)
}

export interface Restored {
  /** Where the store of before is now; null: there was none. */
  readonly aside: string | null
  /** False: no master key lies in the folder, and without the right one provider credentials stay closed. */
  readonly hasMasterKey: boolean
}

export async function restoreStore(options: {
  readonly file: string
  readonly folder: string
  readonly replaces: boolean
}): Promise<Restored> {
  const aside = await restoreSqlite({ ...options, nowMs: Date.now() })
  return { aside, hasMasterKey: existsSync(join(options.folder, masterKeyFile)) }
}

export function copyStore(options: {
  readonly folder: string
  readonly url: string
  readonly told: (table: CopiedTable) => void
}): Promise<CopiedTable[]> {
  return copyToPostgres({ ...options, nowMs: Date.now })
}

/** Takes away records of calls before that time that were charged nothing. */
export function pruneStore(place: StorePlace, beforeMs: number): Promise<Pruned> {
  return place.engine === 'postgres'
    ? prunePostgres(place.url, beforeMs)
    : pruneSqlite(place.folder, beforeMs)
}
