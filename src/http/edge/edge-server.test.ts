/**
 * Each test sends the same requests to the edge and to Node's own server, which run the same handler. The edge and
 * Node's server must send the same bytes.
 */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import type { ClientRequest, ClientResponse } from '#gateway/call/client-exchange-interface.ts'
import { connectionTimes, headLimits } from '#http/connection-timeouts-and-head-limits.ts'
import { isLong } from '#tests/support/reduced-suite.ts'
import { randomFrom, seedOfRun, withSeed, type Random } from '#tests/support/seeded-random.ts'
import { EdgeServer } from './edge-server.ts'

type Handler = (request: ClientRequest, response: ClientResponse) => void

const describeRequest: Handler = (request, response) => {
  const hash = createHash('sha256')
  let bytes = 0
  request.on('data', (piece) => {
    bytes += piece.length
    hash.update(piece)
  })
  request.on('end', () => {
    const { complete, headers, method, url } = request
    const text = JSON.stringify({ method, url, headers, bytes, complete, hash: hash.digest('hex') })
    response.writeHead(200, ['content-type', 'application/json', 'content-length', String(text.length)])
    response.end(text, 'latin1')
  })
}

let handler: Handler = describeRequest
let served: 'edge' | 'node' | null = null
const options = { ...connectionTimes, maxHeaderSize: headLimits.bytesMax }
const node = createServer(options, (request, response) => {
  served = 'node'
  handler(request, response)
})
const edge = new EdgeServer(
  options,
  (request, response) => {
    served = 'node'
    handler(request, response)
  },
  {
    applicationOf: ({ headers }) => (headers.host === 'gateway' ? 'app' : null),
    serve: (request, response) => {
      served = 'edge'
      handler(request, response)
    },
  },
)
for (const server of [node, edge]) server.maxHeadersCount = headLimits.fieldsMax

beforeAll(async () => {
  for (const server of [node, edge]) {
    server.listen(0, '127.0.0.1')
    // oxlint-disable-next-line no-await-in-loop -- two
    await once(server, 'listening')
  }
})
afterEach(() => {
  handler = describeRequest
  served = null
})
afterAll(() => {
  for (const server of [node, edge]) {
    server.close()
    server.closeAllConnections()
  }
})

function open(server: Server): Socket {
  // `address()` of a listening TCP server is an AddressInfo (node:net).
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.setNoDelay(true)
  socket.on('error', () => {})
  return socket
}

/** Sends the pieces one after the other. @returns the received bytes when the server closes the connection */
async function exchange(server: Server, pieces: readonly string[]): Promise<string> {
  const socket = open(server)
  let received = ''
  socket.on('data', (bytes) => (received += bytes.toString('latin1')))
  const closed = once(socket, 'close')
  for (const piece of pieces) {
    socket.write(piece, 'latin1')
    // oxlint-disable-next-line no-await-in-loop -- a piece after the other
    await turn()
    // oxlint-disable-next-line no-await-in-loop -- as above
    await turn()
  }
  await closed
  return received.replaceAll(/Date: [^\r]*/g, 'Date: now')
}

async function expectSame(pieces: readonly string[]): Promise<string> {
  const [byEdge, byNode] = await Promise.all([exchange(edge, pieces), exchange(node, pieces)])
  expect(byEdge).toBe(byNode)
  return byEdge
}

function asked(lines: readonly string[] = [], body = '', line = 'POST /v1/x?y=z HTTP/1.1'): string {
  const length = body === '' ? [] : [`Content-Length: ${body.length}`]
  return [line, 'Host: gateway', ...length, ...lines, '', body].join('\r\n')
}
const last = ['connection: close']

it('a plain request at a gateway is served by the edge, and gets the same response as from Node', async () => {
  expect(await exchange(edge, [asked(last, 'hello')])).toContain('"bytes":5,"complete":true')
  expect(served).toBe('edge')
  for (const request of [
    asked(last, 'hello'),
    asked(last),
    asked(last, '', 'GET /v1/models HTTP/1.1'),
    asked(last, '', 'DELETE /v1/files/1 HTTP/1.1'),
  ]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await expectSame([request])
  }
})

