import { once } from 'node:events'
import { createServer as createHttpServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { createServer as createTcpServer, type Server, type Socket } from 'node:net'
import {
  brotliCompressSync,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import type { ProviderAccount } from '#domain/application-config.ts'
import type { ProviderKind } from '#domain/accounts/provider-kinds.ts'
import type { Deadlines } from '#domain/calls/call-deadlines.ts'
import type {
  UpstreamFailure,
  UpstreamHeaders,
  UpstreamRequest,
} from '#domain/provider-upstream-interface.ts'
import { deadlineSweep } from '#domain/calls/deadline-sweep.ts'
import { remote, type ClosableUpstream, type RemoteOptions } from './send-calls-to-provider.ts'
import { directReads } from './shared-read-buffer.ts'
import { NameResolver } from './name-resolver.ts'
import { guardedConnector, OutboundRefused } from './outbound-guard.ts'

const systemNames = new NameResolver().of('org_1')
const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

test('a call is sent as a POST with the account’s key, and the response is returned unchanged', async () => {
  const seen: unknown[] = []
  const baseUrl = await serve((request, response) => {
    const { method, url, headers } = request
    seen.push({ method, url, ...headers })
    request.setEncoding('utf8')
    request.on('data', (text: string) => seen.push(text))
    request.on('end', () => {
      response.writeHead(200, { 'content-type': 'Application/JSON; charset=utf-8', 'x-secret': 'no' })
      response.end('{"choices":[]}')
    })
  })
  const { events } = await run(
    upstream(),
    requestTo(baseUrl, { body: '{"model":"m","big":12345678901234567890}' }),
  )
  expect(seen).toEqual([
    {
      method: 'POST',
      url: '/v1/chat/completions',
      host: new URL(baseUrl).host,
      'cdn-loop': 'tollgate-test',
      connection: 'keep-alive',
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'accept-encoding': 'identity',
      'user-agent': 'tollgate',
      authorization: 'Bearer opened:sealed',
      'content-length': '40',
    },
    '{"model":"m","big":12345678901234567890}',
  ])
  expect(events).toEqual([
    ['head', 200, { contentType: 'application/json', retryAfterSeconds: null }],
    ['data', '{"choices":[]}'],
    ['end'],
  ])
})

test('calls of an account without a key have no key header, and a query in the base URL is kept after the path', async () => {
  const seen: unknown[] = []
  const baseUrl = await serve((request, response) => {
    seen.push(request.url, request.headers.authorization)
    response.end()
  })
  const withQuery = `${baseUrl}/?api-version=2026-01-01`
  await run(upstream({ openCredential: () => null }), requestTo(withQuery))
  expect(seen).toEqual(['/v1/chat/completions?api-version=2026-01-01', undefined])
})

async function seenOf(change: Partial<UpstreamRequest> & { kind: ProviderKind; base?: string }) {
  const { kind, base = '', ...rest } = change
  const seen: { url: string | undefined; headers: IncomingHttpHeaders }[] = []
  const baseUrl = await serve(({ url, headers }, response) => {
    seen.push({ url, headers })
    response.end('{}')
  })
  const request = requestTo(new URL(baseUrl).origin + base)
  await run(upstream(), { ...request, ...rest, account: { ...request.account, kind } })
  const [only = { url: '', headers: {} }] = seen
  expect(seen).toHaveLength(1)
  return only
}

const counting = { purpose: 'count' } as const
const stream = { isStream: true } as const

test.each<[ProviderKind, string, Partial<UpstreamRequest>, string]>([
  ['openai', '/v1', { wire: 'chat' }, '/v1/chat/completions'],
  ['openai', '/v1', { wire: 'responses' }, '/v1/responses'],
  ['openai', '/v1', { wire: 'responses', ...stream }, '/v1/responses'],
  ['openai', '/v1', { wire: 'responses', ...counting }, '/v1/responses/input_tokens'],
  ['openai', '/v1', { wire: 'chat', query: 'a=b' }, '/v1/chat/completions'],
  ['openai_compatible', '/openai/v1/', { wire: 'chat', query: 'a=b' }, '/openai/v1/chat/completions'],
  ['anthropic', '', { wire: 'messages' }, '/v1/messages'],
  ['anthropic', '/v1', { wire: 'messages' }, '/v1/messages'],
  [
    'anthropic',
    '/a/anthropic',
    { wire: 'messages', query: 'beta=true' },
    '/a/anthropic/v1/messages?beta=true',
  ],
  [
    'anthropic',
    '/?k=v',
    { wire: 'messages', ...counting, query: 'beta=true' },
    '/v1/messages/count_tokens?k=v&beta=true',
  ],
  ['google', '', { wire: 'generate', model: 'g-1' }, '/v1beta/models/g-1:generateContent'],
  ['google', '', { wire: 'generate', model: 'models/g-1' }, '/v1beta/models/g-1:generateContent'],
  ['google', '/v1', { wire: 'generate', model: 'g-1', query: 'key=x' }, '/v1/models/g-1:generateContent'],
  [
    'google',
    '/v1/x/google',
    { wire: 'generate', model: 'a/b ?#..', ...stream },
    '/v1/x/google/v1beta/models/a%2Fb%20%3F%23..:streamGenerateContent?alt=sse',
  ],
  [
    'google',
    '/v1alpha?a=b',
    { wire: 'generate', model: 'g', ...stream },
    '/v1alpha/models/g:streamGenerateContent?a=b&alt=sse',
  ],
  ['google', '', { wire: 'generate', model: 'g', ...counting, ...stream }, '/v1beta/models/g:countTokens'],
  // An account of the kind `openai` can use the Responses API of Azure.
  ['openai', '/openai/v1', { wire: 'responses', model: 'd-1' }, '/openai/v1/responses'],
  ['openai', '/openai/v1', { wire: 'compact', model: 'd-1' }, '/openai/v1/responses/compact'],
  ['azure_openai', '', { wire: 'chat', model: 'd-1' }, '/openai/v1/chat/completions'],
  ['azure_openai', '/openai/', { wire: 'chat', model: 'd-1' }, '/openai/v1/chat/completions'],
  ['azure_openai', '/openai/v1', { wire: 'images', model: 'd-1' }, '/openai/v1/images/generations'],
  [
    'azure_openai',
    '/openai/v1/?api-version=preview',
    { wire: 'chat', model: 'd-1' },
    '/openai/v1/chat/completions?api-version=preview',
  ],
  [
    'azure_openai',
    '?api-version=preview',
    { wire: 'embeddings', model: 'd-1' },
    '/openai/v1/embeddings?api-version=preview',
  ],
  ...['', '/', '/openai', '/openai/'].map(
    (base): [ProviderKind, string, Partial<UpstreamRequest>, string] => [
      'azure_openai',
      `${base}?api-version=2024-10-21`,
      { wire: 'chat', model: 'd 1/2' },
      '/openai/deployments/d%201%2F2/chat/completions?api-version=2024-10-21',
    ],
  ),
  [
    'azure_openai',
    '/openai/deployments/mine?api-version=2025-04-01-preview',
    { wire: 'transcriptions', model: 'd-1' },
    '/openai/deployments/mine/audio/transcriptions?api-version=2025-04-01-preview',
  ],
  [
    'azure_openai',
    '/team/openai?api-version=2024-10-21',
    { wire: 'chat', model: 'd-1' },
    '/team/openai/deployments/d-1/chat/completions?api-version=2024-10-21',
  ],
])(
  'an account of the kind %s whose base URL has the path %j sends the request %j to %s',
  async (kind, base, change, path) => {
    expect((await seenOf({ kind, base, ...change })).url).toBe(path)
  },
)

test.each<[ProviderKind, object]>([
  ['openai', { authorization: 'Bearer opened:sealed' }],
  ['openai_compatible', { authorization: 'Bearer opened:sealed' }],
  ['anthropic', { 'x-api-key': 'opened:sealed', 'anthropic-version': '2023-06-01' }],
  ['google', { 'x-goog-api-key': 'opened:sealed' }],
])('calls to %s contain the key only in the header that the vendor’s clients use', async (kind, own) => {
  const { headers } = await seenOf({ kind })
  const { authorization, ...rest } = headers
  const vendors = Object.entries(rest).filter(([name]) => /key|anthropic/.test(name))
  expect({
    ...Object.fromEntries(vendors),
    ...(authorization === undefined ? {} : { authorization }),
  }).toEqual(own)
})

test('headers of the client are sent with the call, and never replace the gateway’s own headers', async () => {
  const { headers } = await seenOf({
    kind: 'anthropic',
    headers: Object.entries({
      'Anthropic-Version': '2026-10-21',
      'anthropic-beta': 'a-1,b-2',
      'X-Api-Key': 'theirs',
      authorization: 'Bearer theirs',
      'x-goog-api-key': 'theirs',
      'api-key': 'theirs',
      cookie: 'a=b',
      host: 'elsewhere',
      'content-length': '1',
      'transfer-encoding': 'chunked',
      'Accept-Encoding': 'gzip',
    }).flat(),
  })
  expect(headers).toMatchObject({
    'anthropic-version': '2026-10-21',
    'anthropic-beta': 'a-1,b-2',
    'x-api-key': 'opened:sealed',
    'accept-encoding': 'identity',
    'content-length': '2',
  })
  for (const name of ['authorization', 'x-goog-api-key', 'api-key', 'cookie', 'transfer-encoding']) {
    expect(headers).not.toHaveProperty(name)
  }
  expect(headers.host).toMatch(/^127\.0\.0\.1:/)
})

test('if HTTP forbids a header or a query, only the call that contains it fails', async () => {
  const baseUrl = await serve((_, response) => void response.end('{}'))
  const provider = upstream()
  const request = requestTo(new URL(baseUrl).origin)
  const account = { ...request.account, kind: 'anthropic' } as const
  for (const change of [{ headers: ['anthropic-beta', 'a\r\nx: y'] }, { query: 'a b\r\n' }]) {
    const { failure } = await run(provider, { ...request, account, ...change })
    expect(failure).toMatchObject({ phase: 'connect', isTimeout: false })
  }
  expect((await run(provider, { ...request, account })).events.at(-1)).toEqual(['end'])
})

test('an account without a base URL uses the base URL of its vendor, and is rejected if its kind has no vendor', async () => {
  const hosts: unknown[] = []
  const provider = upstream({
    connectorOf: () => (options, callback) => {
      hosts.push(`${options.protocol}//${options.hostname}`)
      callback(new Error('not today'), null)
    },
  })
  for (const kind of ['openai', 'anthropic', 'google', 'openai_compatible', 'simulator'] as const) {
    const request = requestTo('')
    const account = { ...request.account, id: kind, kind, baseUrl: null }
    expect((await run(provider, { ...request, account })).failure).toMatchObject({ phase: 'connect' })
  }
  expect(hosts).toEqual([
    'https://api.openai.com',
    'https://api.anthropic.com',
    'https://generativelanguage.googleapis.com',
  ])
})

test.each([
  [{ 'x-request-id': 'req_0a1b' }, 'req_0a1b'],
  [{ 'request-id': 'req_011CX' }, 'req_011CX'],
  [{ 'x-request-id': 'has "other" things in it' }, undefined],
  [{ 'x-request-id': 'x'.repeat(129) }, undefined],
])('the request ID in the headers %j is read as %s', async (sent, requestId) => {
  const baseUrl = await serve((_, response) => response.writeHead(200, sent).end())
  const { events } = await run(upstream(), requestTo(baseUrl))
  const [head] = events
  expect(head?.[0] === 'head' ? head[2].requestId : 'none').toBe(requestId)
})

test.each([
  [{ 'retry-after': '7' }, 7],
  [{ 'retry-after': '0.2' }, 1],
  [{ 'retry-after': '99999999999999999999' }, 86_400],
  [{ 'retry-after-ms': '1500', 'retry-after': '60' }, 2],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:01:30 GMT' }, 30],
  [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:01 GMT' }, 0],
  [{ 'retry-after': 'soon' }, null],
  [{ 'retry-after': '-1e3x' }, null],
])(
  'an error status is returned as a response, and the headers %j mean a wait of %s seconds',
  async (headers, retryAfterSeconds) => {
    const baseUrl = await serve((_, response) => {
      response.writeHead(429, { 'content-type': 'application/json', ...headers })
      response.end('{"error":{}}')
    })
    const { events } = await run(upstream({ nowMs: () => 60_000 }), requestTo(baseUrl))
    expect(events).toEqual([
      ['head', 429, { contentType: 'application/json', retryAfterSeconds }],
      ['data', '{"error":{}}'],
      ['end'],
    ])
  },
)

test('a redirect is returned as a response and is not followed', async () => {
  let requests = 0
  const elsewhere = await serve((_, response) => {
    requests++
    response.end()
  })
  const baseUrl = await serve((_, response) => response.writeHead(307, { location: elsewhere }).end())
  const { events } = await run(upstream(), requestTo(baseUrl))
  expect(events).toEqual([['head', 307, { contentType: '', retryAfterSeconds: null }], ['end']])
  expect(requests).toBe(0)
})

test('informational responses (1xx) are not treated as the response', async () => {
  const baseUrl = await serveTcp((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n')
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: 2\r\n\r\nok')
    })
  })
  const { events } = await run(upstream(), requestTo(baseUrl))
  expect(events).toEqual([
    ['head', 200, { contentType: 'text/event-stream', retryAfterSeconds: null }],
    ['data', 'ok'],
    ['end'],
  ])
})

const encoders = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  GZIP: gzipSync,
  'gzip, identity': gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
}

