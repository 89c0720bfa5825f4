import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rebalanceShards } from '#store/postgres/rebalance.ts'
import { verifyPostgres } from '#store/postgres/verify.ts'
import { type Citus, distribution, hasCitus, rowsOf, startCitus } from '../support/start-citus-cluster.ts'
import {
  type Application,
  eventually,
  type LocalServer,
  makeApplication,
  settledBalance,
  startServer,
  type User,
} from '../support/start-product.ts'

const credit = 1_000_000_000n

describe.skipIf(!hasCitus)('rebalancing on Citus under load', { timeout: 600_000 }, () => {
  let citus: Citus
  let server: LocalServer
  let app: Application
  const users: User[] = []

  beforeAll(async () => {
    citus = await startCitus({ nodes: 1 })
    server = await startServer({ databaseUrl: citus.url, mayLogFaults: true })
    app = await makeApplication(server)
    for (let made = 0; made < 16; made++) users.push(await app.newUser({ balanceMicros: credit }))
  }, 600_000)
  afterAll(() => citus.end())

  test('shards move to an added node while requests are served, and no data is lost', async () => {
    const charged = new Map<User, bigint>(users.map((user) => [user, 0n]))
    const statuses = new Map<number, number>()
    const load = { isOver: false }
    const lines = users.map(async (user) => {
      while (!load.isOver) {
        // oxlint-disable-next-line no-await-in-loop -- one request after the other
        const { headers, status } = await app.call(user, {}, { headers: { 'x-svc-report': '1' } })
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        const micros = BigInt(headers.get('x-svc-charge-micros') ?? 0)
        charged.set(user, (charged.get(user) ?? 0n) + micros)
      }
    })
    const moves: string[] = []
    await citus.addNode()
    const rebalanced = rebalanceShards({ role: distribution.role, url: citus.ownerUrl }, (step) => {
      moves.push(step)
    })
    await rebalanced.finally(() => {
      load.isOver = true
    })
    await Promise.all(lines)
    console.log(moves.join('; '), Object.fromEntries(statuses))
    expect(moves).toHaveLength(distribution.shards / 2)
    const places = await rowsOf(
      citus.ownerUrl,
      `SELECT nodeport, count(*)::int AS shards FROM citus_shards WHERE table_name = 'end_users'::regclass
       GROUP BY nodeport`,
    )
    expect(places.map(({ shards }) => shards)).toEqual([2, 2])
    // A request that arrives while its shard moves may be rejected, but only before a provider is called.
    for (const status of statuses.keys()) expect([200, 503]).toContain(status)
    const served = statuses.get(200) ?? 0
    expect(served).toBeGreaterThan(users.length)
    expect(app.provider.calls).toHaveLength(served)
    await eventually(async () => {
      for (const user of users) {
        expect((await user.balance()).reservedMicros).toBe(0n)
        expect(await settledBalance(user)).toBe(credit - (charged.get(user) ?? 0n))
      }
    })
  })

  test('after the shards have moved, the sequence numbers of ledger entries still rise, and the ledger adds up', async () => {
    for (const user of users) expect((await app.call(user)).status).toBe(200)
    expect((await verifyPostgres(citus.ownerUrl)).filter(({ difference }) => difference !== null)).toEqual([])
    const falling = await rowsOf(
      citus.ownerUrl,
      `SELECT end_user_id FROM (SELECT end_user_id, sequence, lag(sequence) OVER (
         PARTITION BY end_user_id ORDER BY created_at_ms, sequence) AS before FROM ledger) entries
       WHERE sequence < before`,
    )
    expect(falling).toEqual([])
    await server.close()
    await app.provider.close()
  })
})
