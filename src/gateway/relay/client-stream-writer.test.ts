import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { propertyRuns } from '#tests/support/number-of-property-runs.ts'
import { anyCharacter } from '#tests/support/any-character.ts'
import { ClientStreamWriter } from './client-stream-writer.ts'

const server = createServer()
let client: Socket
let received: Buffer[]

beforeEach(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  // `address()` of a listening TCP server is an AddressInfo (node:net).
  client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  received = []
  client.on('data', (bytes: Buffer) => received.push(bytes))
})

afterEach(async () => {
  client.destroy()
  server.removeAllListeners('request')
  server.close()
  await once(server, 'close')
})

const ask = (version: string): string => `GET / HTTP/${version}\r\nhost: a\r\n\r\n`

async function nextResponse(): Promise<ServerResponse> {
  const [, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse]
  response.writeHead(200, ['content-type', 'text/event-stream'])
  return response
}

/** The promise resolves when the last chunk has arrived. */
async function chunksOf(count = 1): Promise<{ readonly body: string; readonly sizes: readonly number[] }> {
  const all = (): string => Buffer.concat(received).toString('latin1')
  // oxlint-disable-next-line no-await-in-loop -- one event after the other
  while (all().split('\r\n0\r\n\r\n').length <= count) await once(client, 'data')
  let rest = all().split('\r\n\r\n').slice(1).join('\r\n\r\n')
  const sizes: number[] = []
  let body = ''
  for (;;) {
    const size = Number.parseInt(rest, 16)
    const start = rest.indexOf('\r\n') + 2
    expect(rest.slice(start + size, start + size + 2)).toBe('\r\n')
    if (size === 0) return { body, sizes }
    sizes.push(size)
    body += rest.slice(start, start + size)
    rest = rest.slice(start + size + 2)
  }
}

it('all pieces of one turn of the event loop are sent as one chunk, and the end follows as the last chunk', async () => {
  client.write(ask('1.1'))
  const response = await nextResponse()
  const writer = new ClientStreamWriter(response, () => {})
  for (const pieces of [['a'], ['b', 'c'], ['d']]) {
    for (const piece of pieces) expect(writer.write(piece)).toBe(true)
    // oxlint-disable-next-line no-await-in-loop -- a turn after the other
    await turn()
  }
  writer.write('e')
  writer.end()
  response.end('f', 'latin1')
  expect(await chunksOf()).toEqual({ body: 'abcdef', sizes: [1, 2, 1, 1, 1] })
})

it('every byte arrives unchanged, for any sizes of pieces and any turns of the event loop', async () => {
  const piece = fc.record({
    text: fc.string({ unit: anyCharacter, minLength: 1, maxLength: 3_000 }),
    isTurnOver: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 20 }), async (pieces) => {
      received = []
      client.write(ask('1.1'))
      const response = await nextResponse()
      const writer = new ClientStreamWriter(response, () => {})
      for (const { isTurnOver, text } of pieces) {
        writer.write(byteTextOf(text))
        // oxlint-disable-next-line no-await-in-loop -- a turn after the other
        if (isTurnOver) await turn()
      }
      writer.end()
      response.end()
      expect((await chunksOf()).body).toBe(pieces.map(({ text }) => byteTextOf(text)).join(''))
    }),
    propertyRuns(100),
  )
})

it('a client of HTTP/1.0 receives the body without chunks', async () => {
  client.write(ask('1.0'))
  const response = await nextResponse()
  const writer = new ClientStreamWriter(response, () => {})
  for (const piece of ['one ', 'two ', 'three']) {
    writer.write(piece)
    // oxlint-disable-next-line no-await-in-loop -- a turn after the other
    await turn()
  }
  writer.end()
  response.end()
  await once(client, 'end')
  expect(Buffer.concat(received).toString().split('\r\n\r\n')[1]).toBe('one two three')
})

it('a pipelined response is sent after the response to the earlier request', async () => {
  const responses: ServerResponse[] = []
  server.on('request', (_, response) => responses.push(response))
  client.write(ask('1.1') + ask('1.1'))
  // The server reads both requests in one turn of the event loop.
  await once(server, 'request')
  const writers = responses.map((one) => new ClientStreamWriter(one.writeHead(200), () => {}))
  expect(writers).toHaveLength(2)
  for (const text of ['1', '2']) {
    for (const [at, writer] of writers.entries()) writer.write(`${at}-${text};`)
    // oxlint-disable-next-line no-await-in-loop -- a turn after the other
    await turn()
  }
  for (const writer of writers) writer.end()
  for (const response of responses.toReversed()) response.end()
  expect(await chunksOf(2)).toMatchObject({ body: '0-1;0-2;' })
  const [, , rest = ''] = Buffer.concat(received).toString().split('HTTP/1.1 200 OK')
  expect(rest).toContain('1-1;')
  expect(rest).toContain('1-2;')
  expect(rest.indexOf('1-1;')).toBeLessThan(rest.indexOf('1-2;'))
})

it('while a client reads nothing, the writer accepts no more pieces; when the client reads again, the writer calls `onDrain` once', async () => {
  client.write(ask('1.1'))
  const response = await nextResponse()
  let drains = 0
  let resume = (): void => {}
  const writer = new ClientStreamWriter(response, () => {
    drains += 1
    resume()
  })
  const piece = 'x'.repeat(50_000)
  client.pause()
  let written = 0
  let stops = 0
  while (response.writableLength < 1_000_000) {
    if (!writer.write(piece)) stops = Math.max(stops, drains + 1)
    written += piece.length
    // oxlint-disable-next-line no-await-in-loop -- a turn after the other
    await turn()
  }
  expect(drains).toBe(stops - 1)
  const drained = new Promise<void>((resolve) => (resume = resolve))
  client.resume()
  await drained
  expect(drains).toBe(stops)
  expect(writer.write('y')).toBe(true)
  writer.end()
  response.end()
  expect((await chunksOf()).body.length).toBe(written + 1)
})

it('after `end`, the writer never calls `onDrain`', async () => {
  client.write(ask('1.1'))
  const response = await nextResponse()
  const writer = new ClientStreamWriter(response, () => expect.unreachable())
  client.pause()
  while (response.writableLength < 1_000_000) {
    writer.write('x'.repeat(50_000))
    // oxlint-disable-next-line no-await-in-loop -- a turn after the other
    await turn()
  }
  writer.end()
  response.end()
  client.resume()
  expect(response.listenerCount('drain') + (response.socket?.listeners('drain').length ?? 0)).toBe(1)
  await chunksOf()
})