test.each(Object.entries(encoders))('a response in the encoding %s is decoded', async (name, encode) => {
  const text = `{"choices":[],"text":"${'Grüße '.repeat(5_000)}"}`
  const baseUrl = await serve((_, response) => {
    response.writeHead(200, { 'content-encoding': name, 'content-type': 'application/json' })
    response.end(encode(text))
  })
  const sink = collector()
  const received: Uint8Array[] = []
  sink.takeData = (bytes) => received.push(bytes) > 0
  upstream().send(requestTo(baseUrl), sink)
  await sink.over
  expect(sink.failure).toBeNull()
  expect(Buffer.concat(received).toString()).toBe(text)
})

test('a deflate body without its zlib header is decoded', async () => {
  const baseUrl = await serve((_, response) => {
    response.writeHead(200, { 'content-encoding': 'deflate' })
    response.end(deflateRawSync('{"choices":[]}'))
  })
  expect((await run(upstream(), requestTo(baseUrl))).text).toBe('{"choices":[]}')
})

test.each(['compress', 'gzip, br', 'aes128gcm'])(
  'a response in the encoding %s fails, and the failure names the encoding',
  async (name) => {
    const baseUrl = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': name })
      response.end('not really')
    })
    const { failure } = await run(upstream(), requestTo(baseUrl))
    expect(failure).toMatchObject({ phase: 'reset', isTimeout: false })
    expect(String(failure?.cause)).toContain(name)
  },
)

