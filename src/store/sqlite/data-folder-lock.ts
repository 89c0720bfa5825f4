import { chmodSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sqliteCode } from './classify-sqlite-errors.ts'

/**
 * Makes this process the only server of a data folder until the process ends. Opens an exclusive transaction on a
 * separate database file and never finishes it. The process thus has a kernel lock until it ends. Readers (`verify`,
 * backups, the sqlite3 tool) open the data file and are not affected.
 * @returns a function that releases the lock
 * @throws if another server has the lock, or if the folder is on a network file system. On a network file system, locks
 * and memory-mapped WAL indexes do not meet the needs of SQLite (sqlite.org/wal.html).
 */
export function lockFolder(folder: string): () => void {
  const network = networkFileSystems.get(statfsSync(folder).type)
  if (network !== undefined) {
    throw new Error(`The data folder ${folder} is on ${network}. The embedded store requires a local disk`)
  }
  const path = join(folder, 'server.lock')
  const connection = new DatabaseSync(path, { timeout: 0 })
  try {
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600)
    if (isFree(connection)) return () => connection.close()
    throw new Error(
      `Another Tollgate server is using the data folder ${folder}. Stop that server first, or use another folder`,
    )
  } catch (error) {
    connection.close()
    throw error
  }
}

/** Takes the lock if no other process has it. */
function isFree(connection: DatabaseSync): boolean {
  try {
    connection.exec('BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if (sqliteCode(error) !== 'busy') throw error
    return false
  }
}

const networkFileSystems: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
])
