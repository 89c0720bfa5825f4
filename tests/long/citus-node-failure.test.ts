/**
 * If a Citus node is stopped or does not respond, requests of its end users return 503 before a provider is called.
 * Requests of all other end users are served.
 */
import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Client } from 'pg'
import { pendingInPostgres } from '#store/postgres/migrate.ts'
import { withClient } from '#store/postgres/connection.ts'
import { openPostgres } from '#store/postgres/open-postgres-store.ts'
import {
  type Application,
  control,
  eventually,
  type LocalServer,
  makeApplication,
  settledBalance,
  startServer,
  type User,
} from '../support/start-product.ts'
import { postAt } from '../support/send-post-to-process-port.ts'
import { type Citus, hasCitus, rowsOf, startCitus } from '../support/start-citus-cluster.ts'

const credit = 1_000_000_000n
/** The maximum time of a statement (postgres/connection.ts), plus time for a busy machine to run this test. */
const statementMs = 10_000 + 5_000

describe.skipIf(!hasCitus)('a server on Citus while a node does not respond', { timeout: 600_000 }, () => {
  let citus: Citus
  let server: LocalServer
  let app: Application
  const away: User[] = []
  const others: User[] = []
  let address: string
  let started: LocalServer
  let stoppedEpoch: number

  beforeAll(async () => {
    citus = await startCitus()
    server = await startServer({ databaseUrl: citus.url, mayLogFaults: true })
    app = await makeApplication(server)
    const users: User[] = []
    for (let made = 0; made < 12; made++) users.push(await app.newUser({ balanceMicros: credit }))
    address = `127.0.0.1:${citus.nodes[0]?.port}`
    for (const user of users) {
      if ((await citus.nodeOf(user.endUserId)) === 0) away.push(user)
      else others.push(user)
    }
    // These two calls cache one key for each node, and the server must look up all other keys.
    for (const [first] of [away, others]) {
      if (first === undefined) throw new Error('both nodes have end users')
      await app.call(first)
    }
  }, 600_000)
  afterAll(() => citus.end())

  const grant = (key: string) =>
    control(
      server,
      'POST',
      '/v1/grants',
      {
        endUsers: [...away, ...others].map(({ externalId }) => externalId),
        amountUnits: '7',
        reason: 'test',
        idempotencyKey: key,
      },
      { 'x-svc-app': app.slug },
    )
  const callAtStarted = ({ key }: User) =>
    postAt(started.port, app.bodyOf(), {
      host: app.gatewayHost,
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
    })
  const entriesOf = (key: string) =>
    rowsOf(
      citus.ownerUrl,
      'SELECT end_user_id FROM ledger WHERE grant_id IN (SELECT id FROM grants WHERE idempotency_key = $1)',
      [key],
    )

  test('if the node stops during a grant, the grant returns 503, and so do new grants', async () => {
    // The lock makes the grant wait at the shard of the node's first end user.
    const lock = new Client({ connectionString: citus.ownerUrl })
    lock.on('error', () => {})
    await lock.connect()
    await lock.query('BEGIN')
    await lock.query('SELECT FROM end_users WHERE id = $1 FOR UPDATE', [away[0]?.endUserId])
    const begun = grant('begun')
    await eventually(async () =>
      expect(
        await rowsOf(
          citus.ownerUrl,
          `SELECT FROM grants WHERE idempotency_key = 'begun' AND pending IS NOT NULL`,
        ),
      ).toHaveLength(1),
    )
    await citus.nodes[0]?.stopImmediate()
    await lock.end().catch(() => {})
    for (const { body, headers, status } of [await begun, await grant('new')]) {
      expect([status, body.error?.code]).toEqual([503, 'store_unavailable'])
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    }
  })

  test('requests of end users of the failed node return 503 with retry-after, and no provider is called', async () => {
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

  test('`/readyz` and the doctor name the stopped node, and the server remains ready', async () => {
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

  test('another server starts, names the stopped node, and serves all other end users', async () => {
    expect(
      await withClient({ url: citus.url, access: 'read' }, (client) => pendingInPostgres(client)),
    ).toEqual([])
    started = await startServer({
      folder: server.folder,
      token: server.token,
      databaseUrl: citus.url,
      mayLogFaults: true,
    })
    const ready = await fetch(`${started.baseUrl}/readyz`)
    expect(ready.status).toBe(200)
    expect(((await ready.json()) as { checks: Record<string, string> }).checks.nodes).toContain(address)
    const { body } = await control(started, 'GET', '/v1/diagnose', undefined, { 'x-svc-app': app.slug })
    expect(body.findings.map(({ code }: { code: string }) => code)).toContain('node_unavailable')
    const before = app.provider.calls.length
    for (const user of others) expect((await callAtStarted(user)).status).toBe(200)
    expect(app.provider.calls).toHaveLength(before + others.length)
    for (const user of away) expect((await callAtStarted(user)).status).toBe(503)
    expect(app.provider.calls).toHaveLength(before + others.length)
  })

  test('if a process stops while the node does not respond, its epoch ends when the node responds again', async () => {
    const store = await openPostgres({
      url: citus.url,
      nowMs: Date.now,
      onFatal: (error) => {
        throw error
      },
    })
    stoppedEpoch = store.epoch
    await store.close()
  })

  test('when the node responds again, both servers serve its end users, and the ledger adds up', async () => {
    await citus.nodes[0]?.start()
    for (const call of [callAtStarted, (user: User) => app.call(user)]) {
      await eventually(async () => {
        for (const user of away) expect((await call(user)).status).toBe(200)
      })
    }
    for (const key of ['begun', 'new']) {
      await eventually(async () => expect((await grant(key)).status).toBe(200))
      const credited = (await entriesOf(key)).map(({ end_user_id: id }) => String(id)).toSorted()
      expect(credited).toEqual([...away, ...others].map(({ endUserId }) => endUserId).toSorted())
    }
    await eventually(async () => {
      const [row] = await rowsOf(citus.ownerUrl, 'SELECT ended_at_ms FROM epochs WHERE epoch = $1', [
        stoppedEpoch,
      ])
      expect(row?.ended_at_ms).not.toBeNull()
    }, 120_000)
    for (const user of [...away, ...others]) expect(await settledBalance(user)).toBeLessThan(credit + 14n)
    await started.close()
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

  test('after 30 s more under load, the node responds again, and the ledger adds up', async () => {
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