test('a body that does not match its stated encoding is a failure', async () => {
  const baseUrl = await serve((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' })
    response.end('not really')
  })
  const { failure } = await run(upstream(), requestTo(baseUrl))
  expect(failure).toMatchObject({ phase: 'reset', isTimeout: false })
})

test('each piece of an encoded stream is forwarded when it arrives', async () => {
  for (const [name, create] of [
    ['gzip', createGzip],
    ['br', createBrotliCompress],
    ['zstd', createZstdCompress],
  ] as const) {
    const next = gate()
    // oxlint-disable-next-line no-await-in-loop -- one encoding after the other
    const baseUrl = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': name, 'content-type': 'text/event-stream' })
      const encoder = create()
      encoder.pipe(response)
      encoder.write('data: 1\n\n')
      encoder.flush()
      void next.opened.then(() => encoder.end('data: 2\n\n'))
    })
    const sink = collector()
    upstream().send(requestTo(baseUrl), sink)
    // oxlint-disable-next-line no-await-in-loop -- as above
    await sink.until(() => sink.text === 'data: 1\n\n')
    next.open()
    // oxlint-disable-next-line no-await-in-loop -- as above
    await sink.over
    expect(sink.text).toBe('data: 1\n\ndata: 2\n\n')
    expect(sink.events.at(-1)).toEqual(['end'])
  }
})

