import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openConnection, scalar } from './connection.ts'
import { type Migration, migrationsFor } from '#store/migrations/list-and-load-migrations.ts'
import { assertMigrated, migrateSqlite } from './migrate.ts'

let folder: string
let connection: DatabaseSync

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-migrate-'))
  connection = openConnection(join(folder, 'a.db'), 'write')
})
afterEach(() => {
  connection.close()
  rmSync(folder, { recursive: true })
})

const one: Migration = { version: 1, name: 'one', sql: 'CREATE TABLE one (id INTEGER) STRICT;' }
const two: Migration = { version: 2, name: 'two', sql: 'CREATE TABLE two (id INTEGER) STRICT;' }

function tables(): unknown[] {
  return connection
    .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`)
    .all()
    .map(({ name }) => name)
}

test('migrations run in order, and running them again changes nothing', () => {
  migrateSqlite(connection, [one])
  migrateSqlite(connection, [one, two])
  migrateSqlite(connection, [one, two])
  expect(tables()).toEqual(['one', 'two'])
  expect(scalar(connection, 'PRAGMA user_version')).toBe(2)
})

test('a migration that fails leaves no changes, and the next start begins it again', () => {
  const failing = {
    ...two,
    sql: 'CREATE TABLE two (id INTEGER) STRICT; CREATE TABLE one (id INTEGER) STRICT;',
  }
  expect(() => migrateSqlite(connection, [one, failing])).toThrow('migrate the store to version 2 (two)')
  expect(tables()).toEqual(['one'])
  migrateSqlite(connection, [one, two])
  expect(tables()).toEqual(['one', 'two'])
})

test('a file of a newer version is rejected and left unchanged', () => {
  migrateSqlite(connection, [one, two])
  expect(() => migrateSqlite(connection, [one])).toThrow(
    'The store was written by a newer Tollgate (store version 2, this program supports 1)',
  )
  expect(tables()).toEqual(['one', 'two'])
})

test('the file of another program is rejected', () => {
  connection.exec('CREATE TABLE theirs (id INTEGER)')
  expect(() => migrateSqlite(connection, [one])).toThrow('created by another program')
  expect(tables()).toEqual(['theirs'])
})

test('a read-only process rejects the file of an older version, with advice to start the server first', () => {
  migrateSqlite(connection, [one])
  expect(() => assertMigrated(connection, [one, two])).toThrow('Start the server once')
  assertMigrated(connection, [one])
})

test('a migration includes the additional file for this engine, and ignores files for another engine', () => {
  const files = join(folder, 'files')
  mkdirSync(files)
  writeFileSync(join(files, '0001-one.sql'), 'portable')
  writeFileSync(join(files, '0001-one.sqlite.sql'), 'triggers')
  writeFileSync(join(files, '0001-one.postgres.sql'), 'rules')
  const from = pathToFileURL(`${files}/`)
  expect(migrationsFor('sqlite', from)).toEqual([{ version: 1, name: 'one', sql: 'portable\ntriggers' }])
  writeFileSync(join(files, '0003-three.sql'), 'too soon')
  expect(() => migrationsFor('sqlite', from)).toThrow('migrations have no gaps')
  writeFileSync(join(files, '2-two.sql'), 'misnamed')
  expect(() => migrationsFor('sqlite', from)).toThrow('a migration is named NNNN-name.sql: 2-two.sql')
})

test('the migrations of this program have consecutive numbers and create every table', () => {
  migrateSqlite(connection)
  expect(tables()).toContain('ledger')
  expect(migrationsFor('sqlite').map(({ version }) => version)).toEqual(
    migrationsFor('sqlite').map((_, i) => i + 1),
  )
})
