import { once } from 'node:events'
import { createServer, isIPv6, type AddressInfo, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { buildConnector } from 'undici'
import { compareClients, scriptFrom, type ServerScript } from '#tests/support/compare-http-clients.ts'
import { randomFrom, seedOfRun, withSeed } from '#tests/support/seeded-random.ts'
import { sampledRuns } from '#tests/support/number-of-property-runs.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { directReads } from './shared-read-buffer.ts'
import { ProviderClient } from './provider-client.ts'
import type { ResponseFlow } from './provider-connection.ts'
import type { ClientRequest } from './request-head.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

async function clientOf(
  serve: (socket: Socket, text: string) => void,
  keepAliveMs = 60_000,
  address = '127.0.0.1',
) {
  const sockets: Socket[] = []
  const server: Server = createServer((socket) => {
    sockets.push(socket)
    socket.on('error', () => {})
    socket.on('data', (bytes) => serve(socket, bytes.toString('latin1')))
  })
  server.listen(0, address)
  await once(server, 'listening')
  let disconnects = 0
  const connect = buildConnector({ allowH2: false, onread: directReads })
  // The cast is safe, because the server listens on a TCP port.
  const { port } = server.address() as AddressInfo
  const client = new ProviderClient(`http://${isIPv6(address) ? `[${address}]` : address}:${port}`, {
    connect,
    keepAliveMs,
    onDisconnect: () => disconnects++,
  })
  cleanups.push(async () => {
    client.destroy()
    for (const socket of sockets) socket.destroy()
    const closed = once(server, 'close')
    server.close()
    await closed
  })
  return { client, sockets, disconnects: () => disconnects }
}

function fetched(client: ProviderClient, request: Partial<ClientRequest> = {}): Promise<string | Error> {
  const { promise, resolve } = Promise.withResolvers<string | Error>()
  let text = ''
  client.dispatch(
    { method: 'GET', path: '/', ...request },
    {
      onRequestStart() {},
      onResponseStart: (_, status) => void (text += `${status} `),
      onResponseData: (_, bytes) => void (text += Buffer.from(bytes).toString('latin1')),
      onResponseEnd: () => resolve(text),
      onResponseError: (_, error) => resolve(error),
    },
  )
  return promise
}

const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

describe('responses are read in the same way as by undici’s client', () => {
  const { numRuns, seed = seedOfRun() } = sampledRuns(20_000)

  test(`both clients agree on ${numRuns} generated or mutated responses`, { timeout: 600_000 }, () =>
    withSeed(seed, async () => {
      const random = randomFrom(seed)
      const parallel = 100
      for (let run = 0; run < numRuns; run += parallel) {
        const scripts = Array.from({ length: parallel }, () => scriptFrom(random))
        for (const [at, { own, undici }] of (await Promise.all(scripts.map(compareClients))).entries())
          expect(own, JSON.stringify(readable(scripts[at]))).toBe(undici)
      }
    }),
  )

  test.each([
    [
      'chunks, an extension and a trailer',
      'transfer-encoding: chunked\r\n\r\n3;a="b"\r\nabc\r\n1\r\nd\r\n0\r\nx: y\r\n\r\n',
    ],
    ['a length', 'content-length: 4\r\nx-request-id: a\r\nX-Request-Id: b\r\nx-request-ie: c\r\n\r\nabcd'],
    ['no length', '\r\nabcd'],
  ])('a response with %s is read correctly, wherever it is split into two pieces', async (_, rest) => {
    const bytes = Buffer.from(`HTTP/1.1 103 x\r\nRetry-After: a\r\n\r\nHTTP/1.1 200 OK\r\n${rest}`)
    for (let at = 1; at < bytes.length; at++) {
      const pieces = [bytes.subarray(0, at), bytes.subarray(at)]
      const { own, undici } = await compareClients({ method: 'POST', pieces, ending: 'end', pauseEvery: 0 })
      expect(own).toBe(undici)
      expect(own).toMatch(/ 103 \[\["retry-after","a"\]\] 200 .* end body "abcd"/)
    }
    const pieces = Array.from(bytes, (byte) => Buffer.from([byte]))
    const { own } = await compareClients({ method: 'POST', pieces, ending: 'end', pauseEvery: 1 })
    expect(own).toMatch(/ end body "abcd"/)
  })
})

const readable = (script: ServerScript | undefined) => ({
  ...script,
  pieces: script?.pieces.map((piece) => piece.toString('latin1')),
})

test('a request is written as one piece with the length of its body', async () => {
  const seen: string[] = []
  const { client } = await clientOf((socket, text) => {
    seen.push(text)
    socket.write(ok)
  })
  const body = byteTextOf('{"a":"\u00e4"}')
  await fetched(client, { method: 'POST', path: '/v1?a=b', headers: ['x-a', '1'], body })
  await fetched(client, { method: 'POST' })
  await fetched(client, { method: 'DELETE' })
  const host = /host: (.*)\r\n/.exec(seen[0] ?? '')?.[1]
  const start = (line: string): string => `${line} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`
  expect(seen).toEqual([
    `${start('POST /v1?a=b')}x-a: 1\r\ncontent-length: 10\r\n\r\n${body}`,
    `${start('POST /')}content-length: 0\r\n\r\n`,
    `${start('DELETE /')}\r\n`,
  ])
})

test('the host header of an IPv6 address has brackets', async () => {
  const seen: string[] = []
  const serve = (socket: Socket, text: string): void => {
    seen.push(text)
    socket.write(ok)
  }
  const { client } = await clientOf(serve, 60_000, '::1')
  expect(await fetched(client)).toBe('200 ok')
  expect(seen[0]).toMatch(/\r\nhost: \[::1\]:\d+\r\n/)
})

test('a large body arrives completely', async () => {
  let received = 0
  const size = 5_000_000
  const { client } = await clientOf((socket, text) => {
    received += text.length
    if (text.endsWith('z')) socket.write(ok)
  })
  const body = `${'y'.repeat(size - 1)}z`
  expect(await fetched(client, { method: 'POST', body })).toBe('200 ok')
  expect(received).toBeGreaterThan(size)
})

test.each<[string, Partial<ClientRequest>]>([
  ['a path with a line end', { path: '/a\r\nx: y' }],
  ['a path without a slash', { path: 'a' }],
  ['a method with a space', { method: 'GET /' }],
  ['a header value with a line end', { headers: ['a', 'b\r\nc: d'] }],
  ['a header value with a NUL', { headers: ['a', '\0'] }],
  ['a header value beyond latin1', { headers: ['a', '\u20ac'] }],
  ['an empty header name', { headers: ['', 'b'] }],
  ['a header name with a colon', { headers: ['a:b', 'c'] }],
  ['a second length', { headers: ['Content-Length', '1'] }],
  ['an encoding', { headers: ['transfer-encoding', 'chunked'] }],
  ['another host', { headers: ['host', 'other'] }],
])('a request with %s is not sent', async (_, request) => {
  const seen: string[] = []
  const { client } = await clientOf((socket, text) => {
    seen.push(text)
    socket.write(ok)
  })
  expect(await fetched(client, request)).toMatchObject({ code: 'UND_ERR_INVALID_ARG' })
  expect(await fetched(client)).toBe('200 ok')
  expect(seen).toHaveLength(1)
})

test('bytes that a server sends on an idle connection are never part of a response', async () => {
  const { client, sockets } = await clientOf((socket) => socket.write(ok))
  expect(await fetched(client)).toBe('200 ok')
  // The bytes have arrived before the next request begins, but the client has not read them.
  sockets[0]?.write('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nbad')
  expect(await fetched(client)).toBe('200 ok')
})

test('a response with more bytes after its end is complete, and its connection is not used again', async () => {
  const { client, sockets } = await clientOf((socket) => socket.write(`${ok}HTTP/1.1 200 OK\r\n`))
  expect(await fetched(client)).toBe('200 ok')
  expect(await fetched(client)).toBe('200 ok')
  expect(sockets).toHaveLength(2)
})

test('if a server closes an idle connection while a request is sent, the request is sent on another connection', async () => {
  const { client, sockets } = await clientOf((socket) => socket.write(ok))
  await fetched(client)
  sockets[0]?.end()
  expect(await fetched(client)).toBe('200 ok')
  expect(sockets).toHaveLength(2)
})

test.each([
  ['the default time', '', 50],
  ['two seconds less than the server states', 'keep-alive: timeout=2\r\n', 60_000],
])('an idle connection is closed after %s', async (_, header, keepAliveMs) => {
  const response = `HTTP/1.1 200 OK\r\n${header}content-length: 2\r\n\r\nok`
  const { client, disconnects, sockets } = await clientOf((socket) => socket.write(response), keepAliveMs)
  await fetched(client)
  await expect.poll(() => sockets[0]?.destroyed).toBe(true)
  expect(disconnects()).toBe(1)
})

test('after each response, the idle timeout of the connection starts again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  cleanups.push(async () => void vi.useRealTimers())
  const { client, disconnects } = await clientOf((socket) => socket.write(ok), 400)
  await fetched(client)
  vi.advanceTimersByTime(399)
  await fetched(client)
  vi.advanceTimersByTime(399)
  await fetched(client)
  expect(disconnects()).toBe(0)
  vi.advanceTimersByTime(400)
  vi.useRealTimers()
  await expect.poll(disconnects).toBe(1)
})