test('the received part of an interrupted encoded stream is forwarded, and a lost connection is reported', async () => {
  const encoded = gzipSync('data: 1\n\n'.repeat(10_000))
  const baseUrl = await serveTcp((socket) =>
    socket.once('data', () => {
      socket.write(
        'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 99999\r\ncontent-type: text/event-stream\r\n\r\n',
      )
      socket.write(encoded.subarray(0, encoded.length - 12), () => socket.end())
    }),
  )
  const { failure, text } = await run(upstream(), requestTo(baseUrl))
  expect(failure).toMatchObject({ phase: 'reset' })
  expect(text.startsWith('data: 1\n\ndata: 1\n\n')).toBe(true)
})

test('a small response that decodes to a very large response is cut off, and its connection is closed', async () => {
  const closed = gate()
  const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024))
  const baseUrl = await serve((_, response) => {
    response.on('close', () => closed.open())
    response.writeHead(200, { 'content-encoding': 'gzip' })
    response.write(bomb)
  })
  const sink = collector()
  let received = 0
  sink.takeData = (bytes) => {
    received += bytes.length
    return true
  }
  upstream().send(requestTo(baseUrl), sink)
  await sink.over
  expect(String(sink.failure?.cause)).toContain('times its size')
  expect(received).toBeLessThan(5 * 1024 * 1024)
  await closed.opened
})

test('while a sink is paused, no part of an encoded response is lost', async () => {
  const text = Array.from({ length: 200_000 }, (_, at) => `line ${at * 7919}\n`).join('')
  const baseUrl = await serve((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' })
    response.end(gzipSync(text))
  })
  const sink = collector()
  let received = ''
  sink.takeData = (bytes) => {
    received += Buffer.from(bytes).toString('latin1')
    setImmediate(() => call.resume())
    return false
  }
  const call = upstream().send(requestTo(baseUrl), sink)
  await sink.over
  expect(received === text).toBe(true)
})

test('aborting a call stops the decoder', async () => {
  const baseUrl = await serve((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' })
    response.end(gzipSync('x'.repeat(4_000_000)))
  })
  const sink = collector()
  const aborted = gate()
  sink.takeData = () => {
    call.abort()
    aborted.open()
    return false
  }
  const call = upstream().send(requestTo(baseUrl), sink)
  await aborted.opened
  const count = sink.events.length
  await settled(() => sink.events.length)
  expect(sink.events).toHaveLength(count)
  expect(sink.failure).toBeNull()
})

test('each piece of a stream is forwarded when it arrives', async () => {
  const next = gate()
  const baseUrl = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write('data: 1\n\n')
    void next.opened.then(() => response.end('data: 2\n\n'))
  })
  const sink = collector()
  upstream().send(requestTo(baseUrl), sink)
  await sink.until((events) => events.length === 2)
  expect(sink.events[1]).toEqual(['data', 'data: 1\n\n'])
  next.open()
  await sink.over
  expect(sink.events.slice(2)).toEqual([['data', 'data: 2\n\n'], ['end']])
})

test('a connection serves consecutive calls, and concurrent calls do not share it', async () => {
  let connections = 0
  const both = gate()
  let waiting = 0
  const baseUrl = await serve(
    (request, response) => {
      request.resume()
      waiting++
      if (waiting === 4) both.open()
      if (waiting <= 2) response.end('{}')
      else void both.opened.then(() => response.end('{}'))
    },
    () => connections++,
  )
  const provider = upstream()
  await run(provider, requestTo(baseUrl))
  await run(provider, requestTo(baseUrl))
  expect(connections).toBe(1)
  await Promise.all([run(provider, requestTo(baseUrl)), run(provider, requestTo(baseUrl))])
  expect(connections).toBe(2)
})

