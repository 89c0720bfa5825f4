/**
 * Runs `tollgate scale` on Citus with two nodes: the command distributes a filled database, interrupted at each step.
 * After the distribution, the commands, lists and reports work as before.
 */
import { inspect, isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dayMs } from '#money/periods-and-windows.ts'
import { foldCallHours } from '#store/call-sums-by-hour.ts'
import { migrationsFor } from '#store/migrations/list-and-load-migrations.ts'
import { sqlStore } from '#store/nouns/sql-store-of-all-nouns.ts'
import { connect, poolOf } from '#store/postgres/connection.ts'
import { PostgresDatabase } from '#store/postgres/database.ts'
import { openPostgres, type PostgresStore } from '#store/postgres/open-postgres-store.ts'
import { migratePostgres } from '#store/postgres/migrate.ts'
import { planScale } from '#store/postgres/plan-or-apply-distribution.ts'
import { ShardGroups } from '#store/postgres/shard-groups.ts'
import { verifyPostgres } from '#store/postgres/verify.ts'
import { prunePostgres } from '#store/prune-uncharged-calls.ts'
import { foldSpending } from '#store/sum-spending-of-keys.ts'
import { foldUsageDays } from '#store/usage-sums-by-day.ts'
import { seedPostgres, sumPostgres } from '../../tools/seed/seed-store.ts'
import { personId, seededApplication } from '../../tools/seed/sql-that-fills-store.ts'
import { World } from '../store-conformance/add-rows-that-calls-need.ts'
import {
  type Citus,
  distribution,
  hasCitus,
  rowsOf,
  startPlainCitus,
} from '../support/start-citus-cluster.ts'
import { randomFrom, seedOfRun } from '../support/seeded-random.ts'
import { evenShardGroups } from '../support/equal-shard-groups.ts'
import { readsOf } from '../support/store-reads-of-lists-and-reports.ts'

const size = { calls: 20_000, people: 300, days: 40, nowMs: Date.now() }
const seed = seedOfRun()

