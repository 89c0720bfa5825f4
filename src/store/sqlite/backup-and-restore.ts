import assert from 'node:assert/strict'
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import type { KeyRing } from '#domain/secrets/encrypt-stored-secrets.ts'
import { assertSound } from '#store/ledger/verify/verify.ts'
import { migrateSqlite } from './migrate.ts'
import { verifySqlite } from './verify.ts'
import { sealBackup, unsealBackup } from './backup-seal.ts'
import { scalar, withConnection } from './connection.ts'
import { lockFolder } from './data-folder-lock.ts'
import { schemaDifference } from './schema-difference.ts'
import { pathOfExistingStore, sqlitePath } from './open-sqlite-store.ts'

export interface BackupFile {
  readonly bytes: number
  readonly callsInFlight: number
}

/**
 * Writes everything that was committed when the backup began. The server continues during the backup. The file is
 * verified before it gets its final name. The master key seals the file and is not part of it (backup-seal.ts).
 * @throws if the file exists, or if the verification of the copy finds a difference
 */
export async function backupSqlite(folder: string, file: string, ring: KeyRing): Promise<BackupFile> {
  const path = pathOfExistingStore(folder)
  if (existsSync(file))
    throw new Error(`${file} already exists, and a backup never replaces a file. Name another file`)
  if (!existsSync(dirname(file))) throw new Error(`the folder ${dirname(file)} does not exist`)
  const partial = `${file}.partial`
  rmSync(partial, { force: true })
  // SQLite would create a file that other users of the machine can read.
  closeSync(openSync(partial, 'wx', 0o600))
  try {
    await withConnection(path, 'read', async (connection) => {
      // Copy all pages in one step and one read transaction. Otherwise the server's writes would restart the backup
      // again and again (sqlite.org/backup.html, "If another thread or process were to modify the database").
      connection.exec('BEGIN')
      scalar(connection, 'SELECT count(*) FROM sqlite_schema')
      await backup(connection, partial, { rate: pagesInOneStep })
    })
    const found = asOneFile(partial)
    assertSound('The copy failed its checks, so the store itself has errors', await verifySqlite(partial))
    sealBackup(partial, ring)
    makeDurable(partial)
    renameSync(partial, file)
    makeDurable(dirname(file))
    return found
  } finally {
    removeFile(partial)
  }
}

/** The largest C int, more than the pages of any file. */
const pagesInOneStep = 0x7fff_ffff

export interface RestoreOptions {
  readonly file: string
  readonly folder: string
  /** Whether to rename an existing store. If false, an existing store makes the restore fail. */
  readonly replaces: boolean
  /** Null if there is no master key. */
  readonly ring: KeyRing | null
  /** Whether to skip the check of the seal, because the master key is lost. */
  readonly isTrusted: boolean
  readonly nowMs: number
  /** For tests: called before the new store is moved to its place. */
  readonly step?: () => void
}

/**
 * Restores a backup into the server's folder: checks its seal and schema, migrates and verifies it, and moves it into
 * place. An interruption leaves either the old store or the new store. Sessions, links and device codes in the backup
 * are deleted, because they may have been revoked after the backup.
 * @returns the new path of the old store; null if no store existed
 * @throws if a server uses the folder, or if the file is not a valid store
 */
export async function restoreSqlite({
  file,
  folder,
  nowMs,
  replaces,
  ring,
  isTrusted,
  step,
}: RestoreOptions): Promise<string | null> {
  if (!existsSync(file)) throw new Error(`the file ${file} does not exist`)
  if (!statSync(file).isFile()) throw new Error(`${file} is not a file`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const unlock = lockFolder(folder)
  const path = sqlitePath(folder)
  const incoming = join(folder, 'restoring.db')
  try {
    const isThere = existsSync(path)
    if (isThere && !replaces) {
      throw new Error(`The folder ${folder} already contains a store. Add --replace to rename it and keep it`)
    }
    removeFile(incoming)
    copyFileSync(file, incoming)
    chmodSync(incoming, 0o600)
    unsealBackup(incoming, { ring, isTrusted, shown: file })
    await assertSchema(incoming, file)
    await withConnection(incoming, 'write', (connection) => migrateSqlite(connection))
    await withConnection(incoming, 'write', endOpenAccess)
    asOneFile(incoming)
    assertSound(`${file} failed its checks`, await verifySqlite(incoming))
    makeDurable(incoming)
    const aside = isThere ? putAside(folder, nowMs) : null
    step?.()
    renameSync(incoming, path)
    makeDurable(folder)
    return aside
  } finally {
    removeFile(incoming)
    unlock()
  }
}

/** Ends access that may have been revoked since the backup: sessions, links and device codes. */
function endOpenAccess(connection: DatabaseSync): void {
  connection.exec(`
    DELETE FROM member_sessions;
    DELETE FROM portal_sessions;
    DELETE FROM portal_links;
    DELETE FROM setup_links;
    DELETE FROM device_sign_ins;
    UPDATE members SET invite_hash = NULL, invite_expires_at_ms = NULL WHERE invite_hash IS NOT NULL;
  `)
}

/**
 * Rejects unexpected tables, triggers and views. Call this function before any other SQL statement on the file, because
 * a statement could run an added trigger or view.
 */
async function assertSchema(path: string, file: string): Promise<void> {
  let difference: string | null
  try {
    difference = await withConnection(path, 'read', schemaDifference)
  } catch (cause) {
    throw new Error(`${file} cannot be restored`, { cause })
  }
  if (difference !== null) throw new Error(`the schema of ${file} is not as expected: ${difference}`)
}

/** Merges the write-ahead log, so that the file alone is the whole backup. */
function asOneFile(path: string): BackupFile {
  const connection = new DatabaseSync(path)
  try {
    const mode = scalar(connection, 'PRAGMA journal_mode = DELETE')
    assert.equal(mode, 'delete', 'SQLite did not apply the setting journal_mode = DELETE')
    return {
      bytes: Number(scalar(connection, 'PRAGMA page_count')) * Number(scalar(connection, 'PRAGMA page_size')),
      callsInFlight: Number(scalar(connection, 'SELECT count(*) FROM holds')),
    }
  } finally {
    connection.close()
  }
}

/**
 * Gives the old store a second name. The old store also keeps its name until the new store replaces it, so that an
 * interruption leaves a store. A write-ahead log cannot be replaced in the same step, so its commits are first written
 * to the file. If they cannot be written, for example because the old store is damaged, the old store is moved.
 */
function putAside(folder: string, nowMs: number): string {
  const name = `tollgate-before-restore-${new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d+/g, '')}.db`
  const aside = join(folder, name)
  if (existsSync(aside)) throw new Error(`${aside} already exists`)
  const path = sqlitePath(folder)
  if (isMerged(path)) {
    try {
      linkSync(path, aside)
      makeDurable(folder)
      return aside
    } catch {
      // Some file systems allow only one name per file.
    }
  }
  for (const part of ['-wal', '-shm', '']) {
    const from = `${path}${part}`
    if (existsSync(from)) renameSync(from, `${aside}${part}`)
  }
  return aside
}

/** Whether the file alone is the whole store, after an attempt to merge its write-ahead log. */
function isMerged(path: string): boolean {
  try {
    asOneFile(path)
  } catch {
    return false
  }
  return !existsSync(`${path}-wal`)
}

function removeFile(path: string): void {
  for (const part of ['', '-wal', '-shm', '-journal']) rmSync(`${path}${part}`, { force: true })
}

/** Syncs a file, or the directory entries of a folder, to disk. */
function makeDurable(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
