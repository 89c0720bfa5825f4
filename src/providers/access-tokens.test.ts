import { createServer } from 'node:http'
import { buildConnector } from 'undici'
import { afterEach, expect, test } from 'vitest'
import { listenLocally } from '#tests/support/listen-on-loopback.ts'
import { AccessTokens, type TokenAnswer } from './access-tokens.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

async function tokensFrom(responses: readonly (readonly [status: number, body: string])[]) {
  let asked = 0
  const clock = { nowMs: 1_000_000 }
  const server = createServer((_, response) => {
    const [status, body] = responses[asked++] ?? [500, '']
    response.writeHead(status).end(body)
  })
  const { close, port } = await listenLocally(server)
  cleanups.push(close)
  const grant = { url: `http://127.0.0.1:${port}/token`, form: () => ({ grant_type: 'x' }) }
  const options = { connector: buildConnector({}), loopName: 'test', nowMs: () => clock.nowMs }
  const tokens = new AccessTokens(grant, options)
  const next = () => new Promise<TokenAnswer>((resolve) => tokens.next(resolve))
  return { tokens, clock, next, asked: () => asked, host: `127.0.0.1:${port}` }
}

const token = (name: string, seconds: number | string) =>
  [200, `{"access_token":"${name}","expires_in":${seconds}}`] as const

test('a token is used until one minute before it expires', async () => {
  const { clock, next, tokens } = await tokensFrom([token('t1', 3_600)])
  expect(tokens.current()).toBeNull()
  expect(await next()).toEqual({ kind: 'token', token: 't1' })
  clock.nowMs += 3_540_000 - 1
  expect(tokens.current()).toBe('t1')
  clock.nowMs += 1
  expect(tokens.current()).toBeNull()
})

test('a token without a stated lifetime is used for an hour', async () => {
  const { clock, next, tokens } = await tokensFrom([token('t1', 'null')])
  await next()
  clock.nowMs += 3_540_000 - 1
  expect(tokens.current()).toBe('t1')
})

test('concurrent calls share one token exchange, and tests can wait for its end', async () => {
  const { asked, next, tokens } = await tokensFrom([token('t1', 60), token('t2', 60)])
  expect(tokens.settled).toBeNull()
  const answers = Promise.all([next(), next()])
  await tokens.settled
  expect(tokens.settled).toBeNull()
  expect(await answers).toEqual([
    { kind: 'token', token: 't1' },
    { kind: 'token', token: 't1' },
  ])
  expect(await next()).toEqual({ kind: 'token', token: 't2' })
  expect(asked()).toBe(2)
})

test('if the provider rejects a token, only that token is discarded', async () => {
  const { next, tokens } = await tokensFrom([token('t1', 3_600)])
  await next()
  tokens.forget('t0')
  expect(tokens.current()).toBe('t1')
  tokens.forget('t1')
  expect(tokens.current()).toBeNull()
})

test.each([
  [
    400,
    '{"error":"invalid_grant","error_description":"Bad"}',
    { kind: 'rejected', said: 'invalid_grant: Bad' },
  ],
  [401, 'no JSON', { kind: 'rejected', said: '' }],
  [403, '[]', { kind: 'rejected', said: '' }],
])(
  'a token server’s response with status %s means that the key is rejected',
  async (status, body, expected) => {
    const { next } = await tokensFrom([[status, body]])
    expect(await next()).toEqual(expected)
  },
)

test.each([
  [408, ''],
  [429, '{"error":"slow_down"}'],
  [503, ''],
  [302, ''],
  [200, ''],
  [200, '{"access_token":""}'],
  [200, '{"access_token":"two words"}'],
  [200, `{"access_token":"${'x'.repeat(70_000)}"}`],
])(
  'a response with status %s and no token is a failure, and the next exchange may succeed',
  async (status, body) => {
    const { host, next } = await tokensFrom([[status, body], token('t2', 3_600)])
    const answer = await next()
    expect(answer).toMatchObject({
      kind: 'failed',
      host,
      cause: { message: `get an access token from ${host}` },
    })
    expect(await next()).toEqual({ kind: 'token', token: 't2' })
  },
)