describe.skipIf(!hasCitus)(`a filled database on Citus (SEED=${seed})`, { timeout: 600_000 }, () => {
  let citus: Citus
  let counts: ReadonlyMap<string, number>
  let results: ReadonlyMap<string, unknown>

  beforeAll(async () => {
    citus = await startPlainCitus(async (url) => {
      await seedPostgres(url, size)
      await sumPostgres(url, size.nowMs)
      counts = await countsOf(url)
      results = await resultsOf(url, false)
    })
  }, 600_000)
  afterAll(() => citus.end())

  test('apply is rejected while a server is running', async () => {
    const store = await open(citus.ownerUrl)
    await expect(citus.distribute()).rejects.toThrow('A server process uses the database')
    await store.close()
  })

  test('`plan` rejects a team whose payer and member would be on different shards', async () => {
    const groups = new ShardGroups(evenShardGroups(distribution.shards))
    const ids = Array.from({ length: size.people }, (_, n) => personId(n))
    const [payer = '', ...others] = ids
    const near = others.find((id) => groups.of(id) === groups.of(payer))
    const far = others.find((id) => groups.of(id) !== groups.of(payer))
    const join = (id: string | undefined, payerId: string | null) =>
      rowsOf(citus.ownerUrl, 'UPDATE end_users SET payer_id = $1 WHERE id = $2', [payerId, id])
    const plan = () => planScale({ ...distribution, url: citus.ownerUrl })
    await join(near, payer)
    expect(await plan()).not.toEqual([])
    await join(far, payer)
    await expect(plan()).rejects.toThrow('1 end users are or were in teams')
    for (const id of [near, far]) await join(id, null)
  })

  test('`apply` can be killed at any step, and the next `apply` continues and keeps every row', async () => {
    const { ownerUrl } = citus
    const planned = await planScale({ ...distribution, url: ownerUrl })
    const random = randomFrom(seed)
    const begun = new Set<string>()
    let killed = 0
    for (;;) {
      let ending: Promise<unknown> = Promise.resolve()
      const applied = citus.distribute((step) => {
        if (begun.has(step)) return
        begun.add(step)
        ending = killAfter(ownerUrl, random.whole(0, 40))
      })
      const isDone = await applied.then(
        () => true,
        () => false,
      )
      await ending
      if (isDone) break
      killed += 1
      const stillPlanned = await planScale({ ...distribution, url: ownerUrl })
      expect(stillPlanned.length).toBeLessThanOrEqual(planned.length)
      const groups = await rowsOf(ownerUrl, 'SELECT FROM shard_groups')
      if (groups.length === 0) await expect(open(ownerUrl)).rejects.toThrow('only partly distributed')
    }
    console.log(`${planned.length} steps, killed ${killed} times`)
    expect(begun).toEqual(new Set(planned))
    expect(killed).toBeGreaterThan(planned.length / 2)
    expect(await planScale({ ...distribution, url: ownerUrl })).toEqual([])
    expect(await countsOf(ownerUrl)).toEqual(counts)
  })

  test('every check of `verify` passes, for the owner of the tables and for the servers’ database role', async () => {
    for (const url of [citus.ownerUrl, citus.url]) {
      const checks = await verifyPostgres(url)
      expect(checks.filter(({ difference }) => difference !== null)).toEqual([])
      expect(checks.length).toBeGreaterThan(30)
    }
  })

  test('every list and every report returns the same as before', async () => {
    const after = await resultsOf(citus.url, true)
    const different = [...results].filter(([name, result]) => !isDeepStrictEqual(after.get(name), result))
    expect(different.map(([name]) => name)).toEqual([])
  })

  test('the servers’ database role can add records on any node, and cannot change or delete records', async () => {
    const shards = await rowsOf(
      citus.ownerUrl,
      `SELECT DISTINCT ON (table_name) shard_name, nodeport FROM citus_shards
       WHERE table_name::text ~ '^(ledger|usage_records|quotes|call_corrections)' AND nodeport <> inet_server_port()
       ORDER BY table_name, shard_name`,
    )
    const tables = await rowsOf(
      citus.ownerUrl,
      `SELECT c.relname FROM pg_class c WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
         AND c.relname ~ '^(ledger|usage_records|quotes|call_corrections)(_[0-9]{4}_[0-9]{2})?$'`,
    )
    const places = [
      ...tables.map(({ relname }) => ({ url: citus.url, table: String(relname) })),
      ...shards.map(({ nodeport, shard_name: table }) => {
        const url = new URL(citus.url)
        url.port = String(nodeport)
        return { url: url.href, table: String(table) }
      }),
    ]
    expect(places.length).toBeGreaterThan(10)
    for (const { table, url } of places) {
      for (const change of [
        `DELETE FROM ${table}`,
        `UPDATE ${table} SET column = column`,
        `TRUNCATE ${table}`,
      ]) {
        await expect(rowsOf(url, change.replaceAll('column', columnOf(table))), change).rejects.toThrow(
          /^permission denied|because it is a shard of a distributed table$/,
        )
      }
    }
    await expect(rowsOf(citus.url, `SELECT add_partition('keys', 'keys_2031_01', '0', '1')`)).rejects.toThrow(
      'is not the name of a monthly partition',
    )
  })

  test('`verify` reports a role that can change records', async () => {
    await rowsOf(citus.ownerUrl, `GRANT UPDATE ON ledger TO ${distribution.role}`)
    const checks = await verifyPostgres(citus.ownerUrl)
    expect(checks.flatMap(({ difference }) => difference ?? [])).toEqual([
      'ledger can be changed by tollgate_server: its trigger is missing or disabled',
    ])
    await expect(open(citus.url)).rejects.toThrow('The role tollgate_server can change records in ledger.')
    expect(await planScale({ ...distribution, url: citus.ownerUrl })).toHaveLength(1)
    await citus.distribute()
    expect((await verifyPostgres(citus.ownerUrl)).filter(({ difference }) => difference !== null)).toEqual([])
  })

  test('the sums of past days and hours are stored, and old requests are pruned', async () => {
    const store = await open(citus.url)
    const nowMs = size.nowMs + 3 * dayMs
    expect(await foldUsageDays(store.database, nowMs)).toBeGreaterThan(0)
    await foldSpending(store.database)
    await foldCallHours(store.database, nowMs, store.hours)
    await store.close()
    const before = await countsOf(citus.ownerUrl)
    const pruned = await prunePostgres(citus.ownerUrl, size.nowMs - 5 * dayMs)
    expect(pruned.rows).toBeGreaterThan(0)
    const after = await countsOf(citus.ownerUrl)
    expect(after.get('requests')).toBe((before.get('requests') ?? 0) - pruned.rows)
    expect((await verifyPostgres(citus.url)).filter(({ difference }) => difference !== null)).toEqual([])
  })

  test('a server that connects as the owner of the tables is rejected', async () => {
    await expect(open(citus.ownerUrl)).rejects.toThrow(
      'The role tollgate can change records in call_corrections, ledger',
    )
  })

  test('after a shard is moved, `verify` reports its new node, and `apply` sets the next numbers of ledger entries on that node', async () => {
    const endUserId = personId(1)
    let grants = 0
    const credit = async (): Promise<void> => {
      const store = await open(citus.url)
      for (let times = 0; times < 5; times++) {
        const grantId = `gr_moved${++grants}`
        const credited = await worldOn(store).credit([endUserId], 10n, { grantId })
        expect(credited).toMatchObject({ kind: 'credited', isReplay: false })
      }
      await store.close()
    }
    await credit()
    const [place] = await rowsOf(
      citus.ownerUrl,
      `SELECT shardid, nodeport FROM citus_shards
       WHERE shardid = get_shard_id_for_distribution_column('end_users', $1::text)`,
      [endUserId],
    )
    const target = citus.nodes.find(({ port }) => port !== place?.nodeport)
    await rowsOf(
      citus.ownerUrl,
      `SELECT citus_move_shard_placement($1, '127.0.0.1', $2, '127.0.0.1', $3, 'block_writes')`,
      [place?.shardid, place?.nodeport, target?.port],
    )
    const differences = async (): Promise<string[]> =>
      (await verifyPostgres(citus.ownerUrl)).flatMap(({ difference }) => difference ?? [])
    expect(await differences()).toEqual([
      `127.0.0.1:${target?.port} has entries with the next numbers: run tollgate scale apply`,
    ])
    await citus.distribute()
    expect(await differences()).toEqual([])
    await credit()
    expect(await differences()).toEqual([])
  })

  test('a migration runs, and `apply` gives running servers the rights for the new tables', async () => {
    const store = await open(citus.url)
    const all = migrationsFor('postgres')
    const session = await connect({ url: citus.ownerUrl, access: 'write', isPatient: true })
    await migratePostgres(session, [...all, { version: all.length + 1, name: 'more', sql: migration }])
    await session.query('DELETE FROM schema_versions WHERE version > $1', [all.length])
    await session.end()
    await expect(rowsOf(citus.url, 'SELECT FROM more_settings')).rejects.toThrow('permission denied')
    await citus.distribute()
    expect(await rowsOf(citus.url, 'SELECT FROM more_settings')).toEqual([])
    expect(await rowsOf(citus.url, 'SELECT more FROM end_users WHERE more IS NOT NULL')).toEqual([])
    await store.close()
  })
})