it('a request to a host that is not a gateway is read by Node’s server', async () => {
  await expectSame([asked(last, 'hello').replace('gateway', 'control')])
  expect(await exchange(edge, [asked(last, 'hello').replace('gateway', 'control')])).toContain('"bytes":5')
  expect(served).toBe('node')
})

it('several requests can follow each other on one connection, whether the edge or Node reads them', async () => {
  for (const pieces of [
    [asked([], 'one'), asked([], 'two'), asked(last, 'three')],
    // Node's server reads the second request and all later requests.
    [asked([], 'one'), asked(['x-a: b', 'x-a: c'], 'two'), asked([], 'three'), asked(last, 'four')],
    [asked([], 'one') + asked([], 'two') + asked(last, 'three')],
    [asked([], 'one'), asked([], 'two') + asked(last, 'three')],
    [asked([], 'one').slice(0, -1), `e${asked([], 'two')}`, asked(last, 'three')],
    [
      asked([], 'one').slice(0, -1),
      `e${asked([], 'two')}${asked([], 'three').slice(0, 20)}`,
      asked([], 'three').slice(20),
      asked(last),
    ],
  ]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const text = await expectSame(pieces)
    expect(text.split('"complete":true').length - 1).toBe(pieces.join('').split('HTTP/1.1').length - 1)
  }
})

it('a request gets the same response if its bytes are split at any position', async () => {
  const request = asked(last, 'a body')
  const whole = await expectSame([request])
  const splits = Array.from({ length: request.length - 1 }, (_, at) => [
    request.slice(0, at + 1),
    request.slice(at + 1),
  ])
  expect(new Set(await Promise.all(splits.map((pieces) => exchange(edge, pieces))))).toEqual(new Set([whole]))
})

