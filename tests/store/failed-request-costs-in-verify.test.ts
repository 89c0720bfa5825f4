/**
 * The sums of days contain the provider costs of failed requests. Earlier versions counted these costs on the day on
 * which a request began, and `tollgate prune` deletes the records of failed requests. In both cases, verify must find no
 * fault, because a backup requires a correct store.
 */
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { zeroUsage } from '#money/usage-counts.ts'
import type { EngineStore } from '#store/sql/engine-store-interface.ts'
import type { Verification } from '#store/ledger/verify/store-snapshot-interface.ts'
import { verifyPostgres } from '#store/postgres/verify.ts'
import { openConnection } from '#store/sqlite/connection.ts'
import { sqlitePath } from '#store/sqlite/open-sqlite-store.ts'
import { verifySqlite } from '#store/sqlite/verify.ts'
import { openOnPostgres, openTemporary } from '../store-conformance/engines.ts'
import { dayMs, startMs, World } from '../store-conformance/add-rows-that-calls-need.ts'
import { hasPostgres, sql } from '../support/start-postgres.ts'

const clock = { nowMs: startMs }
const nowMs = (): number => clock.nowMs
const day = Math.floor(startMs / dayMs)

/** Two failed requests end after midnight, the second one a week later. */
async function fail(store: EngineStore): Promise<void> {
  const world = new World(store, clock)
  await world.found()
  const caller = await world.person(1_000n)
  for (const days of [1, 8]) {
    clock.nowMs = (day + days) * dayMs - 60_000
    const request = world.request(caller, { input: 50, output: 50 })
    // oxlint-disable-next-line no-await-in-loop -- one request after the other
    await world.reserve(request)
    const record = { ...world.record(request, 'released'), atMs: clock.nowMs, latencyMs: 120_000 }
    const { callId, quote, target } = request
    const of = { target, quote, status: 503, failure: null, code: 'upstream_overloaded', firstByteMs: null }
    const attempts = [{ ...of, atMs: 0, durationMs: 1, usage: { ...zeroUsage, input: 7 } }]
    clock.nowMs += 120_000
    // oxlint-disable-next-line no-await-in-loop -- see above
    await store.ledger.release({ callId, nowMs: clock.nowMs, record, attempts })
  }
  // Reading the table makes the writer of the embedded store write its slots into the table.
  await store.database.read.selectFrom('usage_days').select('day').execute()
}

const engines = [
  {
    name: 'SQLite',
    open: async () => {
      const opened = await openTemporary({ writer: 'inline', nowMs })
      await fail(opened.store)
      await opened.store.close()
      const path = sqlitePath(opened.folder)
      return {
        verify: () => verifySqlite(path),
        async change(statement: string) {
          const connection = openConnection(path, 'write')
          connection.exec(statement)
          connection.close()
        },
        close: async () => rmSync(opened.folder, { recursive: true }),
      }
    },
  },
  ...(hasPostgres
    ? [
        {
          name: 'PostgreSQL',
          open: async () => {
            const opened = await openOnPostgres({ nowMs })
            await fail(opened.store)
            return {
              verify: () => verifyPostgres(opened.url),
              change: (statement: string) => sql(opened.url, statement),
              close: () => opened.close(),
            }
          },
        },
      ]
    : []),
]

describe.each(engines)('on $name', ({ open }) => {
  let store: Awaited<ReturnType<typeof open>>
  beforeAll(async () => {
    store = await open()
  })
  afterAll(() => store.close())

  const wrong = async (): Promise<string[]> => {
    const results: readonly Verification[] = await store.verify()
    return results.flatMap(({ check, difference }) => (difference === null ? [] : [check]))
  }
  const costs = 'daily sums include the provider costs of failed requests'

  test('the costs may be on the days on which the requests began, and then be without records, but may not differ', async () => {
    expect(await wrong()).toEqual([])
    await store.change('UPDATE usage_days SET cost_micros = cost_micros + 1')
    expect(await wrong()).toEqual([costs])
    await store.change('UPDATE usage_days SET cost_micros = cost_micros - 2')
    expect(await wrong()).toEqual([costs])
    await store.change('UPDATE usage_days SET cost_micros = cost_micros + 1, day = day - 1')
    expect(await wrong()).toEqual([])
    await store.change('DELETE FROM requests WHERE at_ms = (SELECT min(at_ms) FROM requests)')
    expect(await wrong()).toEqual([])
    await store.change('DELETE FROM requests')
    expect(await wrong()).toEqual([])
  })
})
