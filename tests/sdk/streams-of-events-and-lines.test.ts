import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { AnswerError, CancelledError, ConnectionError, PermissionError } from '#sdk/errors.ts'
import type { Route } from '#sdk/request.ts'
import { Sender } from '#sdk/sender.ts'
import { streamEvents, streamLines } from '#sdk/stream-calls.ts'
import { eventsOf, linesOf, type StreamCall } from '#sdk/stream.ts'
import { finalizeGarbage } from '../support/collect-garbage.ts'

const route: Route = { id: 'requests.tail', method: 'GET', path: '/v1/requests/tail' }

let server: Server
let sender: Sender
let serve: (response: ServerResponse) => void
let left: Promise<unknown>
let asked = 0
beforeAll(async () => {
  server = createServer((request, response) => {
    asked++
    left = once(response, 'close')
    response.setHeader('content-type', request.headers.accept ?? '')
    response.setHeader('x-request-id', 'req_1')
    serve(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  sender = new Sender({ baseUrl: `http://127.0.0.1:${port}`, token: null, timeoutMs: 60_000 })
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

describe('a stream of events', () => {
  it('a stream of events returns each document, and also its kind and its ID if requested', async () => {
    serve = (response) =>
      response.end(
        ': hello\n\nid: 1\nevent: call\ndata: {"n":1}\n\ndata: {"n":\ndata: 2}\n\nid:3\ndata:{"n":3}\n\n',
      )
    expect(await all(streamEvents(sender, route).entries())).toEqual([
      { isDocument: true, data: { n: 1 }, event: 'call', id: '1' },
      { isDocument: true, data: { n: 2 }, event: null, id: '1' },
      { isDocument: true, data: { n: 3 }, event: null, id: '3' },
    ])
    expect(await all(streamEvents(sender, route))).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
  })

  it('a stream of events returns only documents of the requested kind, but its entries include all kinds', async () => {
    const text = 'event: gap\ndata: {"since":1}\n\nid: 7\nevent: call\ndata: {"n":1}\n\n'
    serve = (response) => response.end(text)
    const calls = streamEvents(sender, { ...route, event: 'call' })
    expect(await all(calls)).toEqual([{ n: 1 }])
    expect(calls.lastEventId).toBe('7')
    expect(await all(streamEvents(sender, { ...route, event: 'call' }).entries())).toEqual([
      { isDocument: false, data: { since: 1 }, event: 'gap', id: null },
      { isDocument: true, data: { n: 1 }, event: 'call', id: '7' },
    ])
  })

  it('if the server ends an event stream, the client throws the reason and the ID of the last event', async () => {
    serve = (response) =>
      response.end('id: 7\nevent: call\ndata: {"n":1}\n\nevent: dropped\ndata: {"message":"Too slow."}\n\n')
    const seen: unknown[] = []
    const read = async (): Promise<void> => {
      for await (const call of streamEvents(sender, { ...route, event: 'call' })) seen.push(call)
    }
    await expect(read()).rejects.toMatchObject({
      name: 'StreamEndedError',
      message: 'requests.tail: the server ended the stream (dropped). Too slow.',
      event: 'dropped',
      lastEventId: '7',
    })
    expect(seen).toEqual([{ n: 1 }])
  })

  it('a stream of events continues after the named event', async () => {
    let named: string | undefined
    server.once('request', (request: IncomingMessage) => (named = String(request.headers['last-event-id'])))
    serve = (response) => response.end()
    await all(streamEvents(sender, route, {}, { lastEventId: '7' }))
    expect(named).toBe('7')
  })

  it('a stream of events ends when the caller leaves its loop, and the connection to the server is closed', async () => {
    serve = (response) => void response.write('data: {"n":1}\n\ndata: {"n":2}\n\n')
    for await (const document of streamEvents(sender, route)) {
      expect(document).toEqual({ n: 1 })
      break
    }
    await left
  })

  it('a stream of events ends when it is canceled', async () => {
    serve = (response) => void response.write('data: {"n":1}\n\n')
    const cancelling = new AbortController()
    const read = async (): Promise<void> => {
      for await (const _ of streamEvents(sender, route, {}, { signal: cancelling.signal })) cancelling.abort()
    }
    await expect(read()).rejects.toThrow(CancelledError)
    await left
  })

  it.each([
    ['an opened stream', async (stream: StreamCall<unknown>) => [(await stream.opened()).requestId, stream]],
    ['a response', async (stream: StreamCall<unknown>) => ['req_1', (await stream.asResponse()).body]],
  ] as const)(
    '%s of events can still be read if a garbage collection runs before its data arrives',
    async (_, open) => {
      let finish = (): void => {}
      serve = (response) => {
        response.write(': hello\n\n')
        finish = () => response.end('data: {"n":1}\n\n')
      }
      const [requestId, opened] = await open(streamEvents(sender, route))
      await finalizeGarbage()
      finish()
      expect(requestId).toBe('req_1')
      expect(await all(opened as AsyncIterable<unknown>)).not.toEqual([])
    },
  )

  it('an open stream of events has no time limit', async () => {
    let answer = (): void => {}
    serve = (response) => {
      response.flushHeaders()
      answer = () => response.end('data: {"n":1}\n\n')
    }
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const stream = streamEvents(sender, route, {}, { timeoutMs: 1_000 })
      await stream.opened()
      await vi.advanceTimersByTimeAsync(2_000)
      answer()
      expect(await all(stream)).toEqual([{ n: 1 }])
    } finally {
      vi.useRealTimers()
    }
  })

  it('a broken stream of events throws after its documents, and is not restarted', async () => {
    serve = (response) => {
      response.write('data: {"n":1}\n\ndata: {"n"')
      setImmediate(() => response.destroy())
    }
    const before = asked
    const seen: unknown[] = []
    const read = async (): Promise<void> => {
      for await (const document of streamEvents(sender, route)) seen.push(document)
    }
    await expect(read()).rejects.toThrow(ConnectionError)
    expect([seen, asked - before]).toEqual([[{ n: 1 }], 1])
  })

  it('a rejected stream of events throws the rejection when it is read, and when it is opened', async () => {
    serve = (response) => {
      response.writeHead(403, { 'content-type': 'application/json' })
      response.end('{"error":{"code":"role_required","message":"No."}}')
    }
    await expect(all(streamEvents(sender, route))).rejects.toThrow(PermissionError)
    await expect(streamEvents(sender, route).opened()).rejects.toMatchObject({ code: 'role_required' })
  })

  it('after it is opened, a stream of events has the headers and the request ID of its response', async () => {
    serve = (response) => response.end('data: {}\n\n')
    const { headers, requestId } = await streamEvents(sender, route).opened()
    expect([requestId, headers.get('content-type')]).toEqual(['req_1', 'text/event-stream'])
  })
})

describe('a stream of lines', () => {
  it('a stream of lines returns the document of each line', async () => {
    serve = (response) => response.end('{"n":1}\n{"n":2}\r\n\n{"n":3}')
    expect(await all(streamLines(sender, route))).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
  })

  it('a stream of lines with invalid JSON throws an error that contains the line', async () => {
    serve = (response) => response.end('{"n":1}\n<html>\n')
    await expect(all(streamLines(sender, route))).rejects.toMatchObject({
      constructor: AnswerError,
      body: '<html>',
      requestId: 'req_1',
    })
  })
})

describe('any division of a text into pieces', () => {
  const line = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, ''))
  const end = fc.constantFrom('\n', '\r\n', '\r')
  const cuts = fc.array(fc.nat(400), { maxLength: 20 })

  it('the lines of a text are the same for any division into pieces', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line), cuts, async (lines, at) => {
        const found = await all(linesOf(piecesOf(lines.join('\n'), at)))
        expect(found.map(({ text }) => text)).toEqual(lines.filter((one) => one.trim() !== ''))
      }),
    )
  })

  it('the events of a text are the same for any division into pieces, with any line ends', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(line, { minLength: 1 })), end, cuts, async (events, eol, at) => {
        const text = events.map((data) => [...data.map((one) => `data: ${one}`), '', ''].join(eol)).join('')
        const found = await all(eventsOf(piecesOf(text, at)))
        expect(found.map(({ text: one }) => one)).toEqual(events.map((data) => data.join('\n')))
      }),
    )
  })

  async function* piecesOf(text: string, at: readonly number[]): AsyncGenerator<string, void, undefined> {
    let from = 0
    for (const to of at.toSorted((one, other) => one - other)) {
      yield text.slice(from, to)
      from = Math.max(from, to)
    }
    yield text.slice(from)
  }
})
