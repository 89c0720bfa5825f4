import { afterEach, beforeEach, expect, test } from 'vitest'
import { DatabaseSync } from 'node:sqlite'
import type { Operation } from '#store/ledger/operations-and-results.ts'
import type { InjectedFault } from '#store/ledger/faults-injected-by-tests.ts'
import { migrateSqlite } from './migrate.ts'
import { SqliteWriter } from './writing-connection.ts'

let connection: DatabaseSync
beforeEach(() => {
  connection = new DatabaseSync(':memory:')
  migrateSqlite(connection)
})
afterEach(() => connection.close())

const release: Operation = { kind: 'recover', callId: 'no such call', nowMs: 1 }

test('a transaction that begins between two attempts at a batch waits until the batch has ended', async () => {
  const faults: InjectedFault[] = ['io']
  const writer = new SqliteWriter(connection, {
    epoch: 1,
    onFatal: () => {},
    faults: (point) => (point === 'commit' ? (faults.pop() ?? null) : null),
  })
  const told: string[] = []
  const batch = Promise.resolve(writer.run([release, release])).then((answer) => told.push(answer.kind))
  const transaction = writer.begin().then((number) => {
    told.push('begun')
    return number
  })
  await batch
  await writer.commit(await transaction, [])
  expect(told).toEqual(['results', 'begun'])
  const again = writer.begin()
  const waiting = Promise.resolve(writer.run([release])).then((answer) => told.push(answer.kind))
  await writer.query(await again, 'SELECT 1', [])
  expect(told).toHaveLength(2)
  await writer.rollback(await again)
  await waiting
  expect(told).toEqual(['results', 'begun', 'results'])
})
