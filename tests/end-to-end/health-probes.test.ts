import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { readConfig } from '#app/server-configuration.ts'
import { openStore } from '#app/open-store.ts'
import { readinessOf } from '#app/readiness.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { answerOf, arrival, eventually, makeApplication, startServer } from '../support/start-product.ts'

const probe = async (baseUrl: string, path: string): Promise<unknown[]> => {
  const { body, status } = await fetch(baseUrl + path).then(answerOf)
  return [status, body]
}

test('a healthy server reports each of its dependencies as healthy', async () => {
  const server = await startServer()
  for (const path of ['/health', '/healthz']) {
    // oxlint-disable-next-line no-await-in-loop -- two
    expect(await probe(server.baseUrl, path)).toEqual([200, { status: 'ok' }])
  }
  const checks = { server: 'ok', store: 'ok', migrations: 'ok', clock: 'ok' }
  expect(await probe(server.baseUrl, '/readyz')).toEqual([200, { status: 'ready', checks }])
  await server.close()
})

test('the health report names a store that lacks migrations, and a clock that is behind the ledger', async () => {
  const folder = newDataFolder('probes')
  const server = await startServer({ folder })
  const app = await makeApplication(server)
  const user = await app.newUser({ balanceMicros: 1_000_000n })
  const database = new DatabaseSync(join(folder, 'tollgate.db'), { timeout: 0 })
  // The server runs on this thread and must finish its open transaction, so never block the thread to wait for the
  // lock.
  const setVersion = (to: number): Promise<void> =>
    eventually(async () => database.exec(`PRAGMA user_version = ${to}`))
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version'])
  await setVersion(version - 1)
  expect(await probe(server.baseUrl, '/readyz')).toMatchObject([
    503,
    {
      status: 'not_ready',
      checks: {
        store: 'ok',
        migrations: `the store is at version ${version - 1}, and this program needs ${version}`,
      },
    },
  ])
  await setVersion(version)
  expect((await app.call(user)).status).toBe(200)
  database.close()
  const real = Date.now
  try {
    Date.now = () => real() - 3_600_000
    const [status, body] = await probe(server.baseUrl, '/readyz')
    expect([status, JSON.stringify(body)]).toEqual([
      503,
      expect.stringMatching(/ahead of the clock of this process by 3[56]\d\d s/),
    ])
  } finally {
    Date.now = real
  }
  await app.provider.close()
  await server.close()
  rmSync(folder, { recursive: true })
})

test('a stopping server accepts no new health probe, and reports to an earlier probe that it is not ready', async () => {
  const server = await startServer()
  const app = await makeApplication(server)
  const user = await app.newUser({ balanceMicros: 1_000_000n })
  const arrived = arrival(app.provider)
  app.provider.enqueue({ hang: 'headers' })
  const call = app.call(user)
  await arrived
  const closing = server.close()
  await expect(fetch(`${server.baseUrl}/readyz`)).rejects.toThrow('fetch failed')
  app.provider.release()
  expect((await call).status).toBe(200)
  await closing
  await app.provider.close()

  const folder = newDataFolder('probes')
  const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
  const store = await openStore(readConfig({ TOLLGATE_DATA: folder }), quiet)
  expect(await readinessOf(store, false, Date.now())).toEqual({
    isReady: false,
    checks: { server: 'stopping', store: 'ok', migrations: 'ok', clock: 'ok' },
  })
  await store.close()
  rmSync(folder, { recursive: true })
})

test('if the store does not respond, the health probe reports this after a limited time', async () => {
  const folder = newDataFolder('probes')
  const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
  const store = await openStore(readConfig({ TOLLGATE_DATA: folder }), quiet)
  const noResponse = (): Promise<never> => new Promise(() => {})
  const unknown = 'unknown while the store does not respond'
  expect(await readinessOf({ ...store, fault: noResponse }, true, Date.now(), 1)).toEqual({
    isReady: false,
    checks: { server: 'ok', store: 'it did not respond within 1 ms', migrations: unknown, clock: unknown },
  })

  // If only the check of the database nodes is late, the other nodes still serve their end users.
  const { rows } = store
  const read = { ...rows.read, diagnosis: { ...rows.read.diagnosis, nodesAway: noResponse } }
  expect(await readinessOf({ ...store, rows: { ...rows, read } }, true, Date.now(), 3_000)).toMatchObject({
    isReady: true,
    checks: { store: 'ok', migrations: 'ok', clock: 'ok', nodes: 'at least one node responds slowly' },
  })
  await store.close()
  rmSync(folder, { recursive: true })
})
