/** Lists and reports on Citus with two nodes return the same as on PostgreSQL, page by page. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Client, Pool } from 'pg'
import type { Nouns } from '#domain/store-interface.ts'
import { listBounds } from '#store/nouns/merge-into-page.ts'
import { sqlStore } from '#store/nouns/sql-store-of-all-nouns.ts'
import { poolOf, withClient } from '#store/postgres/connection.ts'
import { PostgresDatabase } from '#store/postgres/database.ts'
import { seedPostgres, sumPostgres } from '../../tools/seed/seed-store.ts'
import { type Citus, distribution, hasCitus, startPlainCitus } from '../support/start-citus-cluster.ts'
import type { SentStatement } from '../support/record-ledger-statements.ts'
import { readsOf } from '../support/store-reads-of-lists-and-reports.ts'
import { type PostgresServer, startPostgres } from '../support/start-postgres.ts'
import { randomFrom, seedOfRun } from '../support/seeded-random.ts'

describe.skipIf(!hasCitus)('lists and reports on Citus with two nodes', { timeout: 600_000 }, () => {
  const size = { calls: 60_000, people: 2_000, days: 20, nowMs: Date.now() }
  const reads = readsOf(size)
  const seed = seedOfRun()
  const pools: Pool[] = []
  let citus: Citus
  let plain: PostgresServer

  beforeAll(async () => {
    plain = await startPostgres()
    await seedPostgres(plain.url('postgres'), size)
    citus = await startPlainCitus((url) => seedPostgres(url, size))
    await citus.distribute()
    for (const url of [plain.url('postgres'), citus.ownerUrl]) await sumPostgres(url, size.nowMs)
  }, 600_000)
  afterAll(async () => {
    for (const pool of pools) await pool.end()
    await citus.end()
    await plain.end()
  })

  function recording(url: string, isDistributed: boolean): { nouns: Nouns; sent: SentStatement[] } {
    const sent: SentStatement[] = []
    const pool = poolOf({ url, access: 'read' }, 1)
    pools.push(pool)
    const recorded = new Proxy(pool, {
      get: (target, name) =>
        name !== 'query'
          ? Reflect.get(target, name)
          : (text: string, values: unknown[]) => {
              sent.push({ name: '', text, values })
              return target.query(text, values)
            },
    })
    return { nouns: sqlStore(new PostgresDatabase(recorded, pool, { isDistributed })).read, sent }
  }

  test('every read returns the same rows and the same page ends as on one node', async () => {
    const one = recording(plain.url('postgres'), false)
    const nodes = recording(citus.url, true)
    for (const [name, read] of Object.entries(reads)) {
      const expected = await read(one.nouns, randomFrom(seed))
      expect(await read(nodes.nouns, randomFrom(seed)), `${name}, SEED=${seed}`).toEqual(expected)
    }
    expect(nodes.sent.length).toBeGreaterThan(Object.keys(reads).length)
  })

  test('for a page without results, the coordinator receives few of the rows that the nodes check', async () => {
    const { nouns, sent } = recording(citus.url, true)
    await reads['requests.list of a provider account without responses']?.(nouns, randomFrom(seed))
    const received = await withClient({ url: citus.url, access: 'read' }, async (client) => {
      let rows = 0
      for (const statement of sent) rows += await receivedBy(client, statement)
      return rows
    })
    console.log(`two pages without results: the coordinator received ${received} rows`)
    expect(received).toBeGreaterThan(0)
    // Without a random sample of the calls, each shard would send this many IDs for each page.
    const [, testedMax = 0] = listBounds.rowsMax
    expect(received).toBeLessThan(testedMax * distribution.shards)
  })
})

async function receivedBy(client: Client, { text, values }: SentStatement): Promise<number> {
  const { rows } = await client.query<Record<string, string>>(
    `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ${text}`,
    [...values],
  )
  const plan = rows.map((row) => Object.values(row)[0]).join('\n')
  return Number(/Custom Scan \(Citus Adaptive\) \(actual rows=(\d+)/.exec(plan)?.[1] ?? 0)
}
