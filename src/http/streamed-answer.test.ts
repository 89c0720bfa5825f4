import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { afterEach, expect, it } from 'vitest'
import { Failure } from '#domain/errors.ts'
import type { AnswerStream } from '#operations/kernel/answer-stream.ts'
import { OpenStreams } from './open-streams.ts'
import { streamedBody, streamLimits, type Streaming } from './streamed-answer.ts'

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
  /** Number of requested pieces. */
  count: number
  /** The reason for the end of the stream. */
  readonly ended: Promise<unknown>
}

/** Starts a real server that streams, and a real client that has sent its request and has not read yet. */
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
  // The socket stays open after the response, so the last chunk ends the reading.
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

it('produces a piece only if the client has room, and disconnects a client that reads nothing', async () => {
  const { broken, made, socket } = await streaming(endless, { stallMs: 300 })
  const reason = await made.ended
  expect(String(reason)).toContain('read nothing for 300 ms')
  // The limit is the capacity of this machine's sockets, and not the number of pieces in 300 ms.
  expect(made.count).toBeLessThan(32)
  const text = await readToEnd(socket)
  expect(text.endsWith('0\r\n\r\n')).toBe(false)
  expect(broken).toEqual([])
})

it('stops producing pieces when the client disconnects, even while waiting', async () => {
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

it('notifies a stream whose caller lost access, and sends its last piece', async () => {
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

it('checks access before the next piece after credentials change, once per change, and discards the piece', async () => {
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

it('continues if the access check fails', async () => {
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

it('notifies the stream when the server stops', async () => {
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

it('closes the connection of a failed response, so that a part cannot pass for the whole', async () => {
  const { broken, socket } = await streaming(async function* () {
    yield 'first'
    throw new Error('the store is away')
  })
  const text = await readToEnd(socket)
  expect(text).toContain('first')
  expect(text.endsWith('0\r\n\r\n')).toBe(false)
  expect(broken).toHaveLength(1)
})
