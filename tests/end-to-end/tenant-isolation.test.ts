/**
 * An organization uses as much as it can of both servers, and both servers still serve the requests of another
 * organization. Other tests cover each resource in one server: in this folder silent-dns-zones,
 * memory-and-time-of-request-bodies, accounts-and-webhooks-that-loop-back, reports-do-not-delay-calls and
 * incomplete-control-plane-bodies, and in tests/control-plane control-plane-rate-limits and fair-sign-in-limits.
 * loops-between-processes.test.ts tests loops between processes.
 */
import { rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { seedPostgres } from '../../tools/seed/seed-store.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { startDnsServer, type DnsServer } from '../support/start-dns-server.ts'
import {
  type Answer,
  type Application,
  connectAccount,
  control,
  eventually,
  type LocalServer,
  makeApplication,
  startServer,
  upstreamKey,
  type User,
} from '../support/start-product.ts'
import { hasPostgres, type TestDatabase } from '../support/start-postgres.ts'
import { migratedDatabase } from '../support/reused-databases.ts'
import { tokenIn, twoOrganizations } from '../support/create-two-organizations.ts'

const mib = 1024 * 1024
const zones = 16
const burst = 40
const password = 'a long enough pass phrase'
const redeem = '/v1/portal-sessions/redeem'

describe.skipIf(!hasPostgres)('two servers on one PostgreSQL database', () => {
  let folder: string
  let database: TestDatabase
  let dns: DnsServer
  let servers: readonly LocalServer[]
  /** Each list contains one application at each server. */
  let honest: readonly Application[]
  let greedy: readonly Application[]
  let honestUser: User
  let greedyUser: User
  /** The token of a viewer in an organization with many records. */
  let viewer: string

  beforeAll(async () => {
    folder = newDataFolder('one-tenant')
    database = await migratedDatabase()
    await seedPostgres(database.url, { calls: 5_000, people: 200, days: 20, nowMs: Date.now() })
    viewer = await tokenIn({ folder, databaseUrl: database.url }, 'org_seed', 'viewer')
    dns = await startDnsServer({ 'api.good.test': '127.0.0.1' })
    const [token = '', greedyToken = ''] = await twoOrganizations(folder, database.url)
    const start = (): Promise<LocalServer> =>
      startServer({
        folder,
        token,
        databaseUrl: database.url,
        environment: { TOLLGATE_TRUSTED_PROXIES: '127.0.0.1' },
        // The server rejects no body of these tests for being slow. Other files test
        // slow bodies: memory-and-time-of-request-bodies.test.ts and incomplete-control-plane-bodies.test.ts.
        limits: { bodyBytesMax: 64 * mib, bodyGraceMs: 600_000 },
        names: { servers: [dns.address], timeoutMs: 20_000, hostsFile: '/none', resolverFile: '/none' },
      })
    const [first, second] = [await start(), await start()]
    servers = [first, second]
    const ours = await makeApplication(first)
    const theirs = await makeApplication({ ...first, token: greedyToken }, { provider: ours.provider })
    honest = await Promise.all(servers.map((server) => ours.again(server)))
    greedy = await Promise.all(servers.map((server) => theirs.again({ ...server, token: greedyToken })))
    honestUser = await ours.newUser({ balanceMicros: 1_000_000_000n })
    greedyUser = await theirs.newUser({ balanceMicros: 1_000_000_000n })
  })
  afterAll(async () => {
    await honest[0]?.provider.close()
    for (const server of servers) await server.close()
    await dns.close()
    rmSync(folder, { recursive: true })
    await database.drop()
  })

  const atEach = <T>(ask: (place: 0 | 1) => Promise<T>): Promise<[T, T]> => Promise.all([ask(0), ask(1)])
  const serverAt = (place: 0 | 1): LocalServer => servers[place] ?? expect.fail()
  const honestAt = (place: 0 | 1): Application => honest[place] ?? expect.fail()
  const greedyAt = (place: 0 | 1): Application => greedy[place] ?? expect.fail()
  const statusOf = async (answer: Promise<Answer>): Promise<number> => (await answer).status
  const countOf = (statuses: readonly number[], status: number): number =>
    statuses.filter((one) => one === status).length
  const from = (address: string) => ({ 'x-forwarded-for': address })

  function opened(place: 0 | 1, ...pieces: readonly (string | Uint8Array)[]): Socket {
    const socket = connect(serverAt(place).port, '127.0.0.1')
    socket.on('error', () => {})
    for (const piece of pieces) socket.write(piece)
    return socket
  }

  function headOf(path: string, host: string, fields: readonly string[]): string {
    return [
      `POST ${path} HTTP/1.1`,
      `host: ${host}`,
      'content-type: application/json',
      ...fields,
      '',
      '',
    ].join('\r\n')
  }

  test('host names in sixteen unresponsive DNS zones of an organization delay no request of another organization at either server', async () => {
    const account = {
      kind: 'openai_compatible',
      apiKey: upstreamKey,
      model: 'up',
      price: { input: '1', output: '1' },
    }
    const good = honestAt(0).provider.baseUrl.replace('127.0.0.1', 'api.good.test')
    await connectAccount(honestAt(0), 'named', { ...account, baseUrl: good })
    for (let zone = 0; zone < zones; zone++) {
      // oxlint-disable-next-line no-await-in-loop -- one account after the other
      await connectAccount(greedyAt(0), `zone-${zone}`, {
        ...account,
        baseUrl: good.replace('good', `silent-${zone}`),
      })
    }
    let ended = 0
    const stuck = ([0, 1] as const).flatMap((place) =>
      Array.from({ length: zones }, (_, zone) =>
        statusOf(greedyAt(place).call(greedyUser, { model: `acme/zone-${zone}`, max_tokens: 5 })).finally(
          () => (ended += 1),
        ),
      ),
    )
    // Each server looks up eight host names at a time, in both address families.
    const silent = (): number => dns.asked.filter((name) => name.includes('silent')).length
    await expect.poll(silent).toBe(2 * 8 * 2)
    for (let call = 0; call < 5; call++) {
      honestAt(0).provider.enqueue({ headers: { connection: 'close' } }, { headers: { connection: 'close' } })
      // oxlint-disable-next-line no-await-in-loop -- one request after the other at each server
      const statuses = await atEach((place) =>
        statusOf(honestAt(place).call(honestUser, { model: 'acme/named', max_tokens: 5 })),
      )
      expect(statuses).toEqual([200, 200])
    }
    expect(dns.asked.filter((name) => name === 'api.good.test').length).toBeGreaterThanOrEqual(2 * 5)
    expect(ended, 'requests to silent zones are still waiting').toBe(0)
    expect(silent()).toBe(2 * 8 * 2)
    dns.denySilent()
    await expect.poll(silent).toBe(2 * zones * 2)
    dns.denySilent()
    expect(new Set(await Promise.all(stuck))).toEqual(new Set([502]))
  })

  test('request bodies of an organization use only the organization’s share of each server’s memory', async () => {
    const head = headOf('/v1/chat/completions', greedyAt(0).gatewayHost, [
      `authorization: Bearer ${greedyUser.key}`,
      `content-length: ${31 * mib}`,
    ])
    const beginning = '{"messages":[{"data":"'
    const mostOfIt = Array.from({ length: 30 }, () => Buffer.alloc(mib, 'a'))
    const large = { user: 'a'.repeat(4 * mib) }
    const sockets = ([0, 1] as const).flatMap((place) => [
      ...Array.from({ length: 32 }, () => opened(place, head, beginning)),
      opened(place, head, beginning, ...mostOfIt),
    ])
    const held = 30 * mib + 33 * beginning.length
    await eventually(async () =>
      expect(servers.map(({ bodyBytesHeld }) => bodyBytesHeld)).toEqual([held, held]),
    )
    const refused = await atEach((place) => greedyAt(place).call(greedyUser, large))
    for (const { body, status } of refused) {
      expect([status, body.error.code]).toEqual([429, 'too_many_bodies'])
    }
    expect(await atEach((place) => statusOf(honestAt(place).call(honestUser, large)))).toEqual([200, 200])
    for (const socket of sockets) socket.destroy()
    await eventually(async () => expect(servers.map(({ bodyBytesHeld }) => bodyBytesHeld)).toEqual([0, 0]))
    expect(await atEach((place) => statusOf(greedyAt(place).call(greedyUser, large)))).toEqual([200, 200])
  })

  test('reports of an organization at both servers do not delay requests and lists of another organization', async () => {
    const margin = async (place: 0 | 1): Promise<Answer> =>
      control({ ...serverAt(place), token: viewer }, 'GET', '/v1/margin?by=endUser')
    // The server records the first use of the token now, and not during the reports.
    await atEach(margin)
    let ended = 0
    const reports = Array.from({ length: 2 * burst }, (_, i) =>
      margin(i % 2 === 0 ? 0 : 1).finally(() => (ended += 1)),
    )
    const seen = await atEach(async (place) => {
      const called = await statusOf(honestAt(place).call(honestUser, { max_tokens: 5 }))
      const listed = await statusOf(control(serverAt(place), 'GET', '/v1/apps'))
      return { called, listed, before: ended }
    })
    for (const { before, called, listed } of seen) {
      expect([called, listed]).toEqual([200, 200])
      expect(before).toBeLessThan(2 * burst)
    }
    const answers = await Promise.all(reports)
    const statuses = answers.map(({ status }) => status)
    expect(countOf(statuses, 200) + countOf(statuses, 429)).toBe(2 * burst)
    // Each server accepts two reports in progress and 32 waiting reports.
    expect(countOf(statuses, 200)).toBeGreaterThanOrEqual(2 * 34)
    for (const { body, status } of answers) if (status === 429) expect(body.error.code).toBe('too_many_reads')
  })

  test('writes of an organization at one server delay no write of another organization at either server', async () => {
    let ended = 0
    const flood = Array.from({ length: burst }, (_, i) =>
      statusOf(
        control(greedyAt(0).server, 'PUT', `/v1/end-users/flood-${i}`, {}, { 'x-svc-app': greedyAt(0).slug }),
      ).finally(() => (ended += 1)),
    )
    const written = await atEach(async (place) => {
      const app = { 'x-svc-app': honestAt(place).slug }
      const status = await statusOf(control(serverAt(place), 'PUT', `/v1/end-users/own-${place}`, {}, app))
      return { status, before: ended }
    })
    for (const { before, status } of written) {
      expect(status).toBe(200)
      expect(before).toBeLessThan(flood.length)
    }
    expect(new Set(await Promise.all(flood))).toEqual(new Set([200]))
  })

  test('wrong credentials of an address do not lock out a valid credential at a server that has never seen it', async () => {
    const address = from('198.51.100.20')
    const made = await control(serverAt(0), 'POST', '/v1/application-keys', { label: 'ci' })
    const { token }: { token: string } = made.body
    const wrong = `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`
    const ask = (place: 0 | 1, secret: string): Promise<number> =>
      statusOf(control({ ...serverAt(place), token: secret }, 'GET', '/v1/whoami', undefined, address))
    const strangers = await atEach((place) =>
      Promise.all(Array.from({ length: 100 }, () => ask(place, wrong))),
    )
    for (const statuses of strangers) {
      expect(new Set(statuses)).toEqual(new Set([401, 429]))
      expect(countOf(statuses, 401)).toBeLessThan(100)
    }
    for (let n = 0; n < 10; n++) {
      // oxlint-disable-next-line no-await-in-loop -- one request after the other at each server
      expect(await atEach((place) => ask(place, token))).toEqual([200, 200])
    }
  })

  test('if unknown callers send only part of each body to both control planes, the bodies use only the memory of the received bytes', async () => {
    const sent = 'x'.repeat(1000)
    const sockets = ([0, 1] as const).flatMap((place) => {
      const head = headOf(redeem, `127.0.0.1:${serverAt(place).port}`, ['content-length: 4096'])
      return Array.from({ length: 150 }, () => opened(place, head, sent))
    })
    const held = 150 * sent.length
    await eventually(async () =>
      expect(servers.map(({ bodyBytesHeld }) => bodyBytesHeld)).toEqual([held, held]),
    )
    expect(await atEach((place) => statusOf(control(serverAt(place), 'GET', '/v1/whoami')))).toEqual([
      200, 200,
    ])
    const tooLarge = await atEach((place) => {
      const stranger = { ...serverAt(place), token: '' }
      return statusOf(control(stranger, 'POST', redeem, { token: 'x'.repeat(5_000) }, from('198.51.100.30')))
    })
    expect(tooLarge).toEqual([413, 413])
    for (const socket of sockets) socket.destroy()
    await eventually(async () => expect(servers.map(({ bodyBytesHeld }) => bodyBytesHeld)).toEqual([0, 0]))
  })

  describe('sign-ins', () => {
    const office = '198.51.100.40'

    test('a browser that one server knows can sign in at the other server, during ninety sign-ins of unknown browsers', async () => {
      const email = 'ada@example.com'
      const invited = await control(serverAt(0), 'PUT', `/v1/team/${email}`, { role: 'admin' })
      const invitation = String(invited.body.inviteUrl).split('#')[1]?.split('=').at(-1)
      const open = (place: 0 | 1, path: string, body: object, headers: Record<string, string> = {}) =>
        control({ ...serverAt(place), token: '' }, 'POST', path, body, headers)
      const accepted = await open(0, '/v1/invitations/accept', { token: invitation, name: 'Ada', password })
      expect(accepted.status).toBe(200)
      const signedIn = await open(0, '/v1/sessions', { email, password }, from(office))
      const cookie = signedIn.headers
        .getSetCookie()
        .find((text) => text.startsWith('__Host-tollgate_device='))
        ?.split(';')[0]
      const strangers = await atEach((place) =>
        Promise.all(
          Array.from({ length: 90 }, (_, n) =>
            statusOf(open(place, '/v1/sessions', { email, password: 'guess' }, from(`203.0.${n}.7`))),
          ),
        ),
      )
      for (const statuses of strangers) expect(countOf(statuses, 200)).toBe(0)
      const own = await open(
        1,
        '/v1/sessions',
        { email, password },
        { ...from('203.0.1.7'), cookie: cookie ?? '' },
      )
      expect(own.status).toBe(200)
    })

    test('device sign-ins of unknown callers at both servers do not use up the limit of a network from which a team signs in', async () => {
      await atEach((place) =>
        statusOf(control(serverAt(place), 'GET', '/v1/whoami', undefined, from(office))),
      )
      const start = (place: 0 | 1, address: string): Promise<number> =>
        statusOf(control({ ...serverAt(place), token: '' }, 'POST', '/v1/device-auth', {}, from(address)))
      const strangers = await atEach((place) =>
        Promise.all(Array.from({ length: 120 }, (_, n) => start(place, `203.${place}.${n}.7`))),
      )
      for (const statuses of strangers) expect(countOf(statuses, 429)).toBeGreaterThan(0)
      const own = await atEach((place) =>
        Promise.all(Array.from({ length: 6 }, (_, n) => start(place, `198.51.100.${50 + n}`))),
      )
      expect(own.flat()).toEqual(Array.from({ length: 12 }, () => 200))
    })

    test('probes of one organization do not use the limit of another organization at either server', async () => {
      const probe = (place: 0 | 1, { server, slug }: Application, address: string): Promise<number> =>
        statusOf(
          control(
            { ...serverAt(place), token: server.token },
            'POST',
            `/v1/providers/${slug}/probe`,
            { model: 'up' },
            { 'x-svc-app': slug, ...from(address) },
          ),
        )
      const theirs = await atEach((place) =>
        Promise.all(Array.from({ length: 75 }, (_, n) => probe(place, greedyAt(place), `203.0.113.${n}`))),
      )
      for (const statuses of theirs) expect(countOf(statuses, 429)).toBeGreaterThan(0)
      expect(await atEach((place) => probe(place, honestAt(place), '203.0.113.1'))).toEqual([200, 200])
    })
  })
})
