import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { StoreUnavailable } from '#domain/ledger-interface.ts'
import { migrateSqlite } from './migrate.ts'
import { openConnection } from './connection.ts'
import { SqliteDatabase } from './database.ts'
import type { RowReader } from '#store/sql/row-runner-interface.ts'
import { SqliteRows } from './run-prepared-statements.ts'
import { SqliteWriter } from './writing-connection.ts'

let folder: string
let writer: SqliteWriter
let reader: ReturnType<typeof openConnection>

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tollgate-database-'))
  const connection = openConnection(join(folder, 'a.db'), 'write')
  migrateSqlite(connection)
  writer = new SqliteWriter(connection, { epoch: 1, onFatal: () => {} })
  reader = openConnection(join(folder, 'a.db'), 'read')
})
afterEach(() => {
  reader.close()
  writer.close()
  rmSync(folder, { recursive: true })
})

function database(msMax: number): SqliteDatabase {
  const rows = new SqliteRows(reader)
  const one: RowReader = { query: async (sql, parameters) => ({ ...rows.run(sql, parameters), costMs: 0 }) }
  return new SqliteDatabase({ lookUps: one, reports: one }, writer, msMax)
}

const organization = { id: 'org_1', code: 'one', name: 'One', created_at_ms: 1 }

test('a transaction that is open for too long is rolled back, and its later writes are rejected', async () => {
  const late = Promise.withResolvers<unknown>()
  const db = database(5)
  const stuck = db.transaction(async (tx) => {
    await tx.insertInto('organizations').values(organization).execute()
    const { promise, resolve } = Promise.withResolvers<void>()
    // This transaction begins only after the transaction above was rolled back.
    void db.transaction(async () => resolve())
    await promise
    const written = tx
      .insertInto('organizations')
      .values({ ...organization, id: 'org_2' })
      .execute()
    late.resolve(await written.catch((error: unknown) => error))
  })
  const overdue: unknown = await stuck.catch((error: unknown) => error)
  expect(overdue).toBeInstanceOf(StoreUnavailable)
  expect(String(overdue)).toContain('writes of the ledger had waited for it for 5 ms')
  expect(String(await late.promise)).toContain('the transaction is over')
  expect(await db.read.selectFrom('organizations').selectAll().execute()).toEqual([])
})

test('a transaction that stays within its time limit is committed', async () => {
  const db = database(5_000)
  await db.transaction((tx) => tx.insertInto('organizations').values(organization).execute())
  expect(await db.read.selectFrom('organizations').selectAll().execute()).toEqual([organization])
})

test('a read is sent to its thread before the previous read has been answered', async () => {
  const sent: string[] = []
  const waiting = Promise.withResolvers<void>()
  const slow: RowReader = {
    query: async (sql) => {
      sent.push(sql)
      await waiting.promise
      return { rows: [], changes: null, costMs: 0 }
    },
  }
  const { read } = new SqliteDatabase({ lookUps: slow, reports: slow }, writer)
  const reads = Array.from({ length: 50 }, () => read.selectFrom('organizations').selectAll().execute())
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
  expect(sent).toHaveLength(50)
  waiting.resolve()
  await Promise.all(reads)
})
