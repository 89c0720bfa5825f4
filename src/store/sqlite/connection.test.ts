import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isNewEnough, openConnection, scalar } from './connection.ts'

test.each([
  ['3.51.3', true],
  ['3.51.2', false],
  ['3.51.10', true],
  ['3.52.0', true],
  ['3.9.9', false],
  ['4.0.0', true],
])('the SQLite version %s is supported: %s', (version, expected) => {
  expect(isNewEnough(version)).toBe(expected)
})

test('a writing connection uses WAL mode, waits for the disk at each commit, and checks foreign keys', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-connection-'))
  const connection = openConnection(join(folder, 'a.db'), 'write')
  expect(scalar(connection, 'PRAGMA journal_mode')).toBe('wal')
  expect(scalar(connection, 'PRAGMA synchronous')).toBe(2)
  expect(scalar(connection, 'PRAGMA foreign_keys')).toBe(1)
  connection.close()
  rmSync(folder, { recursive: true })
})
