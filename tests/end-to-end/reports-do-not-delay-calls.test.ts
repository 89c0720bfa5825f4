import { rmSync } from 'node:fs'
import { StatementSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { seedPostgres, seedSqlite } from '../../tools/seed/seed-store.ts'
import { externalId } from '../../tools/seed/sql-that-fills-store.ts'
import { newDataFolder } from '../support/data-folder.ts'
import {
  control,
  type LocalServer,
  makeApplication,
  startServer,
  type User,
} from '../support/start-product.ts'
import type { TestDatabase } from '../support/start-postgres.ts'
import { databaseOf } from '../support/reused-databases.ts'
import { tokenIn, twoOrganizations } from '../support/create-two-organizations.ts'
import { testedEngines } from '../support/reduced-suite.ts'

const burst = 40

describe.each(testedEngines)('%s', (engine) => {
  let folder: string
  let database: TestDatabase | null = null
  let server: LocalServer
  let viewer: string
  let developer: string
  let neighbor: Awaited<ReturnType<typeof makeApplication>>
  let user: User

  beforeAll(async () => {
    folder = newDataFolder('reads')
    database = await databaseOf(engine)
    const databaseUrl = database?.url
    const size = { calls: 5_000, people: 200, days: 20, nowMs: Date.now() }
    await (databaseUrl === undefined ? seedSqlite(folder, size) : seedPostgres(databaseUrl, size))
    viewer = await tokenIn({ folder, databaseUrl }, 'org_seed', 'viewer')
    developer = await tokenIn({ folder, databaseUrl }, 'org_seed', 'developer')
    const [token = ''] = await twoOrganizations(folder, databaseUrl)
    server = await startServer({
      folder,
      token,
      environment: { TOLLGATE_WRITER: 'inline' },
      // The store is read on threads, as in production.
      openReaders: undefined,
      ...(databaseUrl !== undefined && { databaseUrl }),
    })
    neighbor = await makeApplication(server)
    user = await neighbor.newUser({ balanceMicros: 1_000_000n })
    // The server writes the first use of a token to the store, so the token is used before the tests.
    await margin()
  })
  afterEach(() => void vi.restoreAllMocks())
  afterAll(async () => {
    await neighbor.provider.close()
    await server.close()
    rmSync(folder, { recursive: true })
    await database?.drop()
  })

  const read = (path: string, token = viewer) => control({ ...server, token }, 'GET', path)
  const margin = () => read('/v1/margin?by=endUser')

  test('a burst of reports runs no SQL statement on the event loop, and each report succeeds or is rejected with a time to wait', async () => {
    const methods = ['all', 'get', 'iterate'] as const
    const spies = methods.map((method) => vi.spyOn(StatementSync.prototype, method))
    const answers = await Promise.all(Array.from({ length: burst }, margin))
    // Writes are not counted, because the server writes sums on the event loop during the burst.
    const onLoop = spies.flatMap(({ mock }) =>
      mock.contexts.map((statement) => (statement instanceof StatementSync ? statement.sourceSQL : '')),
    )
    expect(onLoop).toEqual([])
    const statuses = answers.map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200, ...statuses.filter((status) => status === 429)]))
    // The server accepts at least two reports in progress and 32 waiting reports.
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(34)
    for (const { body, status } of answers) if (status === 429) expect(body.error.code).toBe('too_many_reads')
  })

  test('calls and reads of another organization get their responses before a burst of reports ends', async () => {
    let ended = 0
    const reports = Array.from({ length: burst }, () => margin().then(() => (ended += 1)))
    const call = neighbor.call(user, { max_tokens: 5 }).then(({ status }) => [status, ended])
    const list = read('/v1/end-users', server.token).then(({ status }) => [status, ended])
    const [called, listed] = await Promise.all([call, list])
    expect([called[0], listed[0]]).toEqual([200, 200])
    expect(called[1]).toBeLessThan(burst)
    expect(listed[1]).toBeLessThan(burst)
    await Promise.all(reports)
  })

  test('an end user may have one read in progress and eight waiting, and the team reads concurrently', async () => {
    const asDeveloper = { ...server, token: developer }
    const linked = await control(asDeveloper, 'POST', '/v1/portal-sessions', { endUserId: externalId(1) })
    const handoff = linked.body.url.split('#handoff=')[1]
    const redeemed = await control(server, 'POST', '/v1/portal-sessions/redeem', { token: handoff })
    const session: string = redeemed.body.sessionToken
    expect((await read('/v1/portal/ledger', session)).status).toBe(200)
    // The burst of reads continues until the team's request has its response. If the request waited for the burst,
    // the test would never end.
    const team = { isAnswered: false }
    const pages = Array.from({ length: burst }, async () => {
      const seen: number[] = []
      do {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        seen.push((await read('/v1/portal/ledger', session)).status)
      } while (!team.isAnswered)
      return seen
    })
    expect((await margin()).status).toBe(200)
    team.isAnswered = true
    const statuses = (await Promise.all(pages)).flat()
    expect(new Set(statuses)).toEqual(new Set([200, ...statuses.filter((status) => status === 429)]))
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(9)
  })
})
