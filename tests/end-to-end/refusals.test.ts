/** What a refused caller is told can be looked up at once, on any process. */
import { describe, expect, test } from 'vitest'
import {
  control,
  makeApplication,
  startServer,
  type Application,
  type LocalServer,
} from '../support/harness.ts'
import { hasPostgres, newDatabase } from '../support/postgres.ts'

async function refusals(app: Application): Promise<string[]> {
  const poor = await app.newUser()
  const rich = await app.newUser({ balanceMicros: 1_000_000n })
  const none = { model: 'acme/none' }
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, i) => (i % 2 === 0 ? app.call(poor) : app.call(rich, none))),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([402, 404]))
  return answers.map(({ headers }) => headers.get('x-request-id') ?? '')
}

async function explained(server: LocalServer, app: Application, ids: readonly string[]): Promise<void> {
  const headers = { 'x-svc-app': app.slug }
  const found = await Promise.all(
    ids.map((id) => control(server, 'GET', `/v1/requests/${id}`, undefined, headers)),
  )
  expect(found.map(({ status }) => status)).toEqual(ids.map(() => 200))
}

describe('the explanation of a refusal is there when the refusal is', () => {
  test('on SQLite', async () => {
    const server = await startServer()
    const app = await makeApplication(server)
    for (let i = 0; i < 3; i++) await explained(server, app, await refusals(app))
    // One at a time too, with nothing else that is committed.
    const poor = await app.newUser()
    for (let i = 0; i < 20; i++) {
      const answer = await app.call(poor)
      expect(answer.body.error).not.toHaveProperty('portalUrl')
      await explained(server, app, [answer.headers.get('x-request-id') ?? ''])
    }
    await server.close()
    await app.provider.close()
  })

  test.runIf(hasPostgres)('on PostgreSQL, on another process', async () => {
    const database = await newDatabase()
    const one = await startServer({ databaseUrl: database.url })
    const key = { TOLLGATE_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') }
    const other = await startServer({ databaseUrl: database.url, token: one.token, environment: key })
    const app = await makeApplication(one)
    for (let i = 0; i < 3; i++) await explained(other, app, await refusals(app))
    await other.close()
    await one.close()
    await app.provider.close()
    await database.drop()
  })
})

test('refusals that come together are few commits, and none waits for a store that is away', async () => {
  let isAway = false
  let commits = 0
  const server = await startServer({
    environment: { TOLLGATE_WRITER: 'inline' },
    mayLogFaults: true,
    faults: (point) => {
      if (point === 'commit') commits += 1
      return isAway && point === 'begin' ? 'full' : null
    },
  })
  const app = await makeApplication(server)
  const rich = await app.newUser({ balanceMicros: 1_000_000n })
  const send = () => app.call(rich, { model: 'acme/none' })
  expect((await send()).status).toBe(404)
  commits = 0
  await Promise.all(Array.from({ length: 200 }, send))
  expect(commits).toBeLessThan(150)
  isAway = true
  expect((await send()).status).toBe(404)
  isAway = false
  await server.close()
  await app.provider.close()
})
