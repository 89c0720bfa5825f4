import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { buildConnector } from 'undici'
import { Connections, type Exchange } from './connection-pool.ts'
import { ConnectionShare } from './connection-limit-of-organization.ts'
import { directReads } from './shared-read-buffer.ts'

/** `answers` contains one function per request, in the order of the requests. */
let server: Server
let sockets: Set<Socket>
let accepted: number
let answers: (() => void)[]
let paths: string[]
/** The socket that carried each request, in the order of `paths`. */
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

const wide = { connectionsMax: 100, waitingMax: 100 }

function connectionsTo(max: number, share = new ConnectionShare(wide)): Connections {
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  const connect = buildConnector({ allowH2: false, onread: directReads })
  return new Connections(
    `http://127.0.0.1:${port}`,
    (options, callback) => {
      dialled++
      connect(options, callback)
    },
    // Keep idle connections open for an hour, because the server does not close them.
    { max, share, keepAliveMs: 3_600_000 },
  )
}

/** Calls `release` when the response is complete, or `discard` if the request fails. */
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
  if (!connections.send(exchange)) resolve(new Error('not sent'))
  return { exchange, over: promise }
}

const requests = (count: number): Promise<void> => expect.poll(() => paths.length).toBe(count)

test('the number of connections is limited, and waiting requests are sent in order', async () => {
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

test('a discarded request closes its connection, so that the next request can open another connection', async () => {
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

test('a waiting request can be canceled before any data is sent', async () => {
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

test('releasing or discarding a request twice has no further effect', async () => {
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

test('the most recently used connection is used first', async () => {
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

test('an idle connection that the server has closed is discarded', async () => {
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

test('closing the pool closes idle connections immediately, and busy connections when their requests end', async () => {
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

test('after the pool is closed, waiting requests are still sent', async () => {
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

test('if a server is unreachable, every request fails, including waiting requests', async () => {
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

test('the accounts of an organization share a limit of connections, and an idle connection of one account is closed if another account needs a connection', async () => {
  const share = new ConnectionShare({ connectionsMax: 2, waitingMax: 10 })
  const [one, other] = [connectionsTo(2, share), connectionsTo(2, share)]
  const idle = [send(one, '/a'), send(one, '/b')]
  await requests(2)
  for (const answer of answers) answer()
  await Promise.all(idle.map(({ over }) => over))
  expect([one.idle, share.open]).toEqual([2, 2])
  const sent = send(other, '/c')
  await requests(3)
  expect([one.idle, share.open]).toEqual([1, 2])
  answers[2]?.()
  expect(await sent.over).toBe('ok')
  await expect.poll(() => sockets.size).toBe(2)
})

test('accounts wait for the connections of their own organization, and other organizations do not wait', async () => {
  const share = new ConnectionShare({ connectionsMax: 1, waitingMax: 10 })
  const [one, other] = [connectionsTo(5, share), connectionsTo(5, share)]
  const sent = [send(one, '/1a'), send(one, '/1b'), send(other, '/2a'), send(other, '/2b'), send(one, '/1c')]
  await requests(1)
  const elsewhere = send(connectionsTo(5), '/elsewhere')
  await requests(2)
  answers[1]?.()
  expect(await elsewhere.over).toBe('ok')
  answers[0]?.()
  for (let count = 3; count <= 6; count++) {
    await requests(count)
    expect(share.open).toBe(1)
    answers[count - 1]?.()
  }
  expect(await Promise.all(sent.map(({ over }) => over))).toEqual(['ok', 'ok', 'ok', 'ok', 'ok'])
  // An open connection first serves requests of its own account, because these requests need no handshake.
  expect(paths.filter((path) => path !== '/elsewhere')).toEqual(['/1a', '/1b', '/1c', '/2a', '/2b'])
  expect([share.open, share.isAwaited]).toEqual([1, false])
})

test('a discarded connection is replaced by a connection of the account that has waited longest', async () => {
  const share = new ConnectionShare({ connectionsMax: 1, waitingMax: 10 })
  const [one, other] = [connectionsTo(5, share), connectionsTo(5, share)]
  const first = send(one, '/1a')
  const sent = [send(other, '/2a'), send(one, '/1b'), send(other, '/2b'), send(one, '/1c')]
  await requests(1)
  one.discard(first.exchange)
  for (const [at, owner] of [other, one, other, one].entries()) {
    await requests(at + 2)
    expect(share.open).toBe(1)
    const current = sent.find(({ exchange }) => exchange.client)
    if (current) owner.discard(current.exchange)
  }
  expect(paths).toEqual(['/1a', '/2a', '/1b', '/2b', '/1c'])
  expect([share.open, share.isAwaited]).toEqual([0, false])
})

test('a request is rejected if too many requests of its organization wait, and accepted after one of them is canceled', async () => {
  const share = new ConnectionShare({ connectionsMax: 1, waitingMax: 2 })
  const [one, other] = [connectionsTo(1, share), connectionsTo(1, share)]
  const first = send(one, '/first')
  const waiting = [send(one, '/a'), send(other, '/b')]
  expect(await send(other, '/c').over).toMatchObject({ message: 'not sent' })
  other.discard(waiting[1]?.exchange ?? first.exchange)
  const last = send(other, '/d')
  await requests(1)
  for (const [at, { over }] of [first, ...waiting.slice(0, 1), last].entries()) {
    await requests(at + 1)
    answers[at]?.()
    expect(await over).toBe('ok')
  }
  expect(paths).toEqual(['/first', '/a', '/d'])
})

test('closed connections no longer count toward the organization’s limit', async () => {
  const share = new ConnectionShare(wide)
  const connections = connectionsTo(2, share)
  const sent = send(connections, '/a')
  await requests(1)
  const closing = connections.close()
  expect(share.isUnused).toBe(false)
  answers[0]?.()
  await sent.over
  await closing
  expect([share.open, share.isUnused]).toEqual([0, true])
})
