/** Source: docs/reference/failures.md. */
import { rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { newDataFolder } from '../support/data-folder.ts'
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts'
import {
  type Application,
  control,
  eventually,
  makeApplication,
  spawnServer,
  type SpawnedServer,
  type User,
  verifies,
} from '../support/start-product.ts'

const settings = { TOLLGATE_IN_FLIGHT_MAX: '1', TOLLGATE_WAITING_MAX: '1', TOLLGATE_WAITING_MS: '60000' }

let folder: string
let provider: FakeProvider
let server: SpawnedServer
let app: Application
let user: User
beforeAll(async () => {
  folder = newDataFolder('e2e')
  server = await spawnServer(folder, { environment: settings })
})
afterAll(async () => {
  server.child.kill('SIGTERM')
  await server.ended
  await verifies(folder)
  rmSync(folder, { recursive: true })
})
// Each test gets a new application with a new port, so that no connection of an earlier test is still delayed.
beforeEach(async () => {
  provider = await startFakeProvider({ hang: 'headers' })
  app = await makeApplication(server, { provider })
  user = await app.newUser({ balanceMicros: 100_000_000n })
})
afterEach(() => provider.close())

/** Only the first call may be in flight, so the second call fills the queue. */
async function fill(): Promise<Promise<{ status: number }>[]> {
  const first = app.call(user)
  await eventually(async () => expect(provider.calls).toHaveLength(1))
  const second = app.call(user)
  await eventually(async () => expect(await figure('tollgate_requests_waiting')).toBe(1))
  return [first, second]
}

async function figure(name: string): Promise<number> {
  const { text } = await control(server, 'GET', '/metrics')
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
}

function send(path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${app.gateway}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${user.key}`, ...headers },
    body: JSON.stringify(body),
  })
}

test('requests beyond the queue are rejected in the format of their wire, and all other requests are served', async () => {
  const running = await fill()
  const before = await figure('tollgate_requests_overloaded_total')
  const rejected: [string, number, object][] = [
    ['/v1/chat/completions', 503, { error: { code: 'overloaded' } }],
    ['/v1/responses', 503, { error: { code: 'overloaded' } }],
    ['/v1/messages', 529, { type: 'error', error: { type: 'overloaded_error' } }],
    ['/v1beta/models/m:generateContent', 503, { error: { code: 503, status: 'UNAVAILABLE' } }],
  ]
  const ids = new Set<string>()
  for (const [path, status, body] of rejected) {
    // oxlint-disable-next-line no-await-in-loop -- the queue has one place
    const response = await send(path, {})
    const { headers } = response
    expect(response.status, path).toBe(status)
    const id = headers.get('x-request-id') ?? ''
    expect(id).toMatch(/^req_[0-9a-z]{26}$/)
    ids.add(id)
    expect(headers.get('x-should-retry')).toBe('true')
    const retryMs = Number(headers.get('retry-after-ms'))
    expect(retryMs).toBeGreaterThanOrEqual(2_000)
    expect(headers.get('retry-after')).toBe(String(Math.ceil(retryMs / 1000)))
    // oxlint-disable-next-line no-await-in-loop -- as above
    const text = await response.text()
    expect(JSON.parse(text)).toMatchObject(body)
    if (path === '/v1/messages') expect(JSON.parse(text)).toMatchObject({ request_id: id })
  }
  expect(ids.size).toBe(rejected.length)
  const large = await send('/v1/chat/completions', { text: 'x'.repeat(100_000) })
  expect([large.status, large.headers.get('connection')]).toEqual([503, 'close'])
  expect(await large.json()).toMatchObject({ error: { code: 'overloaded' } })

  expect((await figure('tollgate_requests_overloaded_total')) - before).toBe(5)
  expect(await figure('tollgate_requests_in_flight_max')).toBe(1)
  const probes = await Promise.all(['/health', '/readyz'].map((path) => fetch(`${server.baseUrl}${path}`)))
  expect(probes.map(({ status }) => status)).toEqual([200, 200])
  expect(provider.calls).toHaveLength(1)

  provider.release()
  await eventually(async () => expect(provider.calls).toHaveLength(2))
  provider.release()
  const responses = await Promise.all(running)
  expect(responses.map(({ status }) => status)).toEqual([200, 200])
})

/** All requests of the agent use the same connection. */
function sendOn(agent: Agent, serverUrl: string): Promise<number> {
  const { hostname, port } = new URL(serverUrl)
  const body = app.bodyOf()
  const headers = {
    host: new URL(app.gateway).host,
    authorization: `Bearer ${user.key}`,
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  }
  return new Promise((resolve, reject) => {
    const options = { agent, hostname, port, method: 'POST', path: '/v1/chat/completions', headers }
    request(options, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode ?? 0))
    })
      .on('error', reject)
      .end(body)
  })
}

// After a rejection, the server's own HTTP edge delays the next request on the connection. The long suite also runs
// this file with Node's HTTP server, which does not delay requests.
const hasEdge = process.env['TOLLGATE_HTTP_EDGE'] !== 'node'

test.runIf(hasEdge)(
  'a request on the connection of a rejected client waits, and starts as soon as there is capacity',
  async () => {
    const [first, second] = await fill()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    expect(await sendOn(agent, app.gateway)).toBe(503)
    const overloaded = await figure('tollgate_requests_overloaded_total')
    const early = sendOn(agent, app.gateway)
    // While other requests wait, the request on this connection is neither rejected nor started.
    await wait(300)
    expect(await figure('tollgate_requests_overloaded_total')).toBe(overloaded)
    expect(provider.calls).toHaveLength(1)
    for (const calls of [2, 3]) {
      provider.release()
      // oxlint-disable-next-line no-await-in-loop -- one call after the other
      await eventually(async () => expect(provider.calls).toHaveLength(calls))
    }
    provider.release()
    expect([(await first)?.status, (await second)?.status, await early]).toEqual([200, 200, 200])
    agent.destroy()
  },
)

test('if there is no capacity at the end of the delay, the request that arrived early is rejected', async () => {
  const running = await fill()
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  expect([await sendOn(agent, app.gateway), await sendOn(agent, app.gateway)]).toEqual([503, 503])
  agent.destroy()
  provider.release()
  await eventually(async () => expect(provider.calls).toHaveLength(2))
  provider.release()
  expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200])
})

test('a waiting request is not started if its client disconnects', async () => {
  const first = app.call(user)
  await eventually(async () => expect(provider.calls).toHaveLength(1))
  const leaves = new AbortController()
  const left = fetch(`${app.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${user.key}` },
    body: app.bodyOf(),
    signal: leaves.signal,
  }).catch(() => 'left')
  await eventually(async () => expect(await figure('tollgate_requests_waiting')).toBe(1))
  leaves.abort()
  expect(await left).toBe('left')
  provider.release()
  expect((await first).status).toBe(200)
  await eventually(async () => expect(await figure('tollgate_requests_waiting')).toBe(0))
  expect(await figure('tollgate_calls_in_flight')).toBe(0)
  expect(provider.calls).toHaveLength(1)
})

test('a stopping server rejects waiting requests', async () => {
  const [first, second] = await fill()
  server.child.kill('SIGTERM')
  expect((await second)?.status).toBe(503)
  provider.release()
  expect((await first)?.status).toBe(200)
  expect(await server.ended).toBe(0)
})
