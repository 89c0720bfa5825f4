/**
 * Forward-only migrations. `NNNN-name.sql` is portable; `NNNN-name.<engine>.sql` beside it is what
 * only that engine has (triggers). Both belong to version NNNN and are one transaction with the
 * number that says they happened, so a start that was killed in the middle begins again cleanly.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { applicationId, scalar } from './engines/sqlite-connection.ts'

export interface Migration {
  readonly version: number
  readonly name: string
  readonly sql: string
}

const folder = new URL('./migrations/', import.meta.url)
const grammar = /^(?<version>\d{4})-(?<name>[a-z0-9-]+)(?:\.(?<engine>sqlite|postgres))?\.sql$/

/** Every migration of an engine, in order, without gaps. */
export function migrationsFor(engine: 'sqlite' | 'postgres', from: URL = folder): readonly Migration[] {
  const byVersion = new Map<number, { name: string; sql: string }>()
  // A portable file sorts before its engine's extras: `0001-a.sql` < `0001-a.sqlite.sql`.
  for (const file of readdirSync(from).toSorted()) {
    const groups = grammar.exec(file)?.groups
    assert(groups, `a migration is named NNNN-name.sql: ${file}`)
    if (groups.engine !== undefined && groups.engine !== engine) continue
    const version = Number(groups.version)
    const sql = readFileSync(new URL(file, from), 'utf8')
    const portable = byVersion.get(version)
    byVersion.set(version, {
      name: portable?.name ?? String(groups.name),
      sql: portable === undefined ? sql : `${portable.sql}\n${sql}`,
    })
  }
  const migrations = [...byVersion].map(([version, { name, sql }]) => ({ version, name, sql }))
  for (const [i, { version }] of migrations.entries()) assert.equal(version, i + 1, 'migrations have no gaps')
  return migrations
}

/** Brings the file to the newest version. Repeating it changes nothing. */
export function migrateSqlite(connection: DatabaseSync, migrations = migrationsFor('sqlite')): void {
  const current = schemaVersion(connection, migrations)
  for (const { version, name, sql } of migrations.slice(current)) {
    connection.exec('BEGIN IMMEDIATE')
    try {
      connection.exec(sql)
      connection.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}`)
      connection.exec('COMMIT')
    } catch (error) {
      if (connection.isTransaction) connection.exec('ROLLBACK')
      throw new Error(`migrate the store to version ${version} (${name})`, { cause: error })
    }
  }
}

/** For those who only read: the file must be at exactly the version that this program knows. */
export function assertMigrated(connection: DatabaseSync, migrations = migrationsFor('sqlite')): void {
  const current = schemaVersion(connection, migrations)
  if (current === migrations.length) return
  throw new Error(
    `The store is at version ${current} and this program reads version ${migrations.length}: start the server once to bring it up to date`,
  )
}

function schemaVersion(connection: DatabaseSync, migrations: readonly Migration[]): number {
  const version = Number(scalar(connection, 'PRAGMA user_version'))
  const owner = Number(scalar(connection, 'PRAGMA application_id'))
  const isEmpty = scalar(connection, 'SELECT count(*) FROM sqlite_schema') === 0
  if (owner !== applicationId && !isEmpty) {
    throw new Error('The database file was made by another program: point the data folder somewhere else')
  }
  if (version > migrations.length) {
    throw new Error(
      `The store was written by a newer Tollgate (its version is ${version}, this program knows ${migrations.length}): run that version or a newer one, or restore a backup from before the upgrade`,
    )
  }
  return version
}