/** Contains every kind of statement that a migration may have (migrations/list-and-load-migrations.ts). */
const migration = `
  -- A comment; with a semicolon.
  CREATE TABLE more_settings (application_id TEXT NOT NULL PRIMARY KEY REFERENCES applications (id));
  ALTER TABLE end_users ADD COLUMN more TEXT;
  ALTER TABLE end_users ADD CONSTRAINT end_users_more CHECK (more <> 'a;b');
  ALTER TABLE usage_records ADD COLUMN more BIGINT;
  ALTER TABLE applications ADD COLUMN more BIGINT;
  CREATE INDEX usage_records_more ON usage_records (more) WHERE more IS NOT NULL;
  CREATE FUNCTION more_of(n BIGINT) RETURNS BIGINT LANGUAGE plpgsql AS $$ BEGIN RETURN n; END $$;`

/** The operations of this world concern the end users that tools/seed has added. */
function worldOn(store: PostgresStore): World {
  return Object.assign(new World(store, { nowMs: Date.now() }), { applicationId: seededApplication })
}

function columnOf(table: string): string {
  return table.startsWith('quotes') ? 'body' : 'application_id'
}

function open(url: string): Promise<PostgresStore> {
  return openPostgres({
    url,
    nowMs: Date.now,
    onFatal: (error) => {
      throw error
    },
  })
}

/** Ending the connection of `scale apply` has the effect of killing its process. */
async function killAfter(url: string, delayMs: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, delayMs))
  await rowsOf(
    url,
    `SELECT pg_terminate_backend(a.pid) FROM pg_stat_activity a JOIN pg_locks l ON l.pid = a.pid
     WHERE l.locktype = 'advisory' AND l.classid = $1`,
    [0x746f_6c6c],
  )
}

/** Excludes the tables of lanes and epochs, because their rows belong to processes. */
async function countsOf(url: string): Promise<ReadonlyMap<string, number>> {
  const tables = await rowsOf(
    url,
    `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
       AND NOT relispartition AND relname NOT IN ('epochs', 'lanes', 'shard_groups') ORDER BY 1`,
  )
  const counts = new Map<string, number>()
  for (const { relname } of tables) {
    const [row] = await rowsOf(url, `SELECT count(*)::int AS rows FROM ${String(relname)}`)
    counts.set(String(relname), Number(row?.rows))
  }
  return counts
}

async function resultsOf(url: string, isDistributed: boolean): Promise<ReadonlyMap<string, unknown>> {
  const pools = [poolOf({ url, access: 'read' }, 2), poolOf({ url, access: 'write' }, 1)] as const
  const { read } = sqlStore(new PostgresDatabase(...pools, { isDistributed }))
  const results = new Map<string, unknown>()
  for (const [name, one] of Object.entries(readsOf(size))) {
    const result = await one(read, randomFrom(seed)).catch(String)
    // The rows of `health` have no fixed order.
    results.set(name, name === 'health' ? sorted(result) : result)
  }
  for (const pool of pools) await pool.end()
  return results
}

function sorted(value: unknown): unknown {
  if (!Array.isArray(value)) {
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, sorted(one)]))
  }
  return value.map(sorted).toSorted((one, other) => (inspect(one) < inspect(other) ? -1 : 1))
}