test('a request that waits for the connection fails if the client is closed', async () => {
  const { client } = await clientOf((socket) => socket.write(ok))
  const response = fetched(client)
  client.destroy()
  expect(await response).toMatchObject({ code: 'UND_ERR_DESTROYED' })
})

test('the bytes of a paused response are kept, although other connections read into the same buffer', async () => {
  const chunk = (letter: string): string => `1000\r\n${letter.repeat(4_096)}\r\n`
  const serve = (letter: string) => (socket: Socket) =>
    void socket.write(
      `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunk(letter).repeat(12)}0\r\n\r\n`,
    )
  const letters = ['a', 'b', 'c', 'd']
  const bodies = letters.map(async (letter) => {
    const { client } = await clientOf(serve(letter))
    const { promise, reject, resolve } = Promise.withResolvers<string>()
    let body = ''
    client.dispatch(
      { method: 'GET', path: '/' },
      {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData(flow: ResponseFlow, bytes) {
          body += Buffer.from(bytes).toString('latin1')
          flow.pause()
          setImmediate(() => flow.resume())
        },
        onResponseEnd: () => resolve(body),
        onResponseError: (_, error) => reject(error),
      },
    )
    return promise
  })
  expect(await Promise.all(bodies)).toEqual(letters.map((letter) => letter.repeat(12 * 4_096)))
})

test('an error that a callback throws fails only its own request', async () => {
  const { client, sockets } = await clientOf((socket) => socket.write(ok))
  const error = new Error('thrown')
  const { promise, resolve } = Promise.withResolvers<Error>()
  client.dispatch(
    { method: 'GET', path: '/' },
    {
      onRequestStart() {},
      onResponseStart() {
        throw error
      },
      onResponseData() {},
      onResponseEnd() {},
      onResponseError: (_, cause) => resolve(cause),
    },
  )
  expect(await promise).toBe(error)
  expect(await fetched(client)).toBe('200 ok')
  expect(sockets).toHaveLength(2)
})
