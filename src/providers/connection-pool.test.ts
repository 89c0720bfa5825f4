import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { buildConnector } from 'undici'
import { Connections, type Exchange } from './connection-pool.ts'

/** A server with responses from the test. `answers` has one function per request, in order. */
let server: Server
let sockets: Set<Socket>
let accepted: number
let answers: (() => void)[]
let paths: string[]
/** Data of each request, by its index in `paths`. */
let carriers: Socket[]
let dialled: number

beforeEach(async () => {
  sockets = new Set()
  accepted = dialled = 0
  answers = []
  paths = []
  carriers = []
  server = createServer((socket) => {
    accepted++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      paths.push(String(bytes).split(' ')[1] ?? '')
      carriers.push(socket)
      answers.push(() => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(async () => {
  const closed = once(server, 'close')
  server.close()
  for (const socket of sockets) socket.destroy()
  await closed
})

function connectionsTo(max: number): Connections {
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const connect = buildConnector({ allowH2: false })
  return new Connections(
    `http://127.0.0.1:${port}`,
    (options, callback) => {
      dialled++
      connect(options, callback)
    },
    // Idle connections are not closed.
    { max, keepAliveMs: 3_600_000 },
  )
}

/** An exchange that calls `release` when its response is complete, and `discard` otherwise. */
function send(connections: Connections, path: string): { exchange: Exchange; over: Promise<Error | 'ok'> } {
  const { promise, resolve } = Promise.withResolvers<Error | 'ok'>()
  const exchange: Exchange = {
    options: { path, method: 'GET' },
    client: null,
    onRequestStart() {},
    onResponseStart() {},
    onResponseData() {},
    onResponseEnd() {
      connections.release(exchange)
      resolve('ok')
    },
    onResponseError(_, error) {
      connections.discard(exchange)
      resolve(error)
    },
  }
  connections.send(exchange)
  return { exchange, over: promise }
}

const requests = (count: number): Promise<void> => expect.poll(() => paths.length).toBe(count)

test('the number of connections is limited, and waiting exchanges are served in order', async () => {
  const connections = connectionsTo(2)
  const sent = ['/a', '/b', '/c', '/d'].map((path) => send(connections, path))
  expect(connections.active).toBe(4)
  await requests(2)
  answers[0]?.()
  await requests(3)
  expect(paths[2]).toBe('/c')
  answers[1]?.()
  await requests(4)
  for (const answer of answers.slice(2)) answer()
  expect(await Promise.all(sent.map(({ over }) => over))).toEqual(['ok', 'ok', 'ok', 'ok'])
  expect(accepted).toBe(2)
  expect(connections.active).toBe(0)
})

test('a discarded exchange closes its connection and makes room for the next', async () => {
  const connections = connectionsTo(1)
  const first = send(connections, '/first')
  const second = send(connections, '/second')
  await requests(1)
  connections.discard(first.exchange)
  await requests(2)
  answers[1]?.()
  expect(await second.over).toBe('ok')
  expect(await first.over).toBeInstanceOf(Error)
  await expect.poll(() => sockets.size).toBe(1)
})

test('a waiting exchange can be canceled before any data is sent', async () => {
  const connections = connectionsTo(1)
  const first = send(connections, '/first')
  const second = send(connections, '/second')
  connections.discard(second.exchange)
  expect(connections.active).toBe(1)
  await requests(1)
  answers[0]?.()
  await first.over
  expect(paths).toEqual(['/first'])
})

test('releasing or discarding twice changes nothing', async () => {
  const connections = connectionsTo(1)
  const first = send(connections, '/first')
  await requests(1)
  answers[0]?.()
  await first.over
  connections.release(first.exchange)
  connections.discard(first.exchange)
  const second = send(connections, '/second')
  await requests(2)
  answers[1]?.()
  expect(await second.over).toBe('ok')
  expect(accepted).toBe(1)
})

test('the connection used last is used first', async () => {
  const connections = connectionsTo(2)
  const sent = [send(connections, '/a'), send(connections, '/b')]
  await requests(2)
  const lastPath = paths[1]
  answers[0]?.()
  await sent[paths[0] === '/a' ? 0 : 1]?.over
  answers[1]?.()
  await sent[lastPath === '/b' ? 1 : 0]?.over
  const warm = carriers[1]
  const before = warm?.bytesRead ?? 0
  const next = send(connections, '/c')
  await requests(3)
  expect(warm?.bytesRead).toBeGreaterThan(before)
  answers[2]?.()
  await next.over
})

test('a connection that the server closed while idle is discarded', async () => {
  const connections = connectionsTo(2)
  const sent = [send(connections, '/a'), send(connections, '/b')]
  await requests(2)
  for (const answer of answers) answer()
  await Promise.all(sent.map(({ over }) => over))
  for (const socket of sockets) socket.end()
  await expect.poll(() => sockets.size).toBe(0)
  expect(connections.idle).toBe(0)
  const again = send(connections, '/c')
  await requests(3)
  answers[2]?.()
  expect(await again.over).toBe('ok')
  expect(dialled).toBe(3)
})

test('closing closes idle connections immediately, and the others when they are done', async () => {
  const connections = connectionsTo(2)
  const sent = [send(connections, '/a'), send(connections, '/b')]
  await requests(2)
  answers[0]?.()
  await Promise.race(sent.map(({ over }) => over))
  let isClosed = false
  const closing = connections.close().then(() => (isClosed = true))
  await expect.poll(() => sockets.size).toBe(1)
  expect(isClosed).toBe(false)
  answers[1]?.()
  await closing
  await expect.poll(() => sockets.size).toBe(0)
})

test('closing serves waiting exchanges', async () => {
  const connections = connectionsTo(1)
  const sent = [send(connections, '/a'), send(connections, '/b')]
  await requests(1)
  const closing = connections.close()
  answers[0]?.()
  await requests(2)
  answers[1]?.()
  await closing
  expect(await Promise.all(sent.map(({ over }) => over))).toEqual(['ok', 'ok'])
})

test('an unreachable server fails every exchange, including waiting ones', async () => {
  const connections = connectionsTo(1)
  const closed = once(server, 'close')
  server.close()
  await closed
  const sent = ['/a', '/b', '/c'].map((path) => send(connections, path))
  for (const { over } of sent) expect(await over).toMatchObject({ code: 'ECONNREFUSED' })
  expect(connections.active).toBe(0)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})
