import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  control,
  eventually,
  makeApplication,
  startServer,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'
import { readScrape, valueOf } from '../support/read-prometheus-text.ts'

let server: LocalServer
let app: Application

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

test('a rejected request of each plane is counted and logged, with the address and no secret', async () => {
  const user = await app.newUser({ balanceMicros: 1_000_000n })
  const wrongKey = `${user.key.slice(0, -1)}${user.key.endsWith('0') ? '1' : '0'}`
  expect((await app.call({ key: wrongKey })).status).toBe(401)
  const wrongToken = `${server.token.slice(0, -1)}${server.token.endsWith('0') ? '1' : '0'}`
  const headers = { authorization: `Bearer ${wrongToken}` }
  expect((await fetch(`${server.baseUrl}/v1/whoami`, { headers })).status).toBe(401)

  await eventually(async () => {
    const seen = readScrape((await control(server, 'GET', '/metrics')).text)
    const count = (labels: Record<string, string>) => valueOf(seen, 'tollgate_refusals_total', labels)
    expect(count({ plane: 'gateway', operation: 'chat', code: 'invalid_key' })).toBe(1)
    expect(count({ plane: 'control', operation: 'auth.whoami', code: 'invalid_token' })).toBe(1)
  })
  const lines = server.log.filter(({ message }) => message === 'request rejected')
  expect(lines.map(({ level, fields }) => ({ level, ...fields }))).toEqual([
    {
      level: 'warn',
      plane: 'gateway',
      operation: 'chat',
      status: 401,
      code: 'invalid_key',
      address: expect.stringMatching(/127\.0\.0\.1$/),
      credentialId: null,
      requestId: expect.stringMatching(/^req_/),
    },
    {
      level: 'warn',
      plane: 'control',
      operation: 'auth.whoami',
      status: 401,
      code: 'invalid_token',
      address: expect.stringMatching(/127\.0\.0\.1$/),
      credentialId: null,
      requestId: expect.stringMatching(/^req_/),
    },
  ])
  const text = JSON.stringify(server.log)
  expect(text).not.toContain(wrongKey)
  expect(text).not.toContain(wrongToken)
})

test('the log line of a rejection names the key if the key is known but may not call', async () => {
  const user = await app.newUser({ balanceMicros: 1_000_000n })
  await control(server, 'DELETE', `/v1/keys/${user.keyId}`, undefined, { 'x-svc-app': app.slug })
  const { status } = await app.call(user)
  expect([401, 403]).toContain(status)
  const line = server.log.findLast(({ message }) => message === 'request rejected')
  expect(line?.fields).toMatchObject({ plane: 'gateway', code: 'key_revoked', credentialId: user.keyId })
})

test('failed sign-ins are written to the audit log soon after they fail', async () => {
  const headers = { 'content-type': 'application/json' }
  const link = new URL(server.setupUrl).hash.slice(1)
  const owner = { email: 'ada@example.com', password: 'correct horse battery' }
  const joined = await fetch(`${server.baseUrl}/v1/invitations/accept`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ token: link, name: 'Ada', ...owner }),
  })
  expect(joined.status).toBe(200)
  const failed = await fetch(`${server.baseUrl}/v1/sessions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ ...owner, password: 'not the right one' }),
  })
  expect(failed.status).toBe(401)
  await eventually(async () => {
    const { body } = await control(server, 'GET', '/v1/audit?operation=sessions.create')
    expect(body.data).toMatchObject([
      { actor: { kind: 'stranger', label: owner.email }, after: { failures: 1 } },
    ])
  })
})
