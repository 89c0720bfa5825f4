/**
 * Tests requests that no valid client sends (docs/reference/threats.md "The Host header selects the tenant", "Headers
 * with keys", "Invalid request bodies and headers"). The test sends requests over raw sockets, so that no library
 * corrects the requests.
 */
import { rmSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { cpuClock } from '../support/cpu-time.ts'
import { newDataFolder } from '../support/data-folder.ts'
import {
  makeApplication,
  sendRaw,
  settledBalance,
  startServer,
  type Application,
  type LocalServer,
  type RawAnswer,
  type User,
} from '../support/start-product.ts'
import { twoOrganizations } from '../support/create-two-organizations.ts'

const credit = 1_000_000n
const bodyLimit = 4 * 1024 * 1024

let folder: string
let server: LocalServer
let app: Application
let sibling: Application
let stranger: Application
let user: User

beforeAll(async () => {
  folder = newDataFolder('e2e')
  const [token = '', otherToken = ''] = await twoOrganizations(folder)
  server = await startServer({ folder, token, limits: { requestBytesMax: bodyLimit } })
  app = await makeApplication(server)
  sibling = await makeApplication(server, { provider: app.provider })
  stranger = await makeApplication({ ...server, token: otherToken }, { provider: app.provider })
  user = await app.newUser({ balanceMicros: credit })
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
  rmSync(folder, { recursive: true })
})

interface Parts {
  readonly port?: number
  readonly line?: string
  /** Null omits the header. Without a value, the test sends a valid header. */
  readonly host?: string | null
  readonly authorization?: string | null
  readonly contentType?: string | null
  readonly extra?: readonly string[]
  readonly body?: string | Uint8Array
}

function send(parts: Parts = {}): Promise<RawAnswer> {
  const { body = app.bodyOf({ max_tokens: 20 }), extra = [], line, port = server.port } = parts
  const {
    authorization = `Bearer ${user.key}`,
    contentType = 'application/json',
    host = app.gatewayHost,
  } = parts
  const bytes = Buffer.from(body)
  const hasLength = extra.some((header) => /^(content-length|transfer-encoding):/i.test(header))
  const head = [
    line ?? 'POST /v1/chat/completions HTTP/1.1',
    ...(host === null ? [] : [`Host: ${host}`]),
    ...(authorization === null ? [] : [`Authorization: ${authorization}`]),
    ...(contentType === null ? [] : [`Content-Type: ${contentType}`]),
    ...(hasLength ? [] : [`Content-Length: ${bytes.length}`]),
    ...extra,
  ]
  return sendRaw(port, `${head.join('\r\n')}\r\n\r\n`, bytes)
}

/** CPU time of this process, which contains the client and the server. */
const cpuMsMax = 50

async function refused(parts: Parts, { code, status }: { status: number; code: string }): Promise<RawAnswer> {
  const reached = app.provider.calls.length
  const answers: RawAnswer[] = []
  let quickestMs = Infinity
  // The lowest CPU time of several attempts excludes garbage collections and other work of the machine.
  while (answers.length < 3 || (quickestMs >= cpuMsMax && answers.length < 12)) {
    const cpuMs = cpuClock()
    // oxlint-disable-next-line no-await-in-loop -- one after the other is what is measured
    answers.push(await send(parts))
    quickestMs = Math.min(quickestMs, cpuMs())
  }
  for (const answer of answers) {
    expect(answer.status, answer.text).toBe(status)
    expect(answer.body?.error?.code, answer.text).toBe(code)
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/)
  }
  expect(quickestMs).toBeLessThan(cpuMsMax)
  expect(app.provider.calls).toHaveLength(reached)
  expect((await user.balance()).reservedMicros).toBe(0n)
  const [answer] = answers
  if (!answer) throw new Error('it was sent')
  return answer
}

