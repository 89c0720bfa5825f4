import { expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { control, sendRaw, startServer } from '../support/start-product.ts'

test('TOLLGATE_CONTROL_RATE=0 removes the limit of valid credentials, but not the limit of invalid credentials', async () => {
  // The test harness sets TOLLGATE_CONTROL_RATE to 0.
  const server = await startServer()
  expect((await control(server, 'GET', '/v1/whoami')).status).toBe(200)
  const wrong = { ...server, token: `${server.token.slice(0, -1)}${server.token.endsWith('0') ? '1' : '0'}` }
  const statuses: number[] = []
  for (let n = 0; n < 120; n++) statuses.push((await control(wrong, 'GET', '/v1/whoami')).status)
  expect(statuses.filter((status) => status === 401).length).toBeLessThan(119)
  expect(statuses).toContain(429)
  for (let n = 0; n < 120; n++) expect((await control(server, 'GET', '/v1/whoami')).status).toBe(200)
  await server.close()
})

test('with https addresses, the console and portals require browsers to use https', async () => {
  const port = await freePort()
  const server = await startServer({
    environment: {
      TOLLGATE_LISTEN: `127.0.0.1:${port}`,
      TOLLGATE_BASE_URL: 'https://console.example.com',
      TOLLGATE_PORTAL_URL: 'https://{slug}.portal.example.com',
      TOLLGATE_GATEWAY_URL: 'https://{slug}.api.example.com',
    },
  })
  const ask = (host: string, head = 'GET /healthz', more = '', body = '') =>
    sendRaw(port, `${head} HTTP/1.1\r\nHost: ${host}\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`)
  const made = await ask(
    'console.example.com',
    'PUT /v1/apps/acme',
    `Authorization: Bearer ${server.token}\r\nContent-Type: application/json\r\n`,
    '{"name":"Acme"}',
  )
  expect(made.status).toBe(200)
  const stays = 'max-age=31536000'
  expect(made.headers.get('strict-transport-security')).toBe(stays)
  for (const [host, path] of [
    ['console.example.com', '/'],
    ['console.example.com', '/v1/whoami'],
    ['acme.portal.example.com', '/healthz'],
    ['acme.portal.example.com', '/v1/portal/account'],
  ] as const) {
    const { headers } = await ask(host, `GET ${path}`)
    expect([host, path, headers.get('strict-transport-security')]).toEqual([host, path, stays])
  }
  await server.close()

  const plain = await startServer()
  const { headers } = await fetch(`${plain.baseUrl}/healthz`)
  expect(headers.has('strict-transport-security')).toBe(false)
  await plain.close()
})
