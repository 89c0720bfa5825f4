/** Reports of revenue must not read all invoices of an application to find the void invoices. */
import { expect, test } from 'vitest'
import { earnedByEndUser, earnedInAll } from '#store/nouns/billing/subscription-revenue.ts'
import { openConnection } from '#store/sqlite/connection.ts'
import { SqliteDatabase } from '#store/sqlite/database.ts'
import { sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { SqliteRows } from '#store/sqlite/run-prepared-statements.ts'
import type { RowReader } from '#store/sql/row-runner-interface.ts'
import { openTemporary } from '../store-conformance/engines.ts'
import { startMs } from '../store-conformance/add-rows-that-calls-need.ts'

test('reports of revenue find void invoices, and the other invoices of their end users, by indexes', async () => {
  const opened = await openTemporary({ writer: 'inline', nowMs: () => startMs })
  const connection = openConnection(sqlitePath(opened.folder), 'read')
  const rows = new SqliteRows(connection)
  const plans: string[][] = []
  const reader: RowReader = {
    async query(text, parameters) {
      const steps = rows.run(`EXPLAIN QUERY PLAN ${text}`, parameters).rows
      if (text.includes('voided_at_ms IS NOT NULL'))
        plans.push(steps.map((step) => String(Reflect.get(step as object, 'detail'))))
      return { rows: [], changes: 0n, costMs: 0 }
    },
  }
  const never = (): Promise<never> => Promise.reject(new Error('nothing is written'))
  const database = new SqliteDatabase(
    { lookUps: reader, reports: reader },
    { writeSlots: async () => {}, begin: never, query: never, commit: never, rollback: never },
  )
  const asked = { applicationId: 'app', mode: 'live', fromDay: 20_000, toDay: 20_010 } as const
  await earnedInAll(database.read, asked)
  await earnedByEndUser(database.read, asked, ['eu_1', 'eu_2'])
  connection.close()
  await opened.close()
  expect(plans).toHaveLength(2)
  // A page of end users must not read the void invoices of all end users.
  expect(plans.map((plan) => plan.find((step) => step.startsWith('SEARCH v')))).toEqual([
    'SEARCH v USING INDEX invoices_void (application_id=? AND mode=?)',
    'SEARCH v USING INDEX invoices_void (application_id=? AND mode=? AND end_user_id=?)',
  ])
  for (const plan of plans) {
    const steps = plan.filter((step) => /^(?:SCAN|SEARCH) [civl]\b/.test(step))
    expect(steps.map((step) => step.replace(/ \(.*/, '')).toSorted()).toEqual([
      'SEARCH c USING INDEX sqlite_autoindex_invoices_2',
      'SEARCH i USING INDEX sqlite_autoindex_invoices_2',
      'SEARCH l USING PRIMARY KEY',
      'SEARCH v USING INDEX invoices_void',
    ])
  }
})
