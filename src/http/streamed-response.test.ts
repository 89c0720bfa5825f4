import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { afterEach, expect, it } from 'vitest'
import { Failure } from '#domain/errors.ts'
import type { AnswerStream } from '#operations/kernel/response-stream.ts'
import { OpenStreams } from './count-open-streams.ts'
import { streamedBody, streamLimits, type Streaming } from './streamed-response.ts'

const open: (Server | Socket)[] = []
afterEach(async () => {
  for (const one of open.splice(0)) {
    if ('destroy' in one) one.destroy()
    else {
      one.closeAllConnections()
      one.close()
    }
  }
})

interface Made {
  count: number
  /** Resolves with the reason for which the stream was ended. */
  readonly ended: Promise<unknown>
}

/** Starts a real server that streams a response. A real client has sent its request but reads nothing yet. */
async function streaming(
  pieces: (ending: AbortSignal, made: { count: number }) => AsyncGenerator<string, void, void>,
  options: Partial<Streaming> = {},
): Promise<{ socket: Socket; made: Made; broken: unknown[] }> {
  const broken: unknown[] = []
  const { promise: ended, resolve } = Promise.withResolvers<unknown>()
  const made = { count: 0, ended }
  const stream: AnswerStream = {
    mediaType: 'text/plain',
    headers: {},
    async *pieces(ending) {
      try {
        yield* pieces(ending, made)
      } finally {
        resolve(ending.reason)
      }
    },
  }
  const server = createServer(
    // oxlint-disable-next-line typescript/no-misused-promises -- it never rejects
    getRequestListener(
      (_, { incoming }) =>
        new Response(
          streamedBody(stream, {
            ...streamLimits,
            disconnect: () => void incoming.socket.destroy(),
            open: new OpenStreams(),
            recheck: async () => {},
            onBroken: (error) => void broken.push(error),
            ...options,
          }),
        ),
      { overrideGlobalObjects: false },
    ),
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert(typeof address === 'object' && address !== null)
  const socket = connect(address.port, '127.0.0.1')
  socket.on('error', () => {})
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n')
  open.push(server, socket)
  return { socket, made, broken }
}

async function readToEnd(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => void chunks.push(chunk))
  socket.resume()
  // The socket stays open after the response, so stop reading at the last chunk.
  await new Promise<void>((resolve) => {
    socket.on('data', () => Buffer.concat(chunks).subarray(-5).toString() === '0\r\n\r\n' && resolve())
    if (socket.closed) resolve()
    else socket.on('close', () => resolve())
  })
  return Buffer.concat(chunks).toString()
}

async function untilEnded(ending: AbortSignal): Promise<void> {
  if (!ending.aborted) await once(ending, 'abort')
}

const megabyte = 'x'.repeat(1024 * 1024)

async function* endless(ending: AbortSignal, made: { count: number }) {
  for (;;) {
    ending.throwIfAborted()
    made.count += 1
    yield megabyte
  }
}

it('the next piece is produced only when the client can receive it, and a client that reads nothing is disconnected', async () => {
  const { broken, made, socket } = await streaming(endless, { stallMs: 300 })
  const reason = await made.ended
  expect(String(reason)).toContain('read nothing for 300 ms')
  // The socket buffers limit the number of produced pieces, not the elapsed 300 ms.
  expect(made.count).toBeLessThan(32)
  const text = await readToEnd(socket)
  expect(text.endsWith('0\r\n\r\n')).toBe(false)
  expect(broken).toEqual([])
})

it('no more pieces are produced after the client disconnects, even if the stream is waiting', async () => {
  const { broken, made, socket } = await streaming(async function* (ending) {
    yield 'first'
    await untilEnded(ending)
  })
  socket.resume()
  await once(socket, 'data')
  socket.destroy()
  expect(String(await made.ended)).toContain('the client has disconnected')
  expect(broken).toEqual([])
})

it('if the caller loses access, the stream is notified, and sends its last piece', async () => {
  const { made, socket } = await streaming(
    async function* (ending) {
      yield 'first,'
      await untilEnded(ending)
      yield 'last'
    },
    { recheckMs: 10, recheck: () => Promise.reject(new Failure('invalid_token')) },
  )
  const text = await readToEnd(socket)
  expect(text).toContain('first,')
  expect(text).toContain('last')
  expect(text.endsWith('0\r\n\r\n')).toBe(true)
  expect(await made.ended).toMatchObject({ code: 'invalid_token' })
})

it('after a change of credentials, access is checked once before the next piece; if the caller has lost access, that piece is discarded', async () => {
  const streams = new OpenStreams()
  const asked: string[] = []
  let made = 'nothing'
  const { socket } = await streaming(
    async function* (ending) {
      for (const piece of ['first', 'second', 'third', 'fourth']) {
        if (piece === 'second' || piece === 'fourth') streams.noteCredentialChange()
        made = piece
        yield `${piece},`
        if (ending.aborted) return yield 'last'
      }
    },
    {
      open: streams,
      recheckMs: 60_000,
      verdictMs: 60_000,
      recheck: async () => {
        asked.push(made)
        if (made === 'fourth') throw new Failure('invalid_token')
      },
    },
  )
  const text = await readToEnd(socket)
  expect(asked).toEqual(['second', 'fourth'])
  for (const piece of ['first,', 'second,', 'third,', 'last']) expect(text).toContain(piece)
  expect(text).not.toContain('fourth')
})

it('the stream continues if the access check itself fails', async () => {
  let asked = 0
  const { promise: askedOften, resolve } = Promise.withResolvers<void>()
  const { socket } = await streaming(
    async function* (ending) {
      await askedOften
      yield String(ending.aborted)
    },
    {
      recheckMs: 5,
      recheck: () => {
        asked += 1
        if (asked === 3) resolve()
        return Promise.reject(new Error('the store is away'))
      },
    },
  )
  expect(await readToEnd(socket)).toContain('false')
})

it('the stream is notified when the server stops', async () => {
  const streams = new OpenStreams()
  const { made, socket } = await streaming(
    async function* (ending) {
      yield 'first'
      await untilEnded(ending)
      throw ending.reason
    },
    { open: streams },
  )
  socket.resume()
  await once(socket, 'data')
  await streams.stop(10_000)
  expect(await made.ended).toMatchObject({ code: 'draining' })
})

it('if the stream fails, the connection is closed, so that the client cannot mistake the partial response for a complete one', async () => {
  const { broken, socket } = await streaming(async function* () {
    yield 'first'
    throw new Error('the store is away')
  })
  const text = await readToEnd(socket)
  expect(text).toContain('first')
  expect(text.endsWith('0\r\n\r\n')).toBe(false)
  expect(broken).toHaveLength(1)
})
