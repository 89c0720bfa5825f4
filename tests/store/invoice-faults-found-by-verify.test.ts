/** The test corrupts one value at a time. */
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { bringUp, payInvoice, setOnDemand } from '#operations/billing/shared/keep-subscription-current.ts'
import { copyToPostgres } from '#store/copy-to-postgres.ts'
import type { Verification } from '#store/ledger/verify/store-snapshot-interface.ts'
import { sqlStore } from '#store/nouns/sql-store-of-all-nouns.ts'
import { verifyPostgres } from '#store/postgres/verify.ts'
import { openConnection } from '#store/sqlite/connection.ts'
import { sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { verifySqlite } from '#store/sqlite/verify.ts'
import { openTemporary, type Opened } from '../store-conformance/engines.ts'
import { startMs, World } from '../store-conformance/add-rows-that-calls-need.ts'
import { hasPostgres, sql, type TestDatabase } from '../support/start-postgres.ts'
import { reusedDatabase } from '../support/reused-databases.ts'

const decemberMs = Date.UTC(2026, 11, 1)
const januaryMs = Date.UTC(2027, 0, 1)

async function twoMonths(world: World, clock: { nowMs: number }): Promise<void> {
  const { applicationId, newId, store } = world
  const rows = sqlStore(store.database)
  await world.found()
  const caller = await world.person(0n)
  const atMs = async (nowMs: number, work: 'turn on' | 'bring up' | 'pay'): Promise<void> => {
    await rows.transaction(async (nouns) => {
      const endUser = await nouns.endUsers.byId(applicationId, caller.endUserId)
      assert(endUser)
      const billing = { store: nouns, newId }
      const who = { endUser, mode: 'live' as const, nowMs }
      if (work === 'turn on') await setOnDemand(billing, who, { isEnabled: true, limitMicros: null })
      else await bringUp(billing, who)
      const [invoice] = work === 'pay' ? await nouns.invoices.unpaid(endUser.id, 'live') : []
      if (invoice) await payInvoice(billing, who, invoice)
    })
  }
  const call = async (): Promise<void> => {
    const request = world.request(caller, { input: 10, output: 10 })
    await world.reserve(request)
    await world.settle(request, { input: 10, output: 10 })
  }
  await atMs(startMs, 'turn on')
  await call()
  clock.nowMs = decemberMs
  await atMs(decemberMs, 'pay')
  for (const { testClockOffsetMs: _offset, ...month } of await rows.read.onDemandMonths.unwritten(null, 10)) {
    await store.ledger.clearMonth({ ...month, nowMs: decemberMs })
  }
  await call()
  clock.nowMs = januaryMs
  await atMs(januaryMs, 'bring up')
}

const closed = 'a closed on-demand month is on one invoice'
const cleared = 'an on-demand month is cleared once'
const november = `source_id = 'on_demand/2026-11'`
const december = `source_id = 'on_demand/2026-12'`

const corruptions: readonly (readonly [check: string, corruption: string])[] = [
  [closed, `DELETE FROM on_demand_months WHERE ${december}`],
  [closed, `UPDATE on_demand_months SET amount_micros = amount_micros + 1 WHERE ${december}`],
  [closed, `UPDATE on_demand_months SET source_id = 'on_demand/2026-10' WHERE ${december}`],
  [closed, `UPDATE accounts SET on_demand_closed_until_ms = ${decemberMs}`],
  [closed, `DELETE FROM invoice_lines WHERE name = '2026-12'`],
  [
    closed,
    `UPDATE on_demand_months SET invoice_id = (SELECT id FROM invoices WHERE number = 1) WHERE ${december}`,
  ],
  [cleared, `UPDATE invoices SET paid_at_ms = NULL`],
  [cleared, `UPDATE invoices SET paid_at_ms = 1`],
  [cleared, `UPDATE on_demand_months SET reason = 'on_demand_waived' WHERE ${november}`],
  [cleared, `UPDATE on_demand_months SET entry = entry - 1 WHERE ${november}`],
  [cleared, `UPDATE on_demand_months SET entry = NULL WHERE ${november}`],
  ['one invoice per period', 'UPDATE invoices SET number = 3 WHERE number = 2'],
]

function wrong(results: readonly Verification[]): string[] {
  return results.flatMap(({ check, difference }) => (difference === null ? [] : [check]))
}

async function openSound(): Promise<Opened & { readonly folder: string }> {
  const clock = { nowMs: startMs }
  const opened = await openTemporary({ writer: 'inline', nowMs: () => clock.nowMs })
  await twoMonths(new World(opened.store, clock), clock)
  return opened
}

describe('on SQLite', () => {
  let opened: Awaited<ReturnType<typeof openSound>>
  beforeEach(async () => {
    opened = await openSound()
  })
  afterEach(() => opened.close())

  test('verify finds no fault in a store that is not corrupted', async () => {
    expect(wrong(await verifySqlite(sqlitePath(opened.folder)))).toEqual([])
  })

  test.each(corruptions)('verify reports a fault in the check "%s": %s', async (check, corruption) => {
    const path = sqlitePath(opened.folder)
    const connection = openConnection(path, 'write')
    connection.exec(corruption)
    connection.close()
    expect(wrong(await verifySqlite(path)).join('\n')).toContain(check)
  })
})

describe.runIf(hasPostgres)('on PostgreSQL', () => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await reusedDatabase('with_two_months', async (url) => {
      const opened = await openSound()
      await opened.store.close()
      await copyToPostgres({ folder: opened.folder, url, nowMs: () => startMs })
      await opened.close()
    })
  })
  afterEach(() => database.drop())

  test('verify finds no fault in a store that is not corrupted', async () => {
    expect(wrong(await verifyPostgres(database.url))).toEqual([])
  })

  test.each(corruptions)('verify reports a fault in the check "%s": %s', async (check, corruption) => {
    await sql(database.url, corruption)
    expect(wrong(await verifyPostgres(database.url)).join('\n')).toContain(check)
  })
})
