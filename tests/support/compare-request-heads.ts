/**
 * Generates valid and faulty request heads, and compares how the edge and Node's server read them. The edge may reject
 * any head. If the edge accepts a head, Node must accept the same method, target, headers and body.
 */
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Duplex } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { connectionTimes, headLimits } from '#http/connection-timeouts-and-head-limits.ts'
import { readRequestHead, type RequestHead } from '#http/edge/request-head.ts'
import type { Random } from './seeded-random.ts'

class ClientBytes extends Duplex {
  override _read(): void {}
  override _write(_bytes: unknown, _encoding: string, done: () => void): void {
    done()
  }
}

interface Read {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

class NodeReader {
  readonly #server = createServer({ ...connectionTimes, maxHeaderSize: headLimits.bytesMax })
  #connection: ClientBytes | null = null
  #read: Read | null = null

  constructor() {
    this.#server.maxHeadersCount = headLimits.fieldsMax
    this.#server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      assert.equal(this.#read, null, 'Node found two requests')
      this.#read = { request, response }
      request.resume()
      response.end()
    })
    this.#server.on('clientError', (error) => {
      throw new Error(`Node rejected the head: ${error.message}`)
    })
  }

  async expect(head: RequestHead, bytes: Buffer): Promise<void> {
    const connection = (this.#connection ??= await this.#connect())
    this.#read = null
    const end = head.bytes + head.contentLength
    connection.push(bytes.subarray(0, end - 1))
    assert.equal(this.#found?.request.complete ?? false, false, 'Node finds a shorter request')
    connection.push(bytes.subarray(end - 1, end))
    const found = this.#found
    assert(found, 'Node finds no request')
    const { request, response } = found
    assert.equal(request.complete, true, 'Node finds a longer request')
    assert.equal(request.httpVersion, '1.1')
    assert.equal(request.method, head.method)
    assert.equal(request.url, head.url)
    assert.deepEqual({ ...head.headers }, { ...request.headers })
    assert.equal(Object.keys(head.headers).length, request.rawHeaders.length / 2, 'Node finds other fields')
    assert.equal(response.shouldKeepAlive, head.isKeptAlive)
    if (head.isKeptAlive) return
    this.#connection = null
    // Without `destroy`, Node would keep a connection whose client does not close its side.
    setImmediate(() => connection.destroy())
  }

  async #connect(): Promise<ClientBytes> {
    const connection = new ClientBytes()
    this.#server.emit('connection', connection)
    // After the next turn of the event loop, Node reads bytes as soon as they arrive.
    await turn()
    return connection
  }

  get #found(): Read | null {
    return this.#read
  }
}

const bodyBytesMax = 300

export async function compareHeads(random: Random, rounds: number): Promise<number> {
  const node = new NodeReader()
  let accepted = 0
  for (let round = 0; round < rounds; round++) {
    const bytes = generatedRequest(random)
    const head = readRequestHead(bytes)
    if (head !== null && head.contentLength <= bodyBytesMax) {
      accepted += 1
      try {
        // oxlint-disable-next-line no-await-in-loop -- one head after the other
        await node.expect(head, bytes)
      } catch (cause) {
        throw new Error(`${JSON.stringify(bytes.toString('latin1'))}: ${String(cause)}`, { cause })
      }
    }
    // Node finishes its responses in the next turn of the event loop.
    // oxlint-disable-next-line no-await-in-loop -- one head after the other
    if (round % 20 === 0) await turn()
  }
  return accepted
}

