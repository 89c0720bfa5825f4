import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { control, eventually, type LocalServer, startServer } from '../support/start-product.ts'

let server: LocalServer
beforeAll(async () => {
  server = await startServer({ limits: { bodyGraceMs: 500 } })
})
afterAll(() => server.close())

function opened(path: string, announced: number, sent: string, credential: string | null = null): Socket {
  const socket = connect(server.port, '127.0.0.1')
  socket.on('error', () => {})
  socket.write(
    [
      `POST ${path} HTTP/1.1`,
      `host: 127.0.0.1:${server.port}`,
      'content-type: application/json',
      ...(credential === null ? [] : [`authorization: Bearer ${credential}`]),
      `content-length: ${announced}`,
      '',
      sent,
    ].join('\r\n'),
  )
  return socket
}

async function statusOf(socket: Socket): Promise<number> {
  let text = ''
  socket.on('data', (piece: Buffer) => (text += piece.toString('latin1')))
  await once(socket, 'close')
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1])
}

const redeem = '/v1/portal-sessions/redeem'

test('an operation without a credential accepts a body of at most 4 KiB', async () => {
  expect(await statusOf(opened(redeem, 4097, ''))).toBe(413)
  const body = { token: 'x'.repeat(3000) }
  expect((await control({ ...server, token: '' }, 'POST', redeem, body)).status).toBe(400)
})

test('if an unknown caller sends only half of each of three hundred bodies, the requests time out and use only the memory of the sent bytes', async () => {
  const sockets = Array.from({ length: 300 }, () => opened(redeem, 4096, 'x'.repeat(1000)))
  const statuses = sockets.map((socket) => statusOf(socket))
  await eventually(async () => expect(server.bodyBytesHeld).toBeLessThanOrEqual(300 * 1000))
  expect((await control(server, 'GET', '/v1/whoami')).status).toBe(200)
  // When the burst of public requests is used up, the server does not read further bodies.
  const ended = await Promise.all(statuses)
  expect(ended.filter((status) => status !== 408 && status !== 429)).toEqual([])
  expect(ended.filter((status) => status === 408).length).toBeGreaterThanOrEqual(200)
  expect(server.bodyBytesHeld).toBe(0)
})

test('if a caller with a token sends only half of a body, the request times out, and only the received bytes count', async () => {
  const socket = opened('/v1/grants', 1_000_000, '{'.repeat(1000), server.token)
  await eventually(async () => expect(server.bodyBytesHeld).toBe(1000))
  expect(await statusOf(socket)).toBe(408)
  expect(server.bodyBytesHeld).toBe(0)
})
