import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { SqliteError, sqliteCode } from './classify-sqlite-errors.ts'

/**
 * Version 3.51.3 fixed the "WAL-reset bug" (sqlite.org/wal.html). With that bug, a checkpoint during a write could
 * corrupt a WAL database. In this program, checkpoints and writes often run at the same time.
 */
const versionMin = [3, 51, 3] as const

/** Maximum wait for a lock of another process. Only tools use the file at the same time as the server. */
const busyMsMax = 1_000

/**
 * The log grows to 16 MiB before a checkpoint. A page that many calls change is then written to the database file only
 * once.
 */
const walPagesMax = 4_000

const cacheKiB = 16_384

/** The text `TOLG` as a number, which identifies our files (pragma application_id). */
export const applicationId = 0x54_4f_4c_47

/**
 * Opens the file with every setting that durability depends on, and reads each setting back. SQLite reports no error
 * for a pragma that it does not know or cannot apply.
 */
export function openConnection(path: string, access: 'write' | 'read'): DatabaseSync {
  let connection: DatabaseSync
  try {
    connection = new DatabaseSync(path, {
      readOnly: access === 'read',
      timeout: busyMsMax,
      enableForeignKeyConstraints: true,
      enableDoubleQuotedStringLiterals: false,
      allowExtension: false,
    })
  } catch (error) {
    throw withPath(path, error)
  }
  try {
    assertVersion(connection)
    if (access === 'write') {
      setPragma(connection, 'journal_mode', 'WAL', 'wal')
      // Without FULL, the last commits before a power cut are lost (sqlite.org/pragma.html#pragma_synchronous).
      setPragma(connection, 'synchronous', 'FULL', 2)
      setPragma(connection, 'wal_autocheckpoint', String(walPagesMax), walPagesMax)
    }
    setPragma(connection, 'foreign_keys', 'ON', 1)
    setPragma(connection, 'cache_size', String(-cacheKiB), -cacheKiB)
    setPragma(connection, 'trusted_schema', 'OFF', 0)
    return connection
  } catch (error) {
    connection.close()
    throw withPath(path, error)
  }
}

/** SQLite's messages, such as `file is not a database`, do not name the file. */
function withPath(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || sqliteCode(error) !== 'refused') return error
  return new SqliteError('refused', `${path} cannot be opened as a store: ${error.message}`, { cause: error })
}

/** Opens a connection for one task, even a long task, and closes the connection afterwards. */
export async function withConnection<T>(
  path: string,
  access: 'write' | 'read',
  work: (connection: DatabaseSync) => T | Promise<T>,
): Promise<T> {
  const connection = openConnection(path, access)
  try {
    return await work(connection)
  } finally {
    connection.close()
  }
}

export function scalar(connection: DatabaseSync, sql: string): unknown {
  const row = connection.prepare(sql).get()
  return row === undefined ? undefined : Object.values(row)[0]
}

function setPragma(connection: DatabaseSync, name: string, value: string, expected: unknown): void {
  connection.exec(`PRAGMA ${name} = ${value}`)
  const actual = scalar(connection, `PRAGMA ${name}`)
  assert.equal(actual, expected, `SQLite did not apply the setting ${name} = ${value}`)
}

function assertVersion(connection: DatabaseSync): void {
  const text = String(scalar(connection, 'SELECT sqlite_version()'))
  if (!isNewEnough(text)) {
    throw new Error(
      `SQLite ${text} of Node.js ${process.versions.node} is too old. The embedded store requires ${versionMin.join('.')} or newer, which Node.js includes since 24.15. Install a newer Node.js, or use PostgreSQL (DATABASE_URL)`,
    )
  }
}

/** @param version a version such as `3.53.4`, as `sqlite_version()` returns it */
export function isNewEnough(version: string): boolean {
  const parts = version.split('.').map(Number)
  for (const [i, least] of versionMin.entries()) {
    const part = parts[i] ?? 0
    if (part !== least) return part > least
  }
  return true
}
