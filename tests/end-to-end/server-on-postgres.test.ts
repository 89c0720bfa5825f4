import { rmSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ConfigFaults, readConfig } from '#app/server-configuration.ts'
import { newDataFolder } from '../support/data-folder.ts'
import {
  control,
  eventually,
  makeApplication,
  settledBalance,
  startServer,
} from '../support/start-product.ts'
import { startPooler } from '../support/connection-pooler.ts'
import { hasPostgres, startPostgres, type TestDatabase } from '../support/start-postgres.ts'
import { migratedDatabase } from '../support/reused-databases.ts'

describe.skipIf(!hasPostgres)('on PostgreSQL', () => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await migratedDatabase()
  })
  afterEach(() => database.drop())

  test('a call over PostgreSQL is held, answered, charged and explained', async () => {
    const server = await startServer({ databaseUrl: database.url })
    const acme = await makeApplication(server)
    const ada = await acme.newUser({ balanceMicros: 1_000_000n })
    for (const stream of [false, true]) {
      const { status } = await acme.call(ada, { stream, max_tokens: 50 })
      expect(status).toBe(200)
    }
    const requests = await ada.requests()
    expect(requests.map(({ status }) => status)).toEqual(['settled', 'settled'])
    const explained = await acme.api('GET', `/v1/requests/${requests[0].id}`)
    expect(explained.ledger).toHaveLength(1)
    expect(await settledBalance(ada)).toBeLessThan(1_000_000n)
    await server.close()
  })

  test('key limits, frozen end users and sell prices work as on the embedded store', async () => {
    const server = await startServer({ databaseUrl: database.url })
    const acme = await makeApplication(server, { bundle: { priceMicros: '0' } })
    const ada = await acme.newUser({ balanceMicros: 1_000_000n, capMicros: 1n })
    expect((await acme.call(ada)).body.error.code).toBe('spend_limit_exceeded')
    const bob = await acme.newUser({ balanceMicros: 1_000_000n })
    expect((await acme.call(bob)).status).toBe(200)
    await acme.api('POST', `/v1/end-users/${bob.externalId}/freeze`)
    expect((await acme.call(bob)).body.error.code).toBe('end_user_frozen')
    await server.close()
  })

  test('two servers on one database share one balance, and a change is visible at both immediately', async () => {
    const folder = newDataFolder('two')
    const one = await startServer({ databaseUrl: database.url, folder })
    const acme = await makeApplication(one)
    const ada = await acme.newUser({ balanceMicros: 1_000_000n })
    const other = await startServer({
      databaseUrl: database.url,
      folder,
      token: one.token,
      mayLogFaults: true,
    })
    const there = await acme.again(other)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? acme : there).call(ada, { max_tokens: 20 })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    await acme.api('DELETE', `/v1/keys/${ada.keyId}`)
    expect((await there.call(ada)).body.error.code).toBe('key_revoked')
    await other.close()
    await settledBalance(ada)
    await one.close()
    rmSync(folder, { recursive: true })
  })

  test('the error for an unreachable or invalid database does not contain the password', async () => {
    const unreachable = database.url.replace('tollgate@', 'tollgate:hidden-canary@').replace(/:\d+\//, ':1/')
    const failing: unknown = await startServer({ databaseUrl: unreachable }).catch((error: unknown) => error)
    expect(String(failing)).toContain('ECONNREFUSED')
    expect(String(failing)).not.toContain('hidden-canary')
    const wrong = 'mysql://user:hidden-canary@host/db'
    expect(() => readConfig({ DATABASE_URL: wrong })).toThrow(ConfigFaults)
    expect(() => readConfig({ DATABASE_URL: wrong })).not.toThrow('hidden-canary')
  })

  test('a pooler in session mode is used, and a pooler in transaction mode is reported at the start', async () => {
    const { hostname, port } = new URL(database.url)
    const through = (pooler: { port: number }): string =>
      database.url.replace(`${hostname}:${port}`, `127.0.0.1:${pooler.port}`)
    const sharing = await startPooler(Number(port), 'transaction')
    await expect(startServer({ databaseUrl: through(sharing) })).rejects.toThrow(
      'Set the pooler to session mode',
    )
    await sharing.close()
    const pooler = await startPooler(Number(port), 'session')
    const server = await startServer({ databaseUrl: through(pooler) })
    const acme = await makeApplication(server)
    const ada = await acme.newUser({ balanceMicros: 1_000_000n })
    expect((await acme.call(ada)).status).toBe(200)
    await settledBalance(ada)
    await server.close()
    await pooler.close()
  })

  test('new calls are rejected while the database is unavailable, and served when it is available again', async () => {
    const postgres = await startPostgres({ isDurable: true })
    const server = await startServer({ databaseUrl: postgres.url('postgres'), mayLogFaults: true })
    const acme = await makeApplication(server)
    const ada = await acme.newUser({ balanceMicros: 1_000_000n })
    expect((await acme.call(ada)).status).toBe(200)
    const reached = acme.provider.calls.length
    await postgres.stopImmediate()
    const refused = await acme.call(ada)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, expect.any(String)])
    expect(acme.provider.calls).toHaveLength(reached)
    // The token cannot be checked, so the response contains nothing else.
    const { status, text } = await control(server, 'GET', '/metrics')
    expect([status, text.match(/^tollgate_.*$/gm)]).toEqual([200, ['tollgate_store_up 0']])
    const wrong = await control({ ...server, token: 'sk_wrong' }, 'GET', '/metrics')
    expect(wrong.status).toBe(401)
    await postgres.start()
    await eventually(async () => {
      expect((await acme.call(ada)).status).toBe(200)
    })
    await settledBalance(ada)
    await server.close()
    await postgres.end()
  })
})
