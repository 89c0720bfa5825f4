import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Application,
  connectAccount,
  control,
  type LocalServer,
  makeApplication,
  startServer,
  type User,
} from '../support/start-product.ts'

let server: LocalServer
let other: LocalServer
let app: Application
let there: Application
let user: User

beforeAll(async () => {
  server = await startServer()
  other = await startServer()
  app = await makeApplication(server)
  there = await makeApplication(other, { provider: app.provider })
  user = await app.newUser({ balanceMicros: 1_000_000n })
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
  await other.close()
})

const own = (): string[] => [
  `${server.baseUrl}/v1`,
  `${app.gateway}/v1`,
  `http://localhost:${app.gatewayPort}/v1`,
  `http://[::1]:${server.port}/v1`,
  `http://${app.gatewayHost}/v1`,
  `https://${app.gatewayHost}:9999/v1`,
]

test('an account or webhook at an address of this server is rejected when it is saved', async () => {
  const headers = { 'x-svc-app': app.slug }
  for (const url of own()) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const account = await control(
      server,
      'PUT',
      '/v1/providers/self',
      { kind: 'openai_compatible', baseUrl: url, apiKey: user.key },
      headers,
    )
    expect(account.status, url).toBe(400)
    expect(account.body.error.message, url).toContain('address of this server')
    // oxlint-disable-next-line no-await-in-loop -- as above
    const webhook = await control(server, 'POST', '/v1/emitters', { kind: 'webhook', url }, headers)
    expect(webhook.status, url).toBe(400)
  }
})

test('an account whose host name resolves to this server only after the account was saved is not called', async () => {
  // The other server does not recognize the host names of this server. If the account's address is an IP address, the
  // server detects the loop when it connects.
  const account = {
    kind: 'openai_compatible',
    apiKey: user.key,
    model: 'up',
    price: { input: '1', output: '1' },
  }
  const baseUrl = app.gateway.replace('127.0.0.1', 'later.localhost')
  await connectAccount(app, 'later', { ...account, baseUrl: `${baseUrl}/v1` })
  const { body, status } = await app.call(user, { model: 'acme/later', max_tokens: 5 })
  expect([status, body.error.code]).toEqual([502, 'upstream_error'])
  expect(app.provider.calls).toHaveLength(0)
})

test('if two servers call each other, a request ends after one round, and no money remains held', async () => {
  const theirs = await there.newUser({ balanceMicros: 1_000_000n })
  const price = { input: '1', output: '1' }
  await connectAccount(app, 'out', {
    kind: 'openai_compatible',
    baseUrl: `${there.gateway}/v1`,
    apiKey: theirs.key,
    model: 'acme/back',
    price,
  })
  await connectAccount(there, 'back', {
    kind: 'openai_compatible',
    baseUrl: `${app.gateway}/v1`,
    apiKey: user.key,
    model: 'acme/out',
    price,
  })
  const { status } = await app.call(user, { model: 'acme/out', max_tokens: 5 })
  expect(status).toBe(502)
  const ours = await user.requests()
  expect(ours.filter(({ requestedModel }) => requestedModel === 'acme/out')).toHaveLength(1)
  expect((await theirs.requests()).length).toBe(1)
  expect((await user.balance()).reservedMicros).toBe(0n)
})

test('a request whose CDN-Loop header names this server returns 508 on every surface', async () => {
  app.provider.enqueue({})
  await app.call(user, { max_tokens: 5 }, { headers: { 'cdn-loop': 'edge.example; v=1' } })
  const loop = String(app.provider.calls.at(-1)?.headers['cdn-loop'])
  expect(loop).toMatch(/^tollgate-[0-9a-f]{16}, edge\.example; v=1$/)
  const answer = await app.call(user, { max_tokens: 5 }, { headers: { 'cdn-loop': loop } })
  expect([answer.status, answer.body.error.code]).toEqual([508, 'request_loop'])
  const health = await control(server, 'GET', '/health', undefined, { 'cdn-loop': loop })
  expect(health.status).toBe(508)
})
