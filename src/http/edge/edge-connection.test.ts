import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { RestingConnection } from '#gateway/overload/resting-connections.ts'
import { connectionTimes } from '#http/connection-timeouts-and-head-limits.ts'
import { EdgeConnection } from './edge-connection.ts'
import type { EdgeResponse } from './edge-response.ts'

const server = createServer({ allowHalfOpen: true })
let client: Socket
let connection: EdgeConnection
let response: EdgeResponse | null
/** For each served request, whether the request was early (`EdgeRequest.isEarly`). */
let served: boolean[]
let bodies: string[]
let isClosed: boolean
let received: string

beforeEach(async () => {
  response = null
  served = []
  bodies = []
  received = ''
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // `address()` of a listening TCP server is an AddressInfo (node:net).
  client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.on('data', (bytes) => (received += bytes.toString()))
  const [socket] = (await once(server, 'connection')) as [Socket]
  connection = new EdgeConnection(socket, {
    applicationOf: () => 'app',
    serve: (request, given) => {
      let body = ''
      request.on('data', (piece: Buffer) => (body += piece.toString()))
      request.on('end', () => void bodies.push(body))
      served.push(request.isEarly)
      response = given
    },
    passOn: () => expect.unreachable(),
    closed: (one) => {
      // Ignore the connection of the previous test, which may close only now.
      if (one === connection) isClosed = true
    },
    isClosing: false,
  })
  isClosed = false
})
afterEach(async () => {
  client.destroy()
  server.close()
  await once(server, 'close')
})

const timedOut = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n'
const send = async (body: string): Promise<EdgeResponse> => {
  client.write(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\n${body}`)
  await vi.waitFor(() => expect(response).not.toBe(null))
  if (response === null) throw new Error('it was waited for')
  return response
}
const after = (ms: number): void => connection.closeIfLate(performance.now() + ms)
const closed = (): Promise<unknown> => once(client, 'close')

it('a connection without a request is closed after the time limit for headers', async () => {
  after(connectionTimes.headersTimeout - 1_000)
  expect(client.destroyed).toBe(false)
  after(connectionTimes.headersTimeout + 1)
  await closed()
  expect(received).toBe(timedOut)
})

it('a body that does not arrive in time is rejected', async () => {
  await send('hell')
  after(connectionTimes.requestTimeout - 1_000)
  after(connectionTimes.requestTimeout + 1)
  await closed()
  expect(received).toBe(timedOut)
})

it('if the response has begun and the body does not arrive in time, the connection is closed', async () => {
  const begun = await send('hell')
  begun.writeHead(200, ['content-length', '2']).write('o', 'latin1')
  after(connectionTimes.requestTimeout + 1)
  await closed()
  expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\no$/)
})

it('a response has no time limit, and the next request must begin within the time for which connections are kept alive', async () => {
  const begun = await send('hello')
  after(1_000_000)
  begun.writeHead(200, ['content-length', '2']).end('ok', 'latin1')
  await vi.waitFor(() => expect(begun.destroyed).toBe(true))
  after(connectionTimes.keepAliveTimeout)
  await vi.waitFor(() => expect(received).toContain('ok'))
  expect(client.destroyed).toBe(false)
  after(connectionTimes.keepAliveTimeout + 1_100)
  await closed()
})

describe('a connection that rests (waits after a rejection)', () => {
  let early = 0
  /** Sends a request and rejects it, so that the connection rests. */
  const rest = async (): Promise<RestingConnection> => {
    early = 0
    const rejected = await send('hello')
    const resting = rejected.restAfter((bytes) => void (early += bytes))
    rejected.writeHead(503, ['content-length', '2']).end('no', 'latin1')
    await vi.waitFor(() => expect(received).toContain('no'))
    return resting
  }
  const sendEarly = async (): Promise<void> => {
    client.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 5\r\n\r\nagain')
    await vi.waitFor(() => expect(early).toBeGreaterThan(0))
    expect(served).toEqual([false])
  }

  it.each([
    ['capacity', false],
    ['time', true],
  ] as const)(
    'an early request is served when the connection stops resting because of %s',
    async (reason, isEarly) => {
      const resting = await rest()
      await sendEarly()
      resting.resume(reason)
      expect(served).toEqual([false, isEarly])
      response?.writeHead(200, ['content-length', '3']).end('yes', 'latin1')
      await vi.waitFor(() => expect(received).toContain('yes'))
      client.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
      await vi.waitFor(() => expect(served).toEqual([false, isEarly, false]))
    },
  )

  it('a request that arrives after the connection has rested is served immediately', async () => {
    const resting = await rest()
    resting.resume('time')
    client.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
    await vi.waitFor(() => expect(served).toEqual([false, false]))
    resting.resume('time')
    expect(early).toBe(0)
  })

  it('if the client disconnects while the connection rests, its early request is not served', async () => {
    const resting = await rest()
    await sendEarly()
    client.destroy()
    await vi.waitFor(() => expect(isClosed).toBe(true))
    resting.resume('capacity')
    expect(served).toEqual([false])
  })

  it('a resting connection keeps the parts of an early request in order', async () => {
    const resting = await rest()
    client.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nfirst')
    await vi.waitFor(() => expect(early).toBeGreaterThan(0))
    const first = early
    client.write('again')
    await vi.waitFor(() => expect(early).toBe(first + 5))
    resting.resume('capacity')
    await vi.waitFor(() => expect(bodies.at(-1)).toBe('firstagain'))
  })

  it('a resting connection is closed when the server stops, unless a request has arrived and still needs a response', async () => {
    const resting = await rest()
    await sendEarly()
    connection.closeWhenIdle()
    expect(served).toEqual([false, false])
    response?.writeHead(503, ['content-length', '3']).end('bye', 'latin1')
    await vi.waitFor(() => expect(received).toContain('bye'))
    resting.resume('time')
    connection.closeWhenIdle()
    await closed()
  })
})