const targets = [
  '/v1/chat/completions',
  '/v1/messages?beta=true',
  '/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse&key=ak_1',
  '/v1/models/org%2Fname',
  '/',
]
const usualFields: readonly (readonly [string, string])[] = [
  ['Authorization', 'Bearer ak_0000000000000000000000000000000000000000'],
  ['x-api-key', 'ak_00'],
  ['Content-Type', 'application/json'],
  ['content-length', '0'],
  ['Content-Length', '12'],
  ['Content-Length', '300'],
  ['Connection', 'keep-alive'],
  ['connection', 'Keep-Alive'],
  ['connection', 'close'],
  ['Accept', '*/*'],
  ['accept-encoding', 'gzip, deflate, br'],
  ['User-Agent', 'OpenAI/Python 2.8.1'],
  ['anthropic-version', '2023-06-01'],
  ['cookie', 'a=b; c=d'],
  ['TE', 'trailers'],
  ['Trailer', 'x-a'],
  ['Keep-Alive', 'timeout=5'],
  ['x-empty', ''],
  ['x-latin', 'Gr\xfc\xdfe'],
  ['x-long', 'v'.repeat(3_000)],
]
const unusualFields: readonly (readonly [string, string])[] = [
  ['host', '127.0.0.1:8101'],
  ['Connection', 'close, x'],
  ['Proxy-Connection', 'close'],
  ['Cookie', 'e=f'],
  ['Set-Cookie', 'a=b'],
  ['Transfer-Encoding', 'chunked'],
  ['Transfer-Encoding', 'identity'],
  ['Expect', '100-continue'],
  ['Upgrade', 'h2c'],
  ['__proto__', 'x'],
  ['constructor', 'x'],
]
/** Pieces of a head on which parsers disagree. */
const pieces = [
  '\r\n', '\n', '\r', '\r\r\n', '\n\r', '\0', '\t', ' ', '  ', ':', ' :', ': ', ';', ',', '#', '?', '"', '\\', '\x0b',
  '\x7f', '\x80', '\xff', '+', '-1', '0x1', '1_0', '00', '\r\n ', '\r\n\t', '\r\n\r\n', 'HTTP/1.0', 'HTTP/1.1', 'http/1.1',
  'GET / HTTP/1.1\r\n', 'chunked', 'Content-Length: 1\r\n', 'Transfer-Encoding: chunked\r\n', 'Host: b\r\n',
] // prettier-ignore

function generatedRequest(random: Random): Buffer {
  const method = random.chance(0.95) ? random.pick(['POST', 'GET', 'DELETE']) : random.pick(['PUT', 'HEAD'])
  const lines = [`${method} ${random.pick(targets)} HTTP/1.1`]
  const names = new Set<string>()
  // Most heads contain no field twice, because the edge rejects a head with a repeated field.
  const isPlain = random.chance(0.9)
  const add = (name: string, value: string): void => {
    if (isPlain && names.has(name.toLowerCase())) return
    names.add(name.toLowerCase())
    lines.push(`${name}:${random.chance(0.8) ? ' ' : random.pick(['', '  ', '\t', ' \t '])}${value}`)
  }
  if (random.chance(0.98)) add('Host', 'acme.gateway.localhost')
  const isLong = random.chance(0.01)
  const count = isLong ? random.whole(95, 105) : random.whole(0, 12)
  for (let n = 0; n < count; n++) {
    if (isLong || random.chance(0.3)) add(`x-${random.whole(0, 9_999)}`, random.pick(['v', 'v ', 'v\t ']))
    else add(...random.pick(random.chance(0.97) ? usualFields : unusualFields))
  }
  let text = `${lines.join('\r\n')}\r\n\r\n`
  for (let changes = random.chance(0.4) ? 0 : random.whole(1, 3); changes > 0; changes--) {
    text = changed(text, random)
  }
  return Buffer.from(text + 'b'.repeat(bodyBytesMax), 'latin1')
}

function changed(text: string, random: Random): string {
  const at = random.whole(0, text.length)
  const before = text.slice(0, at)
  switch (random.whole(0, 4)) {
    case 0:
      return before + random.pick(pieces) + text.slice(at)
    case 1:
      return before + String.fromCharCode(random.whole(0, 255)) + text.slice(at + 1)
    case 2:
      return before + text.slice(at + random.whole(1, 3))
    case 3:
      return before + random.pick(pieces) + text.slice(at + 1)
    default: {
      const line = random.pick(text.split('\r\n'))
      const lineEnd = text.indexOf('\r\n', at)
      return lineEnd < 0 ? text : `${text.slice(0, lineEnd)}\r\n${line}${text.slice(lineEnd)}`
    }
  }
}
