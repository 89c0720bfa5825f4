/** What the file itself refuses, whoever asks. */
import { existsSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openConnection } from '#store/engines/sqlite-connection.ts'
import { sqlitePath } from '#store/engines/sqlite.ts'
import { verifySqlite } from '#store/verify.ts'
import { type Opened, openTemporary } from '../store-conformance/engines.ts'
import { type Caller, startMs, World } from '../store-conformance/world.ts'

let opened: Opened & { readonly folder: string }
let world: World
let caller: Caller

beforeEach(async () => {
  opened = await openTemporary({ writer: 'inline', nowMs: () => startMs })
  world = new World(opened.store, { nowMs: startMs })
  await world.found()
  caller = await world.person(1_000n)
})
afterEach(() => opened.close())

/** Two settled calls, one of them of a run, and one in flight. */
async function calls(): Promise<void> {
  await world.outcome('report', 1_000n)
  const outcome = { slug: 'report', runId: 'run-1', ceilingMicros: 1_000n }
  for (const more of [{}, { outcome }]) {
    const request = world.request(caller, { input: 100, output: 100 }, more)
    await world.reserve(request)
    await world.settle(request, { input: 50, output: 50 })
  }
  await world.reserve(world.request(caller, { input: 100, output: 100 }))
}

describe('append-only tables', () => {
  test.each([
    ['ledger', 'amount = 1'],
    ['usage_records', 'charge_micros = 1'],
    ['quotes', "body = ''"],
  ])('%s can be neither changed nor deleted', async (table, change) => {
    await calls()
    const connection = openConnection(sqlitePath(opened.folder), 'write')
    expect(() => connection.exec(`UPDATE ${table} SET ${change}`)).toThrow(`${table} is append-only`)
    expect(() => connection.exec(`DELETE FROM ${table}`)).toThrow(`${table} is append-only`)
    connection.close()
  })
})

describe('the lock of a data folder', () => {
  test('a second server is refused in a sentence, and the first goes on', async () => {
    const { folder } = opened
    await expect(openTemporary({ folder, nowMs: () => startMs })).rejects.toThrow(
      `Another Tollgate server is running on the data folder ${folder}`,
    )
    expect((await world.reserve(world.request(caller, { input: 1, output: 1 }))).kind).toBe('reserved')
  })

  test('the folder is free again after a clean end', async () => {
    const { folder } = opened
    await opened.store.close()
    const next = await openTemporary({ folder, nowMs: () => startMs })
    await next.store.close()
    expect(existsSync(folder)).toBe(true)
  })

  test('verify reads beside a running server', async () => {
    await calls()
    expect(verifySqlite(sqlitePath(opened.folder)).filter(({ difference }) => difference !== null)).toEqual(
      [],
    )
  })
})

describe('verify names what is wrong', () => {
  test.each<readonly [check: string, corruption: string]>([
    ['every entry follows the one before it', 'UPDATE ledger SET amount = amount - 1 WHERE sequence = 2'],
    ['every entry follows the one before it', 'DELETE FROM ledger WHERE sequence = 2'],
    ['one chain', 'DELETE FROM ledger WHERE sequence = 3'],
    ['one chain', 'UPDATE ledger SET previous = NULL, balance_after = amount WHERE sequence = 3'],
    ['every balance is the sum', 'UPDATE sources SET posted = posted + 1'],
    ['in the unit of their source', "UPDATE ledger SET unit = 'credits' WHERE sequence = 1"],
    ['what is held', 'UPDATE sources SET held = held + 1'],
    ['what is held', 'DELETE FROM holds'],
    ['a hold is what its legs', 'UPDATE holds SET worst_micros = worst_micros + 1'],
    ['a wallet is below 0', 'UPDATE sources SET posted = -1'],
    [
      'no pool and no month',
      `INSERT INTO sources (end_user_id, mode, id, kind, unit, posted, held)
       SELECT end_user_id, mode, 'month', 'on_demand', 'micros', 1, 0 FROM sources`,
    ],
    ['in flight or has ended', 'UPDATE holds SET call_id = (SELECT min(call_id) FROM usage_records)'],
    ['the day sums', 'UPDATE usage_days SET charge_micros = charge_micros + 1'],
    ['the day sums', 'DELETE FROM usage_days'],
    ['runs have spent', 'UPDATE outcome_runs SET spent_micros = 0'],
    [
      'periods of a pool',
      `INSERT INTO sources (end_user_id, mode, id, kind, unit, posted, held, slug, bundle_id, starts_at_ms, ends_at_ms)
       SELECT end_user_id, mode, 'pool' || value, 'pool', 'micros', 0, 0, 'a', 'b', value, value + 2
       FROM sources, json_each('[1, 2]')`,
    ],
    ['a finished grant', 'UPDATE grants SET end_users = 2'],
    ['a new number', 'UPDATE writer_state SET ledger_sequence = 1'],
    ['rating a call again', 'UPDATE usage_records SET cost_micros = cost_micros + 1'],
    ['rating a call again', `UPDATE quotes SET body = replace(body, '1000000', '1000001')`],
    ['what a call took', 'UPDATE usage_records SET first_entry = NULL WHERE run_id IS NULL'],
    ['what a call took', `UPDATE ledger SET kind = 'adjustment' WHERE sequence = 2`],
  ])('%s: %s', async (check, corruption) => {
    await calls()
    const path = sqlitePath(opened.folder)
    const connection = openConnection(path, 'write')
    for (const { name } of connection
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'trigger'`)
      .all()) {
      connection.exec(`DROP TRIGGER ${String(name)}`)
    }
    expect(verifySqlite(path).filter(({ difference }) => difference !== null)).toEqual([])
    connection.exec(corruption)
    connection.close()
    const found = verifySqlite(path).filter(({ difference }) => difference !== null)
    expect(found.map((result) => result.check).join('\n')).toContain(check)
  })
})
