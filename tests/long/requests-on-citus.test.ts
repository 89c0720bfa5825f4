import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Client } from 'pg'
import { openPostgres, type PostgresStore } from '#store/postgres/open-postgres-store.ts'
import { sqlStore } from '#store/nouns/sql-store-of-all-nouns.ts'
import { poolOf, withClient } from '#store/postgres/connection.ts'
import { PostgresDatabase } from '#store/postgres/database.ts'
import { distributedBy } from '#store/postgres/sql-for-sharded-tables.ts'
import { readShardGroups, type ShardGroups } from '#store/postgres/shard-groups.ts'
import { type Caller, startMs, World } from '../store-conformance/add-rows-that-calls-need.ts'
import {
  type Citus,
  distribution,
  hasCitus,
  isDistributed,
  rowsOf,
  startCitus,
  tasksOf,
} from '../support/start-citus-cluster.ts'
import {
  callsOfEachKind,
  payerOf,
  peopleWithLimits,
  recordTransactions,
  type SentStatement,
  type SentTransaction,
  teamsInGroups,
} from '../support/record-ledger-statements.ts'
import { randomFrom, seedOfRun, withSeed } from '../support/seeded-random.ts'

describe.skipIf(!hasCitus)('requests on Citus with two nodes', { timeout: 300_000 }, () => {
  const clock = { nowMs: startMs }
  const seed = seedOfRun()
  const transactions = hasCitus ? recordTransactions() : []
  let onShards: SentTransaction[]
  let citus: Citus
  let store: PostgresStore
  let callers: Caller[]
  let identity: Partial<World>
  const open = (): Promise<PostgresStore> =>
    openPostgres({
      url: citus.url,
      nowMs: () => clock.nowMs,
      lanes: 1,
      onFatal: (error) => {
        throw error
      },
    })

  beforeAll(async () => {
    citus = await startCitus()
    store = await open()
    const world = new World(store, clock)
    const [groups, people] = [await groupsOf(citus.url), await peopleWithLimits(world, 24)]
    callers = await teamsInGroups(world, people, (id) => groups.of(id))
    identity = identityOf(world)
    const twoProcesses = (one: World, other: PostgresStore, seedOfCalls: number): Promise<unknown> =>
      withSeed(seed, () =>
        Promise.all([
          callsOfEachKind(one, callers, randomFrom(seedOfCalls)),
          callsOfEachKind(
            Object.assign(new World(other, clock), identity),
            callers,
            randomFrom(seedOfCalls + 1),
          ),
        ]),
      )
    const other = await open()
    transactions.length = 0
    await twoProcesses(world, other, seed)
    onShards = transactions.splice(0)
    await other.close()
    await store.close()
    // Without this function, lanes do not use the tables of their shard, and Citus plans their statements.
    await rowsOf(citus.ownerUrl, 'ALTER FUNCTION hold_shard(int8) RENAME TO hold_shard_later')
    const planned = await open()
    store = await open()
    transactions.length = 0
    await twoProcesses(Object.assign(new World(store, clock), identity), planned, seed + 2)
    await planned.close()
    await rowsOf(citus.ownerUrl, 'ALTER FUNCTION hold_shard_later(int8) RENAME TO hold_shard')
  })
  afterAll(async () => {
    await store.close()
    await citus.end()
  })

  test('Citus runs each statement as one task, and all tasks of a transaction on one node', async () => {
    const client = new Client({ connectionString: citus.url })
    client.on('error', () => {})
    await client.connect()
    const explained = new Set<string>()
    const nodes = new Set<string>()
    for (const [at, statements] of transactions.entries()) {
      const sent = statements.filter(isDistributed)
      // After the first 50 transactions, only statements whose plan has not been checked yet count.
      if (at >= 50 && sent.every(({ name }) => explained.has(name))) continue
      const used = new Set<string>()
      for (const statement of sent) {
        // oxlint-disable-next-line no-await-in-loop -- one connection
        const { count, node, plan } = await tasksOf(client, statement)
        expect(count, `${statement.name}: ${plan}`).toBe(1)
        used.add(node)
        explained.add(statement.name)
      }
      expect([...used], statements.map(({ name }) => name).join(' ')).toHaveLength(1)
      for (const node of used) nodes.add(node)
    }
    await client.end()
    const needed = ['lock', 'write_ledger', 'write_request', 'write_run', 'load_key', 'load_sources']
    expect([...explained]).toEqual(
      expect.arrayContaining([...needed, 'load_spent', 'load_run', 'load_line_uses', 'load_settled']),
    )
    console.log(`explained: ${[...explained].toSorted().join(' ')}`)
    expect(nodes.size).toBe(2)
  })

  test('a lane uses only the tables of its shard, and prevents moves of the shard before it reads or writes', async () => {
    const rows = await rowsOf(
      citus.ownerUrl,
      `SELECT shard_name AS name, s.shardminvalue AS first FROM citus_shards c JOIN pg_dist_shard s USING (shardid)
       WHERE citus_table_type = 'distributed'`,
    )
    const shards = new Map(rows.map(({ first, name }) => [String(name), String(first)]))
    const lanes = new Set<string>()
    for (const [hold, ...statements] of onShards) {
      expect(hold?.name).toBe('hold_shard')
      const used = statements.flatMap(({ text }) =>
        [...text.matchAll(/\b(?:FROM|JOIN|INTO|UPDATE) (\w+)/g)].flatMap(([, name = '']) => {
          expect(Object.keys(distributedBy), text).not.toContain(name)
          return shards.get(name) ?? []
        }),
      )
      const held = shards.get(`lanes_${String(hold?.values[0])}`)
      expect(new Set(used)).toEqual(new Set([held]))
      lanes.add(String(held))
    }
    expect(lanes.size).toBe(distribution.shards)
  })

  test('each shard sorts its own end users and keys by spending, and returns one page', async () => {
    const sent: SentStatement[] = []
    const pool = poolOf({ url: citus.url, access: 'read' }, 1)
    const recording = new Proxy(pool, {
      get: (target, name) =>
        name !== 'query'
          ? Reflect.get(target, name)
          : (text: string, values: unknown[]) => {
              sent.push({ name: '', text, values })
              return target.query(text, values)
            },
    })
    const { read } = sqlStore(new PostgresDatabase(recording, pool, { isDistributed: true }))
    const { applicationId = '' } = identity
    const page = { limit: 5, after: null, sorting: { by: 'spent', direction: 'desc' } as const }
    const at = { mode: 'live', nowMs: clock.nowMs } as const
    const [people, keys] = [
      await read.endUsers.list(applicationId, { bundleId: null }, page, at),
      await read.keys.list(applicationId, { mode: 'live', endUserId: null }, page, clock.nowMs),
    ]
    expect([people.rows.length, keys.rows.length]).toEqual([5, 5])
    const sorts = sent.filter(({ text }) => text.includes('ORDER BY'))
    expect(sorts).toHaveLength(2)
    await withClient({ url: citus.url, access: 'read' }, async (client) => {
      for (const statement of sorts) {
        // oxlint-disable-next-line no-await-in-loop -- one connection
        const { count, plan } = await tasksOf(client, statement)
        expect(count, plan).toBe(distribution.shards)
        // With a subplan, a node would send its rows to the coordinator or to other nodes.
        expect(plan).not.toContain('Subplan')
        expect(plan.slice(plan.indexOf('->  Task')), plan).toContain('->  Limit')
      }
    })
    await pool.end()
  })

  test('a process recovers the calls of a stopped process, on both nodes', async () => {
    const world = Object.assign(new World(await open(), clock), identity)
    const requests = callers
      .slice(0, 8)
      .map((caller) => world.request(caller, { input: 10, output: 20 }, payerOf(caller)))
    for (const { kind } of await Promise.all(requests.map((request) => world.reserve(request))))
      expect(kind).toBe('reserved')
    await world.store.close()
    expect(await store.sweeper.sweep()).toMatchObject({ calls: requests.length })
  })

  test('a grant adds credit to each end user of all shards once, even if another process continues the grant in a different order', async () => {
    const world = Object.assign(new World(store, clock), identity)
    const ids = callers.map(({ endUserId }) => endUserId)
    const wallets = async (): Promise<bigint[]> =>
      (await Promise.all(callers.map((caller) => world.wallet(caller)))).map(({ posted }) => posted)
    const before = await wallets()
    const grant = { grantId: 'gr_shards', idempotencyKey: 'shards', requestHash: 'a' }
    expect(await world.credit(ids, 7n, grant)).toMatchObject({ isReplay: false, endUsers: ids.length })
    const after = before.map((posted) => posted + 7n)
    expect(await wallets()).toEqual(after)
    const isPending = (): Promise<Record<string, unknown>[]> =>
      rowsOf(citus.url, `SELECT FROM grants WHERE pending IS NOT NULL`)
    expect(await isPending()).toEqual([])
    // A process that dies after it has credited the first end user leaves the grant in this state. Neighboring end
    // users of this list are on different shards.
    await rowsOf(citus.ownerUrl, `UPDATE grants SET pending = $1, done = 1 WHERE id = 'gr_shards'`, [
      JSON.stringify(ids),
    ])
    const again = await world.credit(ids, 7n, { ...grant, grantId: 'gr_again' })
    expect(again).toMatchObject({ grantId: 'gr_shards', isReplay: true, endUsers: ids.length })
    expect(await isPending()).toEqual([])
    const stranger = world.credit([...ids, 'eu_stranger'], 7n, { grantId: 'gr_stranger' })
    await expect(stranger).rejects.toThrow('eu_stranger')
    expect(await wallets()).toEqual(after)
    expect(await rowsOf(citus.url, `SELECT FROM grants WHERE id = 'gr_stranger'`)).toEqual([])
  })

  test('balances equal the ledger, no hold remains, and each entry has its own number', async () => {
    const wrong = await rowsOf(
      citus.url,
      `SELECT s.end_user_id, s.id, s.posted, s.held, l.sum FROM sources s JOIN (
         SELECT end_user_id, mode, source_id, sum(amount) AS sum FROM ledger GROUP BY 1, 2, 3
       ) l ON l.end_user_id = s.end_user_id AND l.mode = s.mode AND l.source_id = s.id
       WHERE s.held <> 0 OR s.posted <> l.sum`,
    )
    expect(wrong, `SEED=${seed}`).toEqual([])
    const [entries] = await rowsOf(
      citus.url,
      'SELECT count(*)::int AS entries, count(DISTINCT sequence)::int AS numbers FROM ledger',
    )
    expect(entries?.entries, `SEED=${seed}`).toBe(entries?.numbers)
    expect(Number(entries?.entries)).toBeGreaterThan(callers.length)
    const [charges] = await rowsOf(
      citus.url,
      `SELECT (SELECT sum(charge_micros)::int FROM usage_records) AS charged,
        (SELECT -sum(amount)::int FROM ledger WHERE kind = 'usage_debit' AND call_id IS NOT NULL) AS debited`,
    )
    expect(charges?.charged, `SEED=${seed}`).toBe(charges?.debited)
  })
})

async function groupsOf(url: string): Promise<ShardGroups> {
  const pool = poolOf({ url, access: 'read' }, 1)
  const groups = await readShardGroups(pool)
  await pool.end()
  return groups
}

function identityOf({ applicationId, bundleId, newId, organizationId }: World): Partial<World> {
  return { applicationId, bundleId, newId, organizationId }
}