test('calls wait if all connections are busy, and an aborted call leaves the queue', async () => {
  const order: (string | undefined)[] = []
  const first = gate()
  const baseUrl = await serve((request, response) => {
    request.setEncoding('utf8')
    request.on('data', (text: string) => order.push(text))
    void first.opened.then(() => response.end('{}'))
  })
  const provider = upstream({ connectionsMax: 1 })
  const sinks = ['a', 'b', 'c'].map((body) => {
    const sink = collector()
    return { sink, call: provider.send(requestTo(baseUrl, { body }), sink) }
  })
  sinks[1]?.call.abort()
  first.open()
  await sinks[0]?.sink.over
  await sinks[2]?.sink.over
  expect(order).toEqual(['a', 'c'])
  expect(sinks[1]?.sink.events).toEqual([])
})

test('no callback runs before `send` returns, and a connection failure is reported as a failure that has cost nothing', async () => {
  const server = createTcpServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const baseUrl = `http://127.0.0.1:${portOf(server)}/v1`
  server.close()
  await once(server, 'close')
  const { failure, events } = await run(upstream(), requestTo(baseUrl))
  expect(events).toEqual([])
  expect(failure).toMatchObject({ phase: 'connect', isTimeout: false, cause: { code: 'ECONNREFUSED' } })

  const refused = collector()
  // A key with a line break is not a valid header, so the request is rejected inside `send`.
  upstream({ openCredential: () => 'two\nlines' }).send(requestTo(baseUrl), refused)
  expect(refused.failure).toBeNull()
  await refused.over
  expect(refused.failure).toMatchObject({ phase: 'connect', isTimeout: false })
  expect(String(refused.failure?.cause)).not.toContain('lines')
})

test('a credential that cannot be decrypted, or a missing base URL, is reported as a failure that has cost nothing', async () => {
  const broken = upstream({
    openCredential: () => {
      throw new Error('unknown key id')
    },
  })
  const { failure } = await run(broken, requestTo('http://127.0.0.1:1/v1'))
  expect(failure).toMatchObject({
    phase: 'connect',
    cause: { message: 'open the credential of provider account pa_1', cause: { message: 'unknown key id' } },
  })
  const request = requestTo('http://127.0.0.1:1/v1')
  const homeless = { ...request, account: { ...request.account, baseUrl: null } }
  expect((await run(upstream(), homeless)).failure).toMatchObject({ phase: 'connect', isTimeout: false })
})

test('if a connection ends before the response head, the failure is reported as one that may have cost something', async () => {
  const baseUrl = await serveTcp((socket) => socket.once('data', () => socket.destroy()))
  const { events, failure } = await run(upstream(), requestTo(baseUrl))
  expect(events).toEqual([])
  expect(failure).toMatchObject({ phase: 'reset', isTimeout: false })
})

test('if a connection ends in the middle of a response, the received part is delivered', async () => {
  const baseUrl = await serveTcp((socket) =>
    socket.once('data', () => {
      socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\ndata\r\n')
    }),
  )
  const { events, failure } = await run(upstream(), requestTo(baseUrl))
  expect(events).toEqual([
    ['head', 200, { contentType: '', retryAfterSeconds: null }],
    ['data', 'data'],
  ])
  expect(failure).toMatchObject({ phase: 'reset', isTimeout: false })
})

test('a response that is not HTTP is a failure, and the cause does not contain the received data', async () => {
  const baseUrl = await serveTcp((socket) =>
    socket.once('data', () => socket.end('sk-secret content\r\n\r\n')),
  )
  const { failure } = await run(upstream(), requestTo(baseUrl))
  expect(failure).toMatchObject({ phase: 'reset', cause: { code: 'HPE_INVALID_CONSTANT' } })
  expect(JSON.stringify(failure?.cause, Object.getOwnPropertyNames(failure?.cause))).not.toContain('secret')
})

test('after a failed call, the next call is served', async () => {
  let connections = 0
  const baseUrl = await serveTcp((socket) => {
    const isFirst = connections++ === 0
    socket.once('data', () => {
      if (isFirst) socket.resetAndDestroy()
      else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
    })
  })
  const provider = upstream({ connectionsMax: 1 })
  const sinks = [collector(), collector()]
  for (const sink of sinks) provider.send(requestTo(baseUrl), sink)
  await Promise.all(sinks.map((sink) => sink.over))
  expect(sinks[0]?.failure).toMatchObject({ phase: 'reset' })
  expect(sinks[1]?.events.at(-1)).toEqual(['end'])
})

test('an idle connection that the provider has closed is not used again', async () => {
  let connections = 0
  const ended = gate()
  const baseUrl = await serveTcp((socket) => {
    connections++
    socket.on('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'))
    if (connections === 1) socket.on('data', () => setImmediate(() => socket.end()))
    socket.on('close', () => ended.open())
  })
  const provider = upstream()
  await run(provider, requestTo(baseUrl))
  await ended.opened
  expect((await run(provider, requestTo(baseUrl))).events.at(-1)).toEqual(['end'])
  expect(connections).toBe(2)
})

