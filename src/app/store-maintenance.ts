import { join } from 'node:path'
import { findMasterKey, masterKeyFile } from '#domain/secrets/master-key.ts'
import { copyToPostgres, type CopiedTable } from '#store/copy-to-postgres.ts'
import { type BackupFile, backupSqlite, restoreSqlite } from '#store/sqlite/backup-and-restore.ts'
import { pathOfExistingStore } from '#store/sqlite/open-sqlite-store.ts'
import { verifySqlite } from '#store/sqlite/verify.ts'
import { migrateStoreAt, pendingAt } from '#store/migrate.ts'
import type { Verification } from '#store/ledger/verify/store-snapshot-interface.ts'
import type { Told } from '#store/ledger/verify/verify.ts'
import { rebalanceShards } from '#store/postgres/rebalance.ts'
import { applyScale, planScale, type ScaleOptions } from '#store/postgres/plan-or-apply-distribution.ts'
import { verifyPostgres } from '#store/postgres/verify.ts'
import { type Pruned, prunePostgres, pruneSqlite } from '#store/prune-uncharged-calls.ts'
import type { StoreLocation } from './store-location.ts'

export async function pendingMigrations(location: StoreLocation): Promise<readonly string[]> {
  return (await pendingAt(location)).map(({ name, version }) => `${version} ${name}`)
}

/** @throws if a server uses the folder of an embedded store */
export function migrateStore(location: StoreLocation): Promise<void> {
  return migrateStoreAt(location)
}

/** @throws if there is no store that can be read */
export async function verifyStore(location: StoreLocation, told?: Told): Promise<Verification[]> {
  return location.engine === 'postgres'
    ? verifyPostgres(location.url, told)
    : verifySqlite(pathOfExistingStore(location.folder), told)
}

/** @param masterKey the text of TOLLGATE_MASTER_KEY; null means to use the key in the folder */
export async function backupStore(
  folder: string,
  file: string,
  masterKey: string | null,
): Promise<BackupFile> {
  // Check this first, because a folder without a store has no master key either.
  pathOfExistingStore(folder)
  const ring = findMasterKey(folder, masterKey)
  if (ring === null) {
    throw new Error(
      `the master key that seals the backup is missing. Copy it to ${join(folder, masterKeyFile)}, or set it in TOLLGATE_MASTER_KEY`,
    )
  }
  return backupSqlite(folder, file, ring)
}

export interface Restored {
  /** New path of the old store. Null if the folder contained no store. */
  readonly aside: string | null
  /** Without the right master key, provider credentials cannot be decrypted. */
  readonly hasMasterKey: boolean
}

export async function restoreStore(options: {
  readonly file: string
  readonly folder: string
  readonly replaces: boolean
  /** Null means to use the key in the folder. */
  readonly masterKey: string | null
  /** Whether the file is accepted although its signature is not checked. */
  readonly isTrusted: boolean
}): Promise<Restored> {
  const ring = findMasterKey(options.folder, options.masterKey)
  const aside = await restoreSqlite({ ...options, ring, nowMs: Date.now() })
  return { aside, hasMasterKey: ring !== null }
}

export function copyStore(options: {
  readonly folder: string
  readonly url: string
  readonly told: (table: CopiedTable) => void
}): Promise<CopiedTable[]> {
  return copyToPostgres({ ...options, nowMs: Date.now })
}

export function pruneStore(location: StoreLocation, beforeMs: number): Promise<Pruned> {
  return location.engine === 'postgres'
    ? prunePostgres(location.url, beforeMs)
    : pruneSqlite(location.folder, beforeMs)
}

/** @throws if the database is not a PostgreSQL database with Citus */
export function scaleSteps(location: StoreLocation, options: Omit<ScaleOptions, 'url'>): Promise<string[]> {
  return planScale({ ...options, url: distributable(location) })
}

export function scaleStore(
  location: StoreLocation,
  options: Omit<ScaleOptions, 'url'>,
  told: (step: string) => void,
): Promise<void> {
  return applyScale({ ...options, url: distributable(location) }, told)
}

export function rebalanceStore(
  location: StoreLocation,
  options: Pick<ScaleOptions, 'role'>,
  told: (step: string) => void,
): Promise<void> {
  return rebalanceShards({ ...options, url: distributable(location) }, told)
}

function distributable(location: StoreLocation): string {
  if (location.engine === 'postgres') return location.url
  throw new Error('only PostgreSQL can be distributed: set DATABASE_URL to the coordinator')
}
