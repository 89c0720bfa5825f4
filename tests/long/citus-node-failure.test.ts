/**
 * If a node of Citus does not run or does not respond, requests of its end users are rejected before a provider is
 * called, and all others continue. Skipped if the extension is not installed (tests/support/citus.ts).
 */
import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Application,
  eventually,
  type LocalServer,
  makeApplication,
  settledBalance,
  startServer,
  type User,
} from '../support/harness.ts'
import { type Citus, hasCitus, rowsOf, startCitus } from '../support/citus.ts'

const credit = 1_000_000_000n
/** The maximum time of a statement (postgres/connection.ts), plus time for a busy machine to run this test. */
const statementMs = 10_000 + 5_000

describe.skipIf(!hasCitus)('a server on Citus while a node does not respond', { timeout: 600_000 }, () => {
  let citus: Citus
  let server: LocalServer
  let app: Application
  /** The end users of the node that does not respond, and all others. */
  const away: User[] = []
  const others: User[] = []
  let address: string

  beforeAll(async () => {
    citus = await startCitus()
    server = await startServer({ databaseUrl: citus.url, mayLogFaults: true })
    app = await makeApplication(server)
    const users: User[] = []
    for (let made = 0; made < 12; made++) users.push(await app.newUser({ balanceMicros: credit }))
    const [node] = citus.nodes
    if (node === undefined) throw new Error('the cluster has nodes')
    address = `127.0.0.1:${node.port}`
    for (const user of users) {
      const [place] = await rowsOf(
        citus.ownerUrl,
        `SELECT nodeport FROM citus_shards WHERE shardid = get_shard_id_for_distribution_column('end_users', $1::text)`,
        [user.endUserId],
      )
      if (place?.nodeport === node.port) away.push(user)
      else others.push(user)
    }
    // The server remembers one key of each node, and looks up the others.
    for (const [first] of [away, others]) {
      if (first === undefined) throw new Error('both nodes have end users')
      await app.call(first)
    }
    await node.stopImmediate()
  }, 600_000)
  afterAll(() => citus.end())

  test('requests of its end users return 503 with retry-after, and no provider is called', async () => {
    const before = app.provider.calls.length
    for (const user of away) {
      const { body, headers, status } = await app.call(user)
      expect(status).toBe(503)
      expect(body.error.code).toBe('store_unavailable')
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect(app.provider.calls).toHaveLength(before)
  })

  test('requests of all other end users are served, with keys that the server has not used yet', async () => {
    const responses = await Promise.all([...others, ...others].map((user) => app.call(user)))
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
  })

  test('/readyz and the doctor name the node, and the server remains ready', async () => {
    const ready = await fetch(`${server.baseUrl}/readyz`)
    expect(ready.status).toBe(200)
    const { checks } = (await ready.json()) as { checks: Record<string, string> }
    expect(checks.nodes).toContain(address)
    const { findings } = await app.api('GET', '/v1/diagnose')
    expect(findings).toContainEqual(
      expect.objectContaining({
        code: 'node_unavailable',
        severity: 'error',
        resource: { type: 'server', id: address },
      }),
    )
  })

  test('when the node responds again, its end users are served, and the ledger adds up', async () => {
    await citus.nodes[0]?.start()
    await eventually(async () => {
      for (const user of away) expect((await app.call(user)).status).toBe(200)
    })
    for (const user of [...away, ...others]) expect(await settledBalance(user)).toBeLessThan(credit)
    const { findings } = await app.api('GET', '/v1/diagnose')
    expect(findings.filter(({ severity }: { severity: string }) => severity === 'error')).toEqual([])
    expect(
      findings.filter(({ resource }: { resource: { type: string } }) => resource.type === 'check'),
    ).toEqual([])
    const checks = await (await fetch(`${server.baseUrl}/readyz`)).json()
    expect(checks).not.toHaveProperty('checks.nodes')
  })

  test('while the node does not respond, its end users get 503 within time limits, and all others are served', async () => {
    const before = app.provider.calls.length
    citus.nodes[0]?.pause()
    const startedMs = performance.now()
    const tried = Promise.all(
      away.map(async (user) => {
        const answer = await app.call(user)
        return { ...answer, tookMs: performance.now() - startedMs }
      }),
    )
    let served = 0
    let slowestMs = 0
    const isOver = tried.then(() => true)
    while (!(await Promise.race([isOver, Promise.resolve(false)]))) {
      const beganMs = performance.now()
      const { status } = await app.call(others[served % others.length] ?? assert.fail())
      slowestMs = Math.max(slowestMs, performance.now() - beganMs)
      expect(status).toBe(200)
      served += 1
    }
    const answers = await tried
    console.log(
      `503 after ${answers.map(({ tookMs }) => Math.round(tookMs)).join(', ')} ms; ${served} others, at most ${Math.round(slowestMs)} ms`,
    )
    for (const { body, headers, status, tookMs } of answers) {
      expect([status, body.error?.code]).toEqual([503, 'store_unavailable'])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
      expect(tookMs).toBeLessThan(statementMs)
    }
    expect(app.provider.calls).toHaveLength(before + served)
    expect(served).toBeGreaterThan(others.length)
  })

  test('after more requests for 30 s, the node responds again, and the books are exact', async () => {
    const endsAtMs = performance.now() + 30_000
    while (performance.now() < endsAtMs) {
      for (const one of others) expect((await app.call(one)).status).toBe(200)
      for (const one of away) expect((await app.call(one)).status).toBe(503)
    }
    citus.nodes[0]?.resume()
    await eventually(async () => {
      for (const one of away) expect((await app.call(one)).status).toBe(200)
    })
    await server.close()
    await app.provider.close()
  })
})