it.each([
  ['a length and chunks', asked(['Content-Length: 5', 'Transfer-Encoding: chunked']) + '0\r\n\r\n'],
  ['two lengths', asked(['Content-Length: 5', 'Content-Length: 6']) + 'hello!'],
  ['two equal lengths', asked(['Content-Length: 5', 'content-length: 5']) + 'hello'],
  ['a list of lengths', asked(['Content-Length: 5, 5']) + 'hello'],
  ['a signed length', asked(['Content-Length: +5']) + 'hello'],
  ['a length with a tab', asked(['Content-Length: \t5', ...last]) + 'hello'],
  ['a folded line', asked(['x-a: b', ' c', ...last], 'hello')],
  ['a bare LF', asked(['x-a: b\nx-c: d', ...last], 'hello')],
  ['a bare CR', asked(['x-a: b\rx-c: d', ...last], 'hello')],
  ['a NUL', asked(['x-a: b\0', ...last], 'hello')],
  ['a space before the colon', asked(['Transfer-Encoding : chunked', ...last]) + '0\r\n\r\n'],
  ['a tab before chunked', asked(['Transfer-Encoding:\tchunked', ...last]) + '0\r\n\r\n'],
  ['chunks', asked(['Transfer-Encoding: chunked', ...last]) + '5;a=b\r\nhello\r\n0\r\nx-t: 1\r\n\r\n'],
  ['an invalid chunk', asked(['Transfer-Encoding: chunked', ...last]) + 'zz\r\nhello\r\n0\r\n\r\n'],
  [
    'a large chunk extension',
    asked(['Transfer-Encoding: chunked', ...last]) + `5;${'a'.repeat(20_000)}\r\nhello\r\n0\r\n\r\n`,
  ],
  ['another coding', asked(['Transfer-Encoding: gzip, chunked, x', ...last])],
  ['a large field', asked([`x-a: ${'b'.repeat(17_000)}`, ...last], 'hello')],
  ['many fields', asked([...Array.from({ length: 120 }, (_, n) => `x-${n}: 1`), ...last], 'hello')],
  ['no host', 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n'],
  ['two hosts', asked(['host: gateway', ...last], 'hello')],
  ['a host in the target', asked(last, 'hello', 'POST http://gateway/ HTTP/1.1')],
  ['HTTP/1.0', asked([], 'hello', 'POST / HTTP/1.0')],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['an upgrade', asked(['connection: close, upgrade', 'upgrade: h2c'], '', 'GET / HTTP/1.1')],
  ['an expectation', asked(['expect: 100-continue', ...last], 'hello')],
  ['another expectation', asked(['expect: x', ...last], 'hello')],
  ['no HTTP', '\x16\x03\x01\x02\x00\x01\x00'],
])('a request with %s gets the same response as from Node', async (_, request) => {
  await expectSame([request])
})

it('random requests that arrive in random pieces get the same responses from the edge and from Node', async () => {
  const seed = seedOfRun()
  const random = randomFrom(seed)
  await withSeed(seed, async () => {
    for (let round = 0; round < (isLong ? 2_000 : 60); round++) {
      const text = randomRequests(random)
      // oxlint-disable-next-line no-await-in-loop -- one connection after the other
      await expectSame(randomPieces(text, random))
    }
  })
})

function randomRequests(random: Random): string {
  const count = random.whole(1, 5)
  return Array.from({ length: count }, (_, at) => {
    const lines = at === count - 1 ? [...last] : []
    if (random.chance(0.3)) lines.push(random.pick(['x-a: b', 'x-a: b\r\nX-A: c', 'Accept: */*', 'x-a:\tb ']))
    if (random.chance(0.1)) return `${asked(['Transfer-Encoding: chunked', ...lines])}3\r\nabc\r\n0\r\n\r\n`
    return asked(
      lines,
      'b'.repeat(random.pick([0, 0, 1, 20, 70_000])),
      random.pick(['POST / HTTP/1.1', 'GET /a HTTP/1.1']),
    )
  }).join('')
}

function randomPieces(text: string, random: Random): string[] {
  const ends = Array.from({ length: random.whole(0, 6) }, () => random.whole(1, text.length - 1))
  const sorted = [...new Set([0, ...ends, text.length])].toSorted((one, other) => one - other)
  return sorted.slice(1).map((end, at) => text.slice(sorted[at], end))
}

it('if a client disconnects, the response and an incomplete request emit `close`', async () => {
  for (const body of ['hel', 'hello']) {
    const events: string[] = []
    const { promise: begun, resolve } = Promise.withResolvers<ClientResponse>()
    handler = (request, response) => {
      request.on('close', () => events.push('request'))
      response.once('close', () => events.push('response'))
      request.on('data', () => resolve(response))
    }
    const socket = open(edge)
    socket.write(asked(['content-length: 5']) + body)
    /* oxlint-disable no-await-in-loop -- one connection after the other */
    const response = await begun
    expect(response.destroyed).toBe(false)
    socket.destroy()
    await vi.waitFor(() => expect(events).toContain('response'))
    /* oxlint-enable no-await-in-loop */
    expect(events).toEqual(body === 'hello' ? ['response'] : ['request', 'response'])
    expect(response.destroyed).toBe(true)
    expect(response.write('late', 'latin1')).toBe(false)
    response.end()
  }
})

it('if a client ends its side of a connection, the edge closes the connection, as Node’s server does', async () => {
  for (const server of [edge, node]) {
    const { promise: left, resolve } = Promise.withResolvers<void>()
    handler = (request, response) => {
      request.resume()
      response.once('close', resolve)
    }
    const socket = open(server)
    socket.end(asked([], 'hello'))
    // oxlint-disable-next-line no-await-in-loop -- two
    await Promise.all([left, once(socket, 'close')])
  }
  // Requests with an incomplete body are rejected.
  handler = describeRequest
  for (const server of [edge, node]) {
    const socket = open(server)
    let received = ''
    socket.on('data', (bytes) => (received += bytes.toString()))
    socket.end(asked(['content-length: 9']) + 'hello')
    // oxlint-disable-next-line no-await-in-loop -- two
    await once(socket, 'close')
    expect(received).toBe('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n')
  }
})

it('if no code reads a body, no more bytes are read from the connection, and the body is discarded after the response', async () => {
  const body = 'b'.repeat(8_000_000)
  const { promise: begun, resolve } = Promise.withResolvers<ClientResponse>()
  handler = (_, response) => resolve(response)
  const socket = open(edge)
  let received = ''
  socket.on('data', (bytes) => (received += bytes.toString()))
  socket.write(asked([], body))
  const response = await begun
  await delay(50)
  // The client still has unsent bytes, because the server does not read the body.
  expect(socket.writableLength).toBeGreaterThan(1_000_000)
  response.writeHead(413, ['content-length', '2']).end('no', 'latin1')
  handler = describeRequest
  socket.write(asked(last, 'hello'))
  await once(socket, 'close')
  expect(received).toContain('HTTP/1.1 413 Payload Too Large\r\n')
  expect(received).toContain('"bytes":5,"complete":true')
})

it('a body that arrived together with its head can be read without events, and a body that arrived later is read by events', async () => {
  const taken: (string | null)[] = []
  let isRead = false
  handler = (request, response) => {
    if (isRead) request.resume()
    taken.push(request.takeBody?.()?.toString() ?? null)
    taken.push(request.takeBody?.()?.toString() ?? null)
    request.resume()
    response.writeHead(204, []).end()
  }
  await exchange(edge, [asked(last, 'hello')])
  await exchange(edge, [asked(last)])
  await exchange(edge, [asked(last, 'hello').slice(0, -1), 'o'])
  isRead = true
  await exchange(edge, [asked(last, 'hello')])
  expect(taken).toEqual(['hello', null, '', null, null, null, null, null])
})

it('while a client does not read, `write` returns false; when the client reads again, the response emits `drain`', async () => {
  const { promise: begun, resolve } = Promise.withResolvers<ClientResponse>()
  handler = (request, response) => {
    request.resume()
    resolve(response)
  }
  const socket = open(edge)
  socket.pause()
  socket.write(asked(last, 'hello'))
  const response = await begun
  response.writeHead(200, [])
  const piece = 'x'.repeat(50_000)
  let sent = 0
  do sent += piece.length
  while (response.write(piece, 'latin1') || response.writableLength < 1_000_000)
  const { promise: timedOut, resolve: onTimeout } = Promise.withResolvers<void>()
  response.setTimeout(50, onTimeout)
  await timedOut
  const drained = new Promise<void>((done) => response.once('drain', done))
  let received = 0
  socket.on('data', (bytes) => (received += bytes.length))
  socket.resume()
  await drained
  response.end()
  await once(socket, 'close')
  expect(received).toBeGreaterThan(sent)
})

it('each piece of a stream is sent as one chunk, and the head is sent together with the first chunk', async () => {
  handler = (request, response) => {
    request.resume()
    response.setHeader('vary', 'origin')
    response.setHeader('content-type', 'text/plain')
    response.writeHead(200, ['content-type', 'text/event-stream'])
    response.write('first', 'latin1')
    response.write('x'.repeat(20), 'latin1')
    response.end('end', 'latin1')
  }
  const text = await exchange(edge, [asked(last, 'hello')])
  const [head, body] = [text.slice(0, text.indexOf('\r\n\r\n')), text.slice(text.indexOf('\r\n\r\n') + 4)]
  expect(head.split('\r\n')).toEqual([
    'HTTP/1.1 200 OK',
    'vary: origin',
    'content-type: text/event-stream',
    'Date: now',
    'Connection: close',
    'Transfer-Encoding: chunked',
  ])
  expect(body).toBe(`5\r\nfirst\r\n14\r\n${'x'.repeat(20)}\r\n3\r\nend\r\n0\r\n\r\n`)
})

it('a response without a head has the status 200', async () => {
  for (const rest of ['', 'text']) {
    handler = (request, response) => {
      request.resume()
      response.end(rest, 'latin1')
    }
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const text = await exchange(edge, [asked(last, 'hello')])
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(text).toContain(`content-length: ${rest.length}\r\n`)
    expect(text.endsWith(`\r\n\r\n${rest}`)).toBe(true)
  }
})

it('the bytes of a file are sent unchanged', async () => {
  const bytes = Buffer.from([0, 255, 13, 10])
  handler = (request, response) => {
    request.resume()
    response.writeHead(200, ['content-length', String(bytes.length)]).end(bytes, 'latin1')
  }
  expect((await expectSame([asked(last, 'hello')])).endsWith('\0\xff\r\n')).toBe(true)
})

it('a header with characters that could change the meaning of the response is rejected', async () => {
  const thrown: boolean[] = []
  handler = (request, response) => {
    request.resume()
    for (const headers of [
      ['x-a', 'b\r\nx-c: d'],
      ['x-a', 'b\0'],
      ['x-a\r\n', 'b'],
      ['x a', 'b'],
      ['', 'b'],
      ['x-a', '\u0100'],
    ]) {
      try {
        response.writeHead(200, headers)
        thrown.push(false)
      } catch {
        thrown.push(true)
      }
    }
    response.writeHead(500, ['content-length', '0']).end()
  }
  expect(await exchange(edge, [asked(last, 'hello')])).toMatch(
    /^HTTP\/1\.1 500 Internal Server Error\r\ncontent-length: 0\r\n/,
  )
  expect(thrown).toEqual([true, true, true, true, true, true])
})

it('when the server closes, idle connections are closed immediately, and busy connections after their responses', async () => {
  const server = new EdgeServer(options, () => {}, {
    applicationOf: () => 'app',
    serve: (request, response) => handler(request, response),
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const idle = open(server)
  idle.write(asked([], 'hello'))
  await once(idle, 'data')
  const { promise: begun, resolve } = Promise.withResolvers<ClientResponse>()
  handler = (request, response) => {
    request.resume()
    resolve(response)
  }
  const busy = open(server)
  busy.write(asked([], 'hello'))
  const response = await begun
  const { promise: streamBegun, resolve: resolveStream } = Promise.withResolvers<ClientResponse>()
  handler = (request, stream) => {
    request.resume()
    stream.write('first', 'latin1')
    resolveStream(stream)
  }
  const streaming = open(server)
  let streamed = ''
  streaming.on('data', (bytes) => (streamed += bytes.toString()))
  streaming.write(asked([], 'hello'))
  const stream = await streamBegun
  await once(streaming, 'data')
  const newest = open(server)
  await once(newest, 'connect')
  await vi.waitFor(async () => {
    const connections = await new Promise((done) => server.getConnections((_, count) => done(count)))
    expect(connections).toBe(4)
  })
  const idleClosed = once(idle, 'close')
  const stopped = once(server, 'close')
  server.close()
  await idleClosed
  expect([busy.destroyed, streaming.destroyed, newest.destroyed]).toEqual([false, false, false])
  // The server still serves the first request of a new connection, because the client may already have sent the
  // request.
  handler = describeRequest
  let text = ''
  newest.on('data', (bytes) => (text += bytes.toString()))
  newest.write(asked([], 'hello'))
  await once(newest, 'close')
  expect(text).toContain('Connection: close\r\n')
  let answer = ''
  busy.on('data', (bytes) => (answer += bytes.toString()))
  response.writeHead(200, ['content-length', '0']).end()
  await once(busy, 'close')
  expect(answer).toContain('Connection: close\r\n')
  // The head of the stream was sent before the server closed.
  expect(streamed).toContain('Connection: keep-alive\r\n')
  stream.end('last', 'latin1')
  await once(streaming, 'close')
  expect(streamed).toMatch(/last\r\n0\r\n\r\n$/)
  await stopped
})

it('closeAllConnections closes the connections of the edge and of Node’s server', async () => {
  handler = (request) => void request.resume()
  const sockets = [open(edge), open(edge), open(edge)]
  sockets[0]?.write(asked([], 'hello'))
  sockets[1]?.write(asked(['x-a: b', 'x-a: c'], 'hello'))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  await delay(20)
  const closed = sockets.map((socket) => once(socket, 'close'))
  edge.closeAllConnections()
  await Promise.all(closed)
})
