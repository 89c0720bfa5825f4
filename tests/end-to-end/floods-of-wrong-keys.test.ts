/** Source: docs/reference/threats.md "A flood of wrong keys". */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { gatewayLimits } from '#gateway/call/dependencies-of-gateway.ts'
import { makeApplication, startServer, type Application, type LocalServer } from '../support/start-product.ts'
import { wrongKeyLike } from '../support/make-wrong-key.ts'

const { burst } = gatewayLimits.wrongKeys.network

let server: LocalServer
let app: Application
let key: string
let wrongKeys = 0
beforeAll(async () => {
  server = await startServer({ environment: { TOLLGATE_TRUSTED_PROXIES: '127.0.0.1' } })
  app = await makeApplication(server)
  ;({ key } = await app.newUser())
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

function wrongKey(): string {
  return wrongKeyLike(key, ++wrongKeys)
}

function send(from: string, secret: string, path = '/v1/chat/completions'): Promise<Response> {
  return fetch(`${app.gateway}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${secret}`,
      'x-forwarded-for': from,
    },
    body: app.bodyOf(),
  })
}

async function flood(from: string, count: number): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: count }, () => send(from, wrongKey())))
  return answers.map(({ status }) => status)
}

test('a network that sends too many wrong keys gets 429 for further wrong keys, and its valid keys are served', async () => {
  const user = await app.newUser({ balanceMicros: 1_000_000n })
  expect(await flood('2001:db8::1', burst)).toEqual(Array.from({ length: burst }, () => 401))
  const [statuses, valid] = await Promise.all([flood('2001:db8::2', 100), send('2001:db8::3', user.key)])
  expect(valid.status).toBe(200)
  // The bucket refills while the test runs, so some wrong keys are still looked up.
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(50)
  expect((await send('2001:db8:0:1::1', wrongKey())).status).toBe(401)
})

test('the rejection has the format of its wire, and states when to retry', async () => {
  await flood('192.0.2.1', burst)
  const rejections: [string, object][] = [
    ['/v1/chat/completions', { error: { code: 'rate_limited' } }],
    ['/v1/messages', { type: 'error', error: { type: 'rate_limit_error' } }],
    ['/v1beta/models/m:generateContent', { error: { code: 429, status: 'RESOURCE_EXHAUSTED' } }],
  ]
  const answers = await Promise.all(
    // The bucket may have refilled enough for a few wrong keys.
    rejections.flatMap(([path, body]) =>
      Array.from({ length: 20 }, () =>
        send('192.0.2.1', wrongKey(), path).then((answer) => [answer, body] as const),
      ),
    ),
  )
  const limited = answers.filter(([{ status }]) => status === 429)
  expect(new Set(limited.map(([, body]) => body)).size).toBe(rejections.length)
  for (const [answer, body] of limited) {
    // oxlint-disable-next-line no-await-in-loop -- the responses have arrived
    expect(await answer.json()).toMatchObject(body)
    expect(answer.headers.get('retry-after')).toBe('1')
  }
})