test('while a sink is paused, the provider stops sending; after the sink resumes, no byte is missing', async () => {
  const size = 32 * 1024 * 1024
  let sent = 0
  const baseUrl = await serve((_, response) => {
    response.writeHead(200)
    const piece = Buffer.alloc(64 * 1024, 'x')
    const pump = (): void => {
      while (sent < size) {
        sent += piece.length
        if (!response.write(piece)) return void response.once('drain', pump)
      }
      response.end()
    }
    pump()
  })
  const sink = collector()
  let received = 0
  sink.takeData = (bytes) => {
    received += bytes.length
    return false
  }
  const call = upstream().send(requestTo(baseUrl), sink)
  await sink.until(() => received > 0)
  // The buffers count as full when 20 turns of the event loop send no byte.
  const stalledAt = await settled(() => sent)
  expect(received).toBeLessThan(1024 * 1024)
  expect(stalledAt).toBeLessThan(size)
  sink.takeData = (bytes) => {
    received += bytes.length
    setImmediate(() => call.resume())
    return false
  }
  call.resume()
  await sink.over
  expect(received).toBe(size)
})

test('a call that is resumed inside `onData` does not pause, and resuming twice has no effect', async () => {
  const baseUrl = await serve((_, response) => {
    response.write('a')
    setImmediate(() => response.end('b'))
  })
  const sink = collector()
  sink.takeData = () => {
    call.resume()
    call.resume()
    return false
  }
  const call = upstream().send(requestTo(baseUrl), sink)
  await sink.over
  expect(sink.text).toBe('ab')
})

test('an abort closes the connection immediately, and no callback is called afterwards', async () => {
  const closed = gate()
  const baseUrl = await serve((_, response) => {
    response.on('close', () => closed.open())
    const write = (): void => {
      if (!response.destroyed && response.write('x')) setImmediate(write)
    }
    write()
  })
  const sink = collector()
  const call = upstream().send(requestTo(baseUrl), sink)
  await sink.until((events) => events.length > 3)
  call.abort()
  const count = sink.events.length
  await closed.opened
  call.abort()
  call.resume()
  expect(sink.events).toHaveLength(count)
  expect(sink.failure).toBeNull()
})

test('after an abort inside a callback, no other callback is called', async () => {
  const closed = gate()
  const baseUrl = await serve((_, response) => {
    response.on('close', () => closed.open())
    response.write('a')
    setImmediate(() => response.write('b'))
  })
  const sink = collector()
  sink.takeData = () => {
    call.abort()
    return true
  }
  const call = upstream().send(requestTo(baseUrl), sink)
  await closed.opened
  expect(sink.text).toBe('a')
  expect(sink.failure).toBeNull()
})

test('if a call is aborted before the connection is established, nothing is sent', async () => {
  let requests = 0
  const baseUrl = await serve((_, response) => {
    requests++
    response.end('{}')
  })
  const provider = upstream()
  const sink = collector()
  provider.send(requestTo(baseUrl), sink).abort()
  await run(provider, requestTo(baseUrl))
  expect(requests).toBe(1)
  expect(sink.events).toEqual([])
  expect(sink.failure).toBeNull()
})

