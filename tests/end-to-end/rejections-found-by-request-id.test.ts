import { describe, expect, test } from 'vitest'
import {
  control,
  makeApplication,
  startServer,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'
import { hasPostgres } from '../support/start-postgres.ts'
import { migratedDatabase } from '../support/reused-databases.ts'
import { testedEngines } from '../support/reduced-suite.ts'

async function refusals(app: Application): Promise<string[]> {
  const poor = await app.newUser()
  const rich = await app.newUser({ balanceMicros: 1_000_000n })
  const none = { model: 'acme/none' }
  const answers = await Promise.all(
    Array.from({ length: 24 }, (_, i) => (i % 2 === 0 ? app.call(poor) : app.call(rich, none))),
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

describe('the explanation of a rejection', () => {
  test('on SQLite, the explanation of a rejection is stored before the rejection is sent', async () => {
    const server = await startServer()
    const app = await makeApplication(server)
    for (let i = 0; i < 2; i++) await explained(server, app, await refusals(app))
    // The test sends some rejected requests one at a time, so that no other commit runs concurrently.
    const poor = await app.newUser()
    for (let i = 0; i < 8; i++) {
      const answer = await app.call(poor)
      expect(answer.body.error.portalUrl).toBe(`http://${app.slug}.portal.localhost:${server.port}`)
      await explained(server, app, [answer.headers.get('x-request-id') ?? ''])
    }
    await server.close()
    await app.provider.close()
  })

  test.runIf(hasPostgres)(
    'on PostgreSQL, another process can read the explanation of a rejection as soon as the client has the rejection',
    async () => {
      const database = await migratedDatabase()
      const one = await startServer({ databaseUrl: database.url })
      const key = { TOLLGATE_MASTER_KEY: Buffer.alloc(32, 1).toString('base64') }
      const other = await startServer({ databaseUrl: database.url, token: one.token, environment: key })
      const app = await makeApplication(one)
      for (let i = 0; i < 2; i++) await explained(other, app, await refusals(app))
      await other.close()
      await one.close()
      await app.provider.close()
      await database.drop()
    },
  )
})

test('concurrent rejections share few commits, and no rejection waits for an unavailable store', async () => {
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
  await Promise.all(Array.from({ length: 100 }, send))
  expect(commits).toBeLessThan(80)
  isAway = true
  expect((await send()).status).toBe(404)
  isAway = false
  await server.close()
  await app.provider.close()
})

test.each(testedEngines)(
  'text that PostgreSQL cannot store is rejected or recorded on %s, and never causes a server fault',
  async (store) => {
    const database = store === 'PostgreSQL' ? await migratedDatabase() : null
    const server = await startServer(database === null ? {} : { databaseUrl: database.url })
    const app = await makeApplication(server)
    await app.api('PUT', '/v1/outcomes/run', { displayName: 'Run', ceilingMicros: '1000000' })
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    const asked: readonly (readonly [body: object, status: number])[] = [
      [{ svc: { outcome: 'run', outcome_id: 'a\0b' } }, 400],
      [{ svc: { outcome: 'ru\0n', outcome_id: 'a' } }, 400],
      [{ svc: { outcome: 'run', outcome_id: 'a\nb' } }, 400],
      [{ svc: { outcome: 'run', outcome_id: 'a\ud800b' } }, 400],
      [{ svc: { outcome: 'run', outcome_id: 'aé😀b' } }, 200],
      [{ model: 'acme/\0' }, 404],
      [{ messages: [{ role: 'user', content: 'a\0b' }] }, 200],
      [{ user: 'a\0b' }, 200],
    ]
    const answers = await Promise.all(asked.map(([body]) => app.call(user, body)))
    expect(answers.map(({ status }) => status)).toEqual(asked.map(([, status]) => status))
    await explained(
      server,
      app,
      answers.map(({ headers }) => headers.get('x-request-id') ?? ''),
    )
    await settled(user)
    // Closing the server fails if the log contains a server fault.
    await server.close()
    await app.provider.close()
    await database?.drop()
  },
)

async function settled(user: User): Promise<void> {
  expect((await user.balance()).reservedMicros).toBe(0n)
}
