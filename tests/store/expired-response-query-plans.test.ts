/**
 * Requests of the control plane delete the expired responses of idempotency keys. On the embedded store, the ledger
 * waits for the deletion, so the deletion must not read all stored responses.
 */
import { expect, test } from 'vitest'
import { idempotency } from '#store/nouns/idempotency.ts'
import { openConnection } from '#store/sqlite/connection.ts'
import { SqliteDatabase } from '#store/sqlite/database.ts'
import { sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { SqliteRows } from '#store/sqlite/run-prepared-statements.ts'
import { openTemporary } from '../store-conformance/engines.ts'
import { startMs } from '../store-conformance/add-rows-that-calls-need.ts'

test('the deletion of expired responses finds them by an index', async () => {
  const opened = await openTemporary({ writer: 'inline', nowMs: () => startMs })
  const connection = openConnection(sqlitePath(opened.folder), 'read')
  const rows = new SqliteRows(connection)
  const plan: string[] = []
  const never = (): Promise<never> => Promise.reject(new Error('nothing is read'))
  const database = new SqliteDatabase(
    { lookUps: { query: never }, reports: { query: never } },
    {
      writeSlots: async () => {},
      begin: async () => 1,
      async query(_, text, parameters) {
        const steps = rows.run(`EXPLAIN QUERY PLAN ${text}`, parameters).rows
        plan.push(...steps.map((step) => String(Reflect.get(step as object, 'detail'))))
        return { rows: [], changes: 0n }
      },
      commit: async () => {},
      rollback: async () => {},
    },
  )
  await database.transaction((tx) => idempotency(tx).prune(startMs))
  connection.close()
  await opened.close()
  expect(plan).toEqual(['SEARCH idempotency_keys USING INDEX idempotency_keys_created (created_at_ms<?)'])
})