/** Clients create their typed errors from this error format. */
function expectChatShape(answer: RawAnswer): void {
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(Object.keys(answer.body)).toEqual(['error'])
  const { code, message, param, request_id, type } = answer.body.error
  expect([typeof message, typeof type, typeof code]).toEqual(['string', 'string', 'string'])
  expect(param === null || typeof param === 'string').toBe(true)
  expect(request_id).toBe(answer.headers.get('x-request-id'))
}

describe('threat 5: the host selects the application', () => {
  test("an application's port serves only this application, for any Host header", async () => {
    const { localPortal } = await app.api('GET', `/v1/apps/${app.slug}`)
    const portalPort = Number(new URL(localPortal).port)
    const others = [
      `127.0.0.1:${sibling.gatewayPort}`,
      sibling.gatewayHost,
      `localhost:${server.port}`,
      `127.0.0.1:${server.port}`,
      'localhost:8080',
    ]
    for (const host of [...others, `127.0.0.1:${portalPort}`]) {
      await refused({ port: app.gatewayPort, host }, { status: 421, code: 'unknown_host' })
      const line = 'GET /v1/whoami HTTP/1.1'
      const answer = await send({
        port: app.gatewayPort,
        host,
        line,
        authorization: `Bearer ${server.token}`,
        body: '',
      })
      expect([host, answer.status]).toEqual([host, 421])
    }
    for (const host of [...others, `127.0.0.1:${app.gatewayPort}`, app.gatewayHost]) {
      await refused({ port: portalPort, host }, { status: 421, code: 'unknown_host' })
    }
    for (const host of [`127.0.0.1:${app.gatewayPort}`, `localhost:${app.gatewayPort}`, app.gatewayHost]) {
      expect((await send({ port: app.gatewayPort, host })).status).toBe(200)
    }
    // The process's own port serves all applications.
    for (const host of [app.gatewayHost, sibling.gatewayHost]) {
      expect((await send({ host, authorization: null })).status).toBe(401)
    }
  })

  test.each([
    ['in its exact form', (name: string) => name],
    ['with the port in use', (name: string) => `${name}:${server.port}`],
    ['with a port that a proxy put there', (name: string) => `${name}:443`],
    ['in upper case', (name: string) => name.toUpperCase()],
  ])('a host name %s selects the application', async (_, host) => {
    expect((await send({ host: host(app.gatewayHost) })).status).toBe(200)
  })

  test('a loopback port selects the application, with the host 127.0.0.1 or localhost', async () => {
    for (const name of ['127.0.0.1', 'localhost']) {
      /* oxlint-disable no-await-in-loop -- one after the other */
      const own = await send({ port: app.gatewayPort, host: `${name}:${app.gatewayPort}` })
      expect(own.status).toBe(200)
      const other = await send({ port: sibling.gatewayPort, host: `${name}:${sibling.gatewayPort}` })
      expect([other.status, other.body.error.code]).toEqual([401, 'invalid_key'])
      /* oxlint-enable no-await-in-loop */
    }
  })

  test.each(['X-Forwarded-Host', 'X-Host', 'Forwarded', 'X-Original-Host', 'X-Forwarded-Server'])(
    'the header %s does not select the application',
    async (header) => {
      const value = header === 'Forwarded' ? `host=${sibling.gatewayHost}` : sibling.gatewayHost
      expect((await send({ extra: [`${header}: ${value}`] })).status).toBe(200)
    },
  )

  test.each([
    ['a trailing dot', (name: string) => `${name}.`],
    ['a path', (name: string) => `${name}/admin`],
    ['a query', (name: string) => `${name}?x`],
    ['a fragment', (name: string) => `${name}#x`],
    ['userinfo', (name: string) => `${name}@127.0.0.1`],
    ['userinfo before it', (name: string) => `a@${name}`],
    ['a backslash', (name: string) => `${name}\\`],
    ['two ports', (name: string) => `${name}:80:80`],
    ['an invalid port', (name: string) => `${name}:http`],
    ['a list', (name: string) => `${name}, ${name}`],
    ['a space', (name: string) => `${name} x`],
    ['a wildcard', () => '*'],
    ['a percent', (name: string) => name.replace('.', '%2e')],
    ['an underscore', () => 'a_b.gateway.localhost'],
    ['an empty label', () => 'a..gateway.localhost'],
    ['full-width letters', () => 'ａcme.gateway.localhost'],
    ['nothing', () => ''],
    ['300 characters', () => `${'a'.repeat(300)}.localhost`],
  ])('a malformed host with %s returns 400', async (_, host) => {
    await refused({ host: host(app.gatewayHost) }, { status: 400, code: 'invalid_host' })
  })

  test.each([
    ['a name after it', (name: string) => `${name}.evil.example`],
    ['a name before it', (name: string) => `evil.${name}`],
    ['another application', () => 'no-such-app.gateway.localhost'],
    ['the portal’s domain and another slug', () => 'no-such-app.portal.localhost'],
    ['punycode', () => 'xn--cme-5cd.gateway.localhost'],
    ['an address', () => '203.0.113.9'],
    ['an address of version 6', () => '[2001:db8::1]:8080'],
    ['the loopback address without a port', () => '127.0.0.1'],
    ['the loopback address with an unused port', () => '127.0.0.1:1'],
    ['another spelling of the loopback address', () => `127.1:${app.gatewayPort}`],
    ['the domain alone', () => 'gateway.localhost'],
  ])('an unknown host, %s, returns 421', async (_, host) => {
    await refused({ host: host(app.gatewayHost) }, { status: 421, code: 'unknown_host' })
  })

  test('probes and metrics are served at every address of the server, but not at other host names or at the port of an application', async () => {
    const get = (path: string, host: string, port = server.port): Promise<RawAnswer> =>
      send({ port, host, line: `GET ${path} HTTP/1.1`, authorization: `Bearer ${server.token}`, body: '' })
    const address = [
      '203.0.113.9',
      `10.0.0.5:${server.port}`,
      '127.0.0.1:1',
      '[2001:db8::1]:8080',
      'localhost',
    ]
    const paths = ['/health', '/healthz', '/readyz', '/readyz?verbose=1', '/metrics']
    /* oxlint-disable no-await-in-loop -- one after the other */
    for (const path of paths) {
      // The server has two organizations, so tokens cannot read its metrics.
      const expected = path === '/metrics' ? 403 : 200
      for (const host of address)
        expect([path, host, (await get(path, host)).status]).toEqual([path, host, expected])
      for (const host of ['health.example.com', 'no-such-app.gateway.localhost']) {
        expect([path, host, (await get(path, host)).status]).toEqual([path, host, 421])
      }
      expect([path, (await get(path, '203.0.113.9', app.gatewayPort)).status]).toEqual([path, 421])
    }
    for (const path of ['/v1/whoami', '/', '/health/', '/healthz.txt']) {
      expect([path, (await get(path, '203.0.113.9')).status]).toEqual([path, 421])
    }
    /* oxlint-enable no-await-in-loop */
  })

  test('threat 6: a request with two host headers, or with another host in its target, returns 400', async () => {
    await refused({ extra: [`Host: ${app.gatewayHost}`] }, { status: 400, code: 'invalid_host' })
    await refused({ extra: [`host: ${sibling.gatewayHost}`] }, { status: 400, code: 'invalid_host' })
    for (const target of [
      `http://${sibling.gatewayHost}/v1/chat/completions`,
      `http://${app.gatewayHost}/v1/chat/completions`,
      '*',
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await refused({ line: `POST ${target} HTTP/1.1` }, { status: 400, code: 'invalid_host' })
    }
  })

  test('a request without a host returns 400', async () => {
    expect((await send({ host: null })).status).toBe(400)
    const old = await send({ host: null, line: 'POST /v1/chat/completions HTTP/1.0' })
    expect([old.status, old.body.error.code]).toEqual([400, 'invalid_host'])
  })
})

describe('threats 3 and 4: a key is valid only in its own application', () => {
  test('a key is rejected in any other application, of the same or another organization, even after that application was called', async () => {
    const own = await sibling.newUser({ balanceMicros: credit })
    const far = await stranger.newUser({ balanceMicros: credit })
    const homes = [
      [app, user],
      [sibling, own],
      [stranger, far],
    ] as const
    // First, each key is used in its own application, so that the caches are filled.
    for (const [home, { key }] of homes) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const answer = await send({ host: home.gatewayHost, authorization: `Bearer ${key}` })
      expect(answer.status).toBe(200)
    }
    const before = await Promise.all(homes.map(([, person]) => settledBalance(person)))
    const entries = await Promise.all(homes.map(async ([, person]) => (await person.requests()).length))
    for (const [home] of homes) {
      for (const [other, { key }] of homes) {
        if (other === home) continue
        const answer = await refused(
          { host: home.gatewayHost, authorization: `Bearer ${key}` },
          { status: 401, code: 'invalid_key' },
        )
        expectChatShape(answer)
      }
    }
    expect(await Promise.all(homes.map(([, person]) => settledBalance(person)))).toEqual(before)
    expect(await Promise.all(homes.map(async ([, person]) => (await person.requests()).length))).toEqual(
      entries,
    )
  })

  test.each([
    ['no value', null, 'missing_credential'],
    ['another scheme', 'Basic dXNlcjpwYXNz', 'invalid_key'],
    ['nothing after the scheme', 'Bearer', 'invalid_key'],
    ['quotes', "Bearer ak_' OR '1'='1", 'invalid_key'],
    ['a byte beyond ASCII', 'Bearer ak_\u00ff\u00fe', 'invalid_key'],
    ['a customer’s token', null, 'wrong_credential_kind'],
  ])('threats 2 and 14: an authorization header with %s returns 401', async (name, authorization, code) => {
    const sent = code === 'wrong_credential_kind' ? `Bearer ${server.token}` : authorization
    expectChatShape(await refused({ authorization: sent }, { status: 401, code }))
    expect(name).toBeTruthy()
  })

  test('threat 15: two different credentials return 400, in either order', async () => {
    const own = `Authorization: Bearer ${user.key}`
    const other = 'Authorization: Bearer ak_other'
    for (const extra of [
      [own, other],
      [other, own],
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const answer = await refused(
        { authorization: null, extra },
        { status: 400, code: 'conflicting_credentials' },
      )
      expectChatShape(answer)
    }
    // Two equal credentials are accepted, because they are not ambiguous.
    expect((await send({ authorization: null, extra: [own, own] })).status).toBe(200)
  })

  test('an oversized header, or too many headers, return 431', async () => {
    expect((await send({ authorization: `Bearer ${'a'.repeat(20_000)}` })).status).toBe(431)
    // The parser would not see headers after the hundredth, although one of them may be a second Host header.
    const extra = [...Array.from({ length: 120 }, (_, i) => `X-${i}: 1`), `Host: ${sibling.gatewayHost}`]
    expect((await send({ extra })).status).toBe(431)
  })
})

describe('threat 23: a request that another parser could read as two requests', () => {
  const body = '{}'
  test.each([
    ['a length and chunks', ['Content-Length: 2', 'Transfer-Encoding: chunked'], body],
    ['two lengths', ['Content-Length: 2', 'Content-Length: 3'], body],
    ['a space before the colon', ['Content-Length: 2', 'X-A : 1'], body],
    ['a folded line', ['Content-Length: 2', 'X-A: 1\r\n 2'], body],
    ['a length shorter than the body', ['Content-Length: 10'], '{"model":"acme/smart"}'],
    ['an invalid length', ['Content-Length: 0x2'], body],
    ['an invalid chunk length', ['Transfer-Encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n'],
    ['another transfer coding', ['Transfer-Encoding: gzip, chunked, x'], body],
  ])('a request with %s returns 400 and closes the connection', async (_, extra, sent) => {
    const reached = app.provider.calls.length
    const answer = await send({ extra, body: sent })
    expect(answer.status).toBe(400)
    expect(answer.headers.get('connection')).toBe('close')
    expect(app.provider.calls).toHaveLength(reached)
  })
})

describe('paths and methods', () => {
  test.each([
    ['POST /v1/chat/completions/ HTTP/1.1', 404, 'no_such_path'],
    ['POST /v1//chat/completions HTTP/1.1', 404, 'no_such_path'],
    ['POST /v1/chat/../chat/completions HTTP/1.1', 404, 'no_such_path'],
    ['POST /v1/chat%2fcompletions HTTP/1.1', 404, 'no_such_path'],
    ['POST /V1/chat/completions HTTP/1.1', 404, 'no_such_path'],
    ['POST /health HTTP/1.1', 404, 'no_such_path'],
    ['POST /v1/keys HTTP/1.1', 404, 'no_such_path'],
    ['GET /v1/chat/completions HTTP/1.1', 405, 'method_not_allowed'],
    ['DELETE /v1/chat/completions HTTP/1.1', 405, 'method_not_allowed'],
    ['TRACE /v1/chat/completions HTTP/1.1', 405, 'method_not_allowed'],
    ['POST /v1/models HTTP/1.1', 405, 'method_not_allowed'],
  ])('the request line %s returns %i', async (line, status, code) => {
    expectChatShape(await refused({ line }, { status, code }))
  })

  test('an upgrade to a WebSocket returns 426, after which clients send their requests over HTTP', async () => {
    const line = 'GET /v1/chat/completions HTTP/1.1'
    const extra = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
    const answer = await refused({ line, extra, body: '' }, { status: 426, code: 'websocket_not_served' })
    expectChatShape(answer)
    expect(answer.headers.get('upgrade')).toBe('HTTP/1.1')
  })

  test('the query of a URL is not part of the path', async () => {
    expect((await send({ line: 'POST /v1/chat/completions?beta=true HTTP/1.1' })).status).toBe(200)
  })
})

test.each(['identity', 'Identity'])('a body with Content-Encoding %s is not compressed', async (encoding) => {
  expect((await send({ extra: [`Content-Encoding: ${encoding}`] })).status).toBe(200)
})

describe('request bodies', () => {
  const start = '{"model":"acme/smart","messages":[{"role":"user","content":"Hello"}],"max_tokens":20'
  const withField = (field: string): string => `${start},${field}}`
  const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

  const wrong: readonly (readonly [string, () => Parts, number, string])[] = [
    [
      'larger than the limit, with a true length',
      () => ({ extra: [`Content-Length: ${bodyLimit + 1}`], body: '' }),
      413,
      'request_too_large',
    ],
    [
      'much larger than the limit, with a true length',
      () => ({ extra: ['Content-Length: 99999999999'], body: '' }),
      413,
      'request_too_large',
    ],
    [
      'larger than the limit, in chunks',
      () => ({
        extra: ['Transfer-Encoding: chunked'],
        body: chunked(`{"data":"${'A'.repeat(bodyLimit + 1)}`),
      }),
      413,
      'request_too_large',
    ],
    ['empty', () => ({ body: '' }), 400, 'invalid_json'],
    ['no JSON', () => ({ body: 'model=x' }), 400, 'invalid_json'],
    ['JSON and more', () => ({ body: `${start}} {}` }), 400, 'invalid_json'],
    ['cut off', () => ({ body: start }), 400, 'invalid_json'],
    ['a list', () => ({ body: '[]' }), 400, 'invalid_request'],
    ['a number', () => ({ body: '1' }), 400, 'invalid_request'],
    ['65 deep', () => ({ body: withField(`"x":${nested(64)}`) }), 400, 'invalid_json'],
    ['5,000 deep', () => ({ body: withField(`"x":${nested(5_000)}`) }), 400, 'invalid_json'],
    ['100,000 deep', () => ({ body: withField(`"x":${nested(100_000)}`) }), 400, 'invalid_json'],
    [
      '100,000 levels deep and never closed',
      () => ({ body: `${start},"x":${'[{"a":'.repeat(100_000)}` }),
      400,
      'invalid_json',
    ],
    [
      'a list of a million values',
      () => ({ body: withField(`"x":[${'0,'.repeat(999_999)}0]`) }),
      400,
      'invalid_json',
    ],
    [
      'an object of a hundred thousand keys and as many values again',
      () => ({ body: withField(`"x":{${Array.from({ length: 130_000 }, (_, i) => `"k${i}":0`).join()}}`) }),
      400,
      'invalid_json',
    ],
    [
      'compressed',
      () => ({ extra: ['Content-Encoding: gzip'], body: gzipSync(Buffer.alloc(50_000_000)) }),
      415,
      'unsupported_media_type',
    ],
    ['declared as compressed', () => ({ extra: ['Content-Encoding: br'] }), 415, 'unsupported_media_type'],
    ...[
      null,
      'text/plain',
      'application/jsonx',
      'application/json, text/plain',
      'text/json',
      'application/vnd.api+json',
      'multipart/form-data; boundary=x',
      'xapplication/json',
    ].map((contentType): readonly [string, () => Parts, number, string] => [
      `of type ${contentType}`,
      () => ({ contentType }),
      415,
      'unsupported_media_type',
    ]),
    [
      'not UTF-8',
      () => ({
        body: Buffer.concat([Buffer.from(`${start},"x":"`), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]),
      }),
      400,
      'invalid_json',
    ],
    [
      'UTF-8 cut in half',
      () => ({
        body: Buffer.concat([Buffer.from(`${start},"x":"`), Buffer.from([0xe2, 0x82]), Buffer.from('"}')]),
      }),
      400,
      'invalid_json',
    ],
    [
      'UTF-8 of a surrogate',
      () => ({
        body: Buffer.concat([
          Buffer.from(`${start},"x":"`),
          Buffer.from([0xed, 0xa0, 0x80]),
          Buffer.from('"}'),
        ]),
      }),
      400,
      'invalid_json',
    ],
    ['with a byte order mark before it', () => ({ body: `\ufeff${start}}` }), 400, 'invalid_json'],
    ['with a control character in a text', () => ({ body: withField('"x":"\u0000"') }), 400, 'invalid_json'],
    ['with a model twice', () => ({ body: withField('"model":"acme/other"') }), 400, 'invalid_request'],
    [
      'with the same model twice',
      () => ({ body: withField('"model":"acme/smart"') }),
      400,
      'invalid_request',
    ],
    [
      'with a model twice, one of them escaped',
      () => ({ body: withField('"mod\\u0065l":"acme/other"') }),
      400,
      'invalid_request',
    ],
    ['with a maximum twice', () => ({ body: withField('"max_tokens":1') }), 400, 'invalid_request'],
    ['with messages twice', () => ({ body: withField('"messages":[]') }), 400, 'invalid_request'],
    [
      'without a model',
      () => ({ body: '{"messages":[{"role":"user","content":"x"}]}' }),
      400,
      'invalid_request',
    ],
    [
      'with a model longer than any name',
      () => ({ body: `${start.replace('acme/smart', 'a'.repeat(129))}}` }),
      400,
      'invalid_request',
    ],
    [
      'with a model as long as the longest name',
      () => ({ body: `${start.replace('acme/smart', 'a'.repeat(128))}}` }),
      404,
      'model_not_found',
    ],
    ['without messages', () => ({ body: '{"model":"acme/smart"}' }), 400, 'invalid_request'],
    ['with no message', () => ({ body: '{"model":"acme/smart","messages":[]}' }), 400, 'invalid_request'],
    [
      'with an invalid message',
      () => ({ body: '{"model":"acme/smart","messages":["x"]}' }),
      400,
      'invalid_request',
    ],
    ...[
      '-1',
      '0',
      '0.5',
      '1e400',
      '9007199254740993',
      '18446744073709551615',
      '"5"',
      'true',
      '[]',
      '{}',
    ].flatMap((value) =>
      ['max_completion_tokens', 'n'].map((name): readonly [string, () => Parts, number, string] => [
        `with ${name}: ${value}`,
        () => ({ body: withField(`"${name}":${value}`) }),
        400,
        'invalid_request',
      ]),
    ),
    ['with more choices than allowed', () => ({ body: withField('"n":129') }), 400, 'invalid_request'],
    ['with stream: "yes"', () => ({ body: withField('"stream":"yes"') }), 400, 'invalid_request'],
    [
      'with an unknown field of svc',
      () => ({ body: withField('"svc":{"user":"x"}') }),
      400,
      'invalid_request',
    ],
    [
      'with only half of a run’s fields',
      () => ({ body: withField('"svc":{"outcome":"x"}') }),
      400,
      'invalid_request',
    ],
    ...['api_base', 'base_url', 'extra_headers'].map(
      (name): readonly [string, () => Parts, number, string] => [
        `that chooses ${name}`,
        () => ({ body: withField(`"${name}":"http://evil.example"`) }),
        400,
        'unsupported_for_route',
      ],
    ),
    [
      'with another spelling of the model',
      () => ({ body: start.replace('acme/smart', 'ACME/smart') + '}' }),
      404,
      'model_not_found',
    ],
    [
      'with a model that looks the same',
      () => ({ body: `${start.replace('acme/smart', 'аcme/smart')}}` }),
      404,
      'model_not_found',
    ],
    [
      'with the name of an inherited property as model',
      () => ({ body: `${start.replace('acme/smart', '__proto__')}}` }),
      404,
      'model_not_found',
    ],
    [
      'with a path as model',
      () => ({ body: `${start.replace('acme/smart', 'acme/../acme/smart')}}` }),
      404,
      'model_not_found',
    ],
  ]

  test.each(wrong)(
    '%s: a request with this body is rejected immediately, and nothing is held',
    async (_, parts, status, code) => {
      const before = await settledBalance(user)
      expectChatShape(await refused(parts(), { status, code }))
      expect(await settledBalance(user)).toBe(before)
    },
  )

  test.each([
    ['64 deep', `"x":${nested(63)}`],
    ['with null in place of a maximum', '"max_completion_tokens":null,"n":null,"stream":null'],
    [
      'with the names of inherited properties',
      '"__proto__":{"a":1},"constructor":{"prototype":1},"toString":"x"',
    ],
    ['with half a surrogate pair, escaped', '"x":"\\ud800"'],
    ['with a number past 2^53', '"seed":9007199254740993'],
    ['with 1e400 in a field that is no count', '"x":1e400'],
  ])('%s: a request with this body is served, and reaches the provider byte for byte', async (_, field) => {
    const answer = await send({ body: withField(field) })
    expect(answer.status, answer.text).toBe(200)
    expect(app.provider.calls.at(-1)?.text).toContain(field)
  })

  test('a request whose content type has parameters or upper-case letters is served', async () => {
    for (const contentType of [
      'application/json; charset=utf-8',
      'Application/JSON',
      'application/json ;a=b',
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect((await send({ contentType })).status, contentType).toBe(200)
    }
  })
})

function chunked(text: string): string {
  const size = 65_536
  let out = ''
  for (let at = 0; at < text.length; at += size) {
    const piece = text.slice(at, at + size)
    out += `${piece.length.toString(16)}\r\n${piece}\r\n`
  }
  return `${out}0\r\n\r\n`
}
