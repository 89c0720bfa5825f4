import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { connectionTimes } from '#http/connection-limits.ts'
import { EdgeConnection } from './edge-connection.ts'
import type { EdgeResponse } from './edge-response.ts'

const server = createServer({ allowHalfOpen: true })
let client: Socket
let connection: EdgeConnection
let response: EdgeResponse | null
let received: string

beforeEach(async () => {
  response = null
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
      request.resume()
      response = given
    },
    passOn: () => expect.unreachable(),
    closed: () => {},
    isClosing: false,
  })
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

it('a connection without a request is closed after the time for headers', async () => {
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

it('a body that does not arrive in time is cut off if the response has begun', async () => {
  const begun = await send('hell')
  begun.writeHead(200, ['content-length', '2']).write('o', 'latin1')
  after(connectionTimes.requestTimeout + 1)
  await closed()
  expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\no$/)
})

it('a response has no time limit, and the next request has the time of a connection that is kept alive', async () => {
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