test.each<[UpstreamFailure['phase'], Partial<Deadlines>, (socket: Socket) => void]>([
  ['first_byte', { firstByteMs: 30 }, () => {}],
  ['idle', { idleMs: 30 }, (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nsome')],
  [
    'total',
    { totalMs: 30, idleMs: 10_000 },
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n')
      const drip = setInterval(() => socket.write('x'), 5)
      socket.on('close', () => clearInterval(drip))
    },
  ],
])(
  'a provider that is too slow at %s is abandoned, and its connection is closed',
  async (phase, deadlines, answer) => {
    const closed = gate()
    const baseUrl = await serveTcp((socket) => {
      socket.once('data', () => answer(socket))
      socket.on('close', () => closed.open())
    })
    const { failure } = await run(upstream(), requestTo(baseUrl, { deadlines }))
    expect(failure).toMatchObject({ phase, isTimeout: true, cause: { message: /within 30 ms/ } })
    await closed.opened
  },
)

test('a connection that is not established in time is abandoned', async () => {
  // Addresses reserved for documentation never respond. The connector is replaced because the outbound guard rejects
  // these addresses.
  const provider = upstream({ connectorOf: () => () => {} })
  const { failure } = await run(provider, requestTo('http://192.0.2.1/v1', { deadlines: { connectMs: 30 } }))
  expect(failure).toMatchObject({ phase: 'connect', isTimeout: true })
})

test('time spent waiting for a slow client does not count toward the provider’s deadlines', async () => {
  const log: string[] = []
  const clock = {
    awaitFirstByte: () => void log.push('sent'),
    answering: () => void log.push('answering'),
    touch: () => void log.push('touch'),
    pause: () => void log.push('pause'),
    resume: () => void log.push('resume'),
    stop: () => void log.push('stop'),
  }
  const baseUrl = await serve((_, response) => response.end('x'))
  const sink = collector()
  sink.takeData = () => false
  const call = upstream({ sweep: { watch: () => clock, size: 0 } }).send(requestTo(baseUrl), sink)
  await sink.until((events) => events.length === 2)
  expect(log).toEqual(['sent', 'touch', 'touch', 'pause'])
  call.resume()
  await sink.over
  expect(log.slice(4)).toEqual(['resume', 'stop'])
})

test('a loopback address is rejected unless the operator allows private addresses', async () => {
  let requests = 0
  const baseUrl = await serve((_, response) => {
    requests++
    response.end()
  })
  const provider = upstream({
    connectorOf: () => guardedConnector({ allowPrivate: false, onread: directReads, resolve: systemNames }),
  })
  const { failure } = await run(provider, requestTo(baseUrl))
  expect(failure).toMatchObject({ phase: 'connect', isTimeout: false, cause: expect.any(OutboundRefused) })
  expect(requests).toBe(0)
})

test('proxy settings in environment variables are ignored', async () => {
  let requests = 0
  const proxy = await serve((_, response) => {
    requests++
    response.writeHead(502).end()
  })
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy', 'NODE_USE_ENV_PROXY'] as const
  const before = names.map((name) => process.env[name])
  for (const name of names) process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : proxy
  try {
    const baseUrl = await serve((_, response) => response.end('direct'))
    expect((await run(upstream(), requestTo(baseUrl))).text).toBe('direct')
    expect(requests).toBe(0)
  } finally {
    for (const [index, name] of names.entries()) {
      const value = before[index]
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
})

test('a changed key or base URL takes effect with the next call, and old connections are closed', async () => {
  const keys: (string | undefined)[] = []
  const sockets = new Set<Socket>()
  const remember = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  }
  const listener: RequestListener = (request, response) => {
    keys.push(`${request.headers.authorization} at ${request.socket.localPort}`)
    response.end('{}')
  }
  const first = await serve(listener, remember)
  const second = await serve(listener, remember)
  let opened = 0
  const provider = upstream({
    openCredential: ({ sealedCredential }) => {
      opened++
      return sealedCredential
    },
  })
  const call = (change: Partial<ProviderAccount>): Promise<unknown> => {
    const request = requestTo(first)
    return run(provider, { ...request, account: { ...request.account, ...change } })
  }
  await call({})
  await call({ label: 'renamed' })
  expect([opened, sockets.size]).toEqual([1, 1])
  await call({ sealedCredential: 'rotated' })
  await call({ sealedCredential: 'rotated', baseUrl: second })
  expect(opened).toBe(3)
  const [firstPort, secondPort] = [first, second].map((url) => new URL(url).port)
  expect(keys).toEqual([
    `Bearer sealed at ${firstPort}`,
    `Bearer sealed at ${firstPort}`,
    `Bearer rotated at ${firstPort}`,
    `Bearer rotated at ${secondPort}`,
  ])
  await expect.poll(() => sockets.size).toBe(1)
})

test('accounts never share a connection, and the connections of the account that has been idle longest are closed first', async () => {
  let connections = 0
  let open = 0
  const baseUrl = await serve(
    (_, response) => void response.end('{}'),
    (socket) => {
      connections++
      open++
      socket.on('close', () => open--)
    },
  )
  const opened: string[] = []
  const provider = upstream({
    accountsMax: 2,
    openCredential: ({ id }) => {
      opened.push(id)
      return null
    },
  })
  const call = (id: string): Promise<unknown> => {
    const request = requestTo(baseUrl)
    return run(provider, { ...request, account: { ...request.account, id } })
  }
  for (const id of ['a', 'b', 'a', 'c', 'a', 'b']) await call(id)
  expect(opened).toEqual(['a', 'b', 'c', 'b'])
  expect(connections).toBe(4)
  await expect.poll(() => open).toBe(2)
  await provider.close()
  await expect.poll(() => open).toBe(0)
})

test('a call fails if too many calls of its organization wait, and other organizations are still served', async () => {
  const first = gate()
  const baseUrl = await serve((_, response) => {
    void first.opened.then(() => response.end('{}'))
  })
  const provider = upstream({ ofOrganization: { connectionsMax: 1, waitingMax: 1 } })
  const callOf = (organizationId: string, id: string) => {
    const request = requestTo(baseUrl)
    return run(provider, { ...request, account: { ...request.account, id, organizationId } })
  }
  const served = [callOf('org_1', 'a'), callOf('org_1', 'b'), callOf('org_2', 'c')]
  expect((await callOf('org_1', 'd')).failure).toMatchObject({
    phase: 'connect',
    isTimeout: false,
    cause: { code: 'rate_limited' },
  })
  first.open()
  for (const { events } of await Promise.all(served)) expect(events.at(-1)).toEqual(['end'])
})

test('if an organization has too many accounts, only its own idle accounts are closed, and no account of another organization is closed', async () => {
  const baseUrl = await serve((_, response) => void response.end('{}'))
  const opened: string[] = []
  const provider = upstream({
    accountsMax: 3,
    accountsOfOrganizationMax: 2,
    openCredential: ({ id }) => {
      opened.push(id)
      return null
    },
  })
  const call = (organizationId: string, id: string): Promise<unknown> => {
    const request = requestTo(baseUrl)
    return run(provider, { ...request, account: { ...request.account, id, organizationId } })
  }
  await call('org_2', 'quiet')
  for (const id of ['a', 'b', 'c', 'd', 'e']) await call('org_1', id)
  await call('org_2', 'quiet')
  expect(opened).toEqual(['quiet', 'a', 'b', 'c', 'd', 'e'])
})

test('closing the upstream waits for calls in flight and accepts no new calls', async () => {
  const finish = gate()
  const baseUrl = await serve((_, response) => {
    response.write('a')
    void finish.opened.then(() => response.end('b'))
  })
  const provider = upstream()
  const sink = collector()
  provider.send(requestTo(baseUrl), sink)
  await sink.until((events) => events.length === 2)
  let isClosed = false
  const closing = provider.close().then(() => (isClosed = true))
  expect((await run(provider, requestTo(baseUrl))).failure).toMatchObject({ phase: 'connect' })
  expect(isClosed).toBe(false)
  finish.open()
  await closing
  expect(sink.text).toBe('ab')
  expect(sink.events.at(-1)).toEqual(['end'])
})

test.each(['onHead', 'onData', 'onEnd'] as const)(
  'if a sink throws in %s, only the call of this sink ends',
  async (method) => {
    const baseUrl = await serve((_, response) => response.end('{}'))
    const provider = upstream()
    const broken = collector()
    provider.send(requestTo(baseUrl), Object.assign(broken, { [method]: breakDown }))
    await broken.over
    expect(broken.failure).toMatchObject({ phase: 'reset', cause: { message: 'bug' } })
    expect((await run(provider, requestTo(baseUrl))).events.at(-1)).toEqual(['end'])
  },
)

async function serve(listener: RequestListener, onConnection?: (socket: Socket) => void): Promise<string> {
  const server = createHttpServer({ keepAliveTimeout: 0 }, listener)
  if (onConnection) server.on('connection', onConnection)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanups.push(async () => {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  })
  return `http://127.0.0.1:${portOf(server)}/v1`
}

async function serveTcp(onConnection: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createTcpServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    onConnection(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanups.push(async () => {
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  })
  return `http://127.0.0.1:${portOf(server)}/v1`
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server does not listen')
  return address.port
}

function upstream(options: Partial<RemoteOptions> = {}): ClosableUpstream {
  const provider = remote({
    connectorOf: () => guardedConnector({ allowPrivate: true, onread: directReads, resolve: systemNames }),
    sweep: deadlineSweep(),
    loopName: 'tollgate-test',
    openCredential: ({ sealedCredential }) => `opened:${sealedCredential}`,
    nowMs: () => 0,
    keepAliveMs: 3_600_000,
    ...options,
  })
  return provider
}

function requestTo(
  baseUrl: string,
  { body = '{}', deadlines = {} }: { body?: string; deadlines?: Partial<Deadlines> } = {},
): UpstreamRequest {
  const account: ProviderAccount = {
    id: 'pa_1',
    organizationId: 'org_1',
    label: 'main',
    kind: 'openai_compatible',
    baseUrl,
    sealedCredential: 'sealed',
  }
  return {
    account,
    model: 'm',
    wire: 'chat',
    purpose: 'answer',
    headers: [],
    query: '',
    body,
    isStream: false,
    callId: '01',
    deadlines: { connectMs: 10_000, firstByteMs: 10_000, idleMs: 10_000, totalMs: 10_000, ...deadlines },
  }
}

type Event = ['head', number, UpstreamHeaders] | ['data', string] | ['end']

function collector() {
  const over = Promise.withResolvers<void>()
  const conditions: { isMet: (events: Event[]) => boolean; resolve: () => void }[] = []
  const add = (event: Event): void => {
    sink.events.push(event)
    for (const { isMet, resolve } of conditions) if (isMet(sink.events)) resolve()
  }
  const sink = {
    events: [] as Event[],
    failure: null as UpstreamFailure | null,
    over: over.promise,
    takeData: ((): boolean => true) as (bytes: Uint8Array) => boolean,
    get text(): string {
      return sink.events.map((event) => (event[0] === 'data' ? event[1] : '')).join('')
    },
    until: (isMet: (events: Event[]) => boolean): Promise<void> =>
      isMet(sink.events) ? Promise.resolve() : new Promise((resolve) => conditions.push({ isMet, resolve })),
    onHead: (status: number, headers: UpstreamHeaders) => add(['head', status, headers]),
    onData(bytes: Uint8Array): boolean {
      const isTaken = sink.takeData(bytes)
      add(['data', Buffer.from(bytes).toString()])
      return isTaken
    },
    onEnd() {
      add(['end'])
      over.resolve()
    },
    onFailure(failure: UpstreamFailure) {
      expect(sink.failure).toBeNull()
      sink.failure = failure
      over.resolve()
    },
  }
  return sink
}

async function run(
  provider: ClosableUpstream,
  request: UpstreamRequest,
): Promise<ReturnType<typeof collector>> {
  const sink = collector()
  provider.send(request, sink)
  expect(sink.events).toEqual([])
  expect(sink.failure).toBeNull()
  await sink.over
  return sink
}

function breakDown(): never {
  throw new Error('bug')
}

function gate(): { opened: Promise<void>; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: resolve }
}

/** Returns the value when it has not changed for 20 turns of the event loop. */
async function settled(read: () => number): Promise<number> {
  let value = read()
  for (let quiet = 0; quiet < 20; quiet++) {
    await new Promise((resolve) => setTimeout(resolve, 1))
    if (read() !== value) quiet = 0
    value = read()
  }
  return value
}
