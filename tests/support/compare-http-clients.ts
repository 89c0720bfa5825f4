/**
 * Compares the gateway's provider client with undici's client. Both clients receive the same bytes in the same pieces,
 * over in-memory sockets, and must report the same responses, failures and reuse of the connection.
 */
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { Client, type buildConnector } from 'undici'
import { ProviderClient } from '#providers/provider-client.ts'
import type { ResponseHandler } from '#providers/provider-connection.ts'
import { readHeaders } from '#providers/response-parser.ts'
import type { Random } from './seeded-random.ts'

export interface ServerScript {
  readonly method: 'GET' | 'HEAD' | 'POST'
  readonly pieces: readonly Buffer[]
  readonly ending: 'end' | 'open' | 'reset'
  /** The client pauses after every `pauseEvery` pieces of a body, and resumes later. 0 if the client never pauses. */
  readonly pauseEvery: number
}

/** The events of each client, as text. The events are equal if the clients behave in the same way. */
interface Compared {
  readonly own: string
  readonly undici: string
}

export async function compareClients(script: ServerScript): Promise<Compared> {
  const [own, undici] = await Promise.all([eventsOf(script, ownClient), eventsOf(script, undiciClient)])
  return { own, undici }
}

interface TestedClient {
  dispatch(method: ServerScript['method'], handler: ResponseHandler): void
  destroy(): void
}

class MemorySocket extends Duplex {
  written = ''

  constructor() {
    super({ allowHalfOpen: false })
  }

  override _read(): void {}

  override _write(bytes: Buffer, _: string, then: () => void): void {
    this.written += bytes.toString('latin1')
    then()
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }
}

const origin = 'http://provider.test'
const secondResponse = Buffer.from('HTTP/1.1 201 Created\r\ncontent-length: 2\r\n\r\nok')

/** Sends a second request on the same connection, if the client reuses the connection. */
async function eventsOf(script: ServerScript, open: (connect: buildConnector.connector) => TestedClient) {
  const sockets: MemorySocket[] = []
  const client = open((_, callback) => {
    const socket = new MemorySocket()
    sockets.push(socket)
    // Both clients use only the methods of a Duplex, and `ref` and `unref`.
    queueMicrotask(() => callback(null, socket as unknown as Socket))
  })
  const first = new Recorder(script.pauseEvery)
  client.dispatch(script.method, first)
  await turns()
  const [socket] = sockets
  if (socket === undefined) throw new Error('the client opened no connection')
  for (const piece of script.pieces) {
    if (!socket.destroyed) socket.push(piece)
    // oxlint-disable-next-line no-await-in-loop -- the pieces arrive one after the other
    await turns()
  }
  // oxlint-disable-next-line no-await-in-loop -- waits until the received bytes are read
  while (first.isPaused && script.ending === 'reset') await turns()
  if (script.ending === 'end' && !socket.destroyed) socket.push(null)
  if (script.ending === 'reset') socket.destroy(Object.assign(new Error('reset'), { code: 'ECONNRESET' }))
  for (let at = 0; at < 4 || first.isPaused; at++) {
    // oxlint-disable-next-line no-await-in-loop -- waits for the events of the sockets
    await turns()
  }
  let events = first.text
  if (first.isOver) {
    const second = new Recorder(0)
    client.dispatch('POST', second)
    await turns()
    await turns()
    const last = sockets.at(-1)
    if (last && !last.destroyed) last.push(secondResponse)
    await turns()
    await turns()
    events += ` / ${sockets.length} connections, ${second.text}`
  }
  client.destroy()
  for (const one of sockets) one.destroy()
  await turns()
  return events
}

async function turns(): Promise<void> {
  await turn()
  await turn()
}

/** Joins the pieces of a body, because the clients may divide the body differently. */
class Recorder implements ResponseHandler {
  readonly #pauseEvery: number
  readonly #events: string[] = []
  #body = ''
  #pieces = 0
  isOver = false
  isPaused = false

  constructor(pauseEvery: number) {
    this.#pauseEvery = pauseEvery
  }

  get text(): string {
    return `${this.#events.join(' ')} body ${JSON.stringify(this.#body)}`
  }

  onRequestStart(): void {
    this.#events.push('start')
  }

  /** The gateway's client reports only the headers that the gateway reads. undici reports all headers. */
  onResponseStart(_: unknown, status: number, headers: object): void {
    const read = Object.entries(headers).filter(([name]) => readHeaders.some((known) => known === name))
    this.#events.push(`${status} ${JSON.stringify(read)}`)
  }

  onResponseData(flow: Parameters<ResponseHandler['onResponseData']>[0], bytes: Uint8Array): void {
    // undici reports an empty piece after each pause.
    if (bytes.length === 0) return
    this.#body += Buffer.from(bytes).toString('latin1')
    this.#pieces++
    if (this.#pauseEvery === 0 || this.#pieces % this.#pauseEvery !== 0) return
    flow.pause()
    this.isPaused = true
    setImmediate(() => {
      this.isPaused = false
      flow.resume()
    })
  }

  onResponseEnd(): void {
    this.#events.push('end')
    this.isOver = true
  }

  onResponseError(_: unknown, error: Error): void {
    const code = 'code' in error ? String(error.code) : error.name
    this.#events.push(`failed ${isInvalidResponse(code, error) ? 'invalid response' : code}`)
    this.isOver = true
  }
}

/**
 * For some invalid responses, the clients report different codes. undici sets no code for errors of its parser, and
 * reports a wrong length if the response is also wrong in another way.
 */
function isInvalidResponse(code: string, { name }: Error): boolean {
  return name === 'HTTPParserError' || /^(?:HPE_|ERR_ASSERTION|UND_ERR_RES_|UND_ERR_HEADERS_)/.test(code)
}

const ownClient = (connect: buildConnector.connector): TestedClient => {
  const client = new ProviderClient(origin, { connect })
  return {
    dispatch: (method, handler) =>
      client.dispatch({ method, path: '/', body: method === 'POST' ? '{}' : null }, handler),
    destroy: () => client.destroy(),
  }
}

const undiciClient = (connect: buildConnector.connector): TestedClient => {
  const client = new Client(origin, {
    connect,
    allowH2: false,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    dispatch: (method, handler) =>
      void client.dispatch({ method, path: '/', body: method === 'POST' ? '{}' : null }, handler),
    destroy: () => void client.destroy().catch(() => {}),
  }
}

export function scriptFrom(random: Random): ServerScript {
  let text = ''
  if (random.chance(0.1)) text += informational(random)
  text += response(random)
  if (random.chance(0.1))
    text += random.pick(['\r\n', '\n', 'x', 'HTTP/1.1 200 OK\r\n\r\n', response(random)])
  for (let left = random.pick([0, 0, 0, 1, 2, 4]); left > 0; left--) text = mutated(text, random)
  // undici reads a wrong length if spaces follow the number. Other spaces stay, because `0 3 ` would become `03 `.
  text = text.replaceAll(/(content-length:[ \t]*\d+)[ \t]+(?=[\r\n])/gi, '$1')
  return {
    method: random.pick(['GET', 'POST', 'POST', 'POST', 'HEAD']),
    pieces: piecesOf(Buffer.from(text, 'latin1'), random),
    ending: random.pick(['end', 'open', 'reset']),
    pauseEvery: random.pick([0, 0, 1, 2]),
  }
}

function piecesOf(bytes: Buffer, random: Random): Buffer[] {
  const cuts = Array.from({ length: random.pick([0, 1, 1, 2, 5]) }, () => random.whole(0, bytes.length))
  const edges = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
  return edges.slice(1).flatMap((end, at) => (end > (edges[at] ?? 0) ? [bytes.subarray(edges[at], end)] : []))
}

function informational(random: Random): string {
  return `HTTP/1.1 ${random.pick(['100 Continue', '103 Early Hints', '101 Switching Protocols', '199 x'])}\r\n${fields(random, 0.4)}\r\n`
}

function response(random: Random): string {
  const status = random.pick([
    '200 OK',
    '200',
    '204 No Content',
    '304 x',
    '404 Not Found',
    '205 x',
    '599 x',
    '200 a\xe4b',
  ])
  const version = random.chance(0.9)
    ? 'HTTP/1.1'
    : random.pick(['HTTP/1.0', 'HTTP/2.0', 'HTTP/0.9', 'http/1.1', 'ICE/1.0'])
  const body = 'abc'.repeat(random.pick([0, 1, 2, 5, 200]))
  const framing = random.pick(['length', 'chunked', 'chunked', 'none', 'both'])
  let head = `${version} ${status}\r\n${fields(random, 0.7)}`
  if (framing === 'length' || framing === 'both')
    head += `${random.pick(['Content-Length', 'content-length'])}: ${random.chance(0.85) ? body.length : random.pick(['0', '+1', '1 1', '-1', '1,1', '18446744073709551616', '', ' 3 ', '0x3'])}\r\n`
  if (framing === 'chunked' || framing === 'both')
    head += `transfer-encoding: ${random.chance(0.85) ? 'chunked' : random.pick(['Chunked', 'gzip, chunked', 'chunked, gzip', 'identity', 'xchunked', 'chunked ', '\tchunked'])}\r\n`
  return `${head}\r\n${framing === 'chunked' || framing === 'both' ? chunks(body, random) : body}`
}

function chunks(body: string, random: Random): string {
  let text = ''
  for (let at = 0; at < body.length;) {
    const size = random.whole(1, body.length)
    const piece = body.slice(at, at + size)
    at += size
    const hex = piece.length.toString(16)
    const stated = random.chance(0.95)
      ? hex
      : random.pick([
          `0${hex}`,
          hex.toUpperCase(),
          ` ${hex}`,
          `${hex} `,
          `0x${hex}`,
          '',
          'fffffffffffffffff',
          '-1',
        ])
    const extension = random.chance(0.9)
      ? ''
      : random.pick([';a', ';a=b', ';a="b;c"', '; a = b', ';', ';a="b', ';\xe4', ';a\n'])
    text += `${stated}${extension}${lineEnd(random)}${piece}${lineEnd(random)}`
  }
  const trailer = random.chance(0.8)
    ? ''
    : random.pick([
        'a: b\r\n',
        'content-length: 3\r\n',
        'transfer-encoding: chunked\r\n',
        'a\r\n',
        ': b\r\n',
        'connection: close\r\n',
        'keep-alive: timeout=1\r\n',
      ])
  return `${text}0${lineEnd(random)}${trailer}\r\n`
}

const lineEnd = (random: Random): string =>
  random.chance(0.98) ? '\r\n' : random.pick(['\n', '\r', '\r\r\n', ' \r\n'])

function fields(random: Random, share: number): string {
  let text = ''
  while (random.chance(share)) text += `${random.pick(knownFields)}${lineEnd(random)}`
  return text
}

const knownFields = [
  'content-type: text/event-stream',
  'Content-Type:application/json',
  'connection: close',
  'Connection: keep-alive',
  'connection: Keep-Alive, x',
  'connection: upgrade',
  'upgrade: h2c',
  'keep-alive: timeout=5',
  'Keep-Alive: timeout=2, max=100',
  'keep-alive: timeout=1',
  'content-length: 3',
  'transfer-encoding: chunked',
  'proxy-connection: close',
  'set-cookie: a=b',
  'set-cookie: c=d',
  'constructor: x',
  '__proto__: y',
  'Retry-After: 7',
  'retry-after-ms:8',
  'request-id: a',
  'REQUEST-ID: b',
  'content-encoding: gzip',
  'x-goog-upload-url:',
  'x-amzn-requestid:   a b\t ',
  'x-request-id: a\r\n b',
  'x-request-id: \xe4\xff',
  'x-request-id: \x01',
  'x-request-id: \0',
  'x-request-ie: a',
  'x-empty:',
  'x space: a',
  'x-space : a',
  ': nameless',
  'nocolon',
  '\xe4: a',
  `x-long: ${'l'.repeat(9_000)}`,
  `x-amzn-bedrock-output-token-count: ${'1'.repeat(9_000)}`,
]

function mutated(text: string, random: Random): string {
  const at = random.whole(0, text.length)
  const end = Math.min(text.length, at + random.whole(1, 8))
  const odd = random.pick([
    '\r',
    '\n',
    '\r\n',
    ' ',
    '\t',
    '\0',
    ':',
    ';',
    ',',
    '0',
    '9',
    'f',
    '\xff',
    'HTTP/1.1 200 OK\r\n',
    '\r\n\r\n',
  ])
  switch (random.whole(0, 4)) {
    case 0:
      return text.slice(0, at) + text.slice(end)
    case 1:
      return text.slice(0, at) + odd + text.slice(at)
    case 2:
      return text.slice(0, at) + odd + text.slice(end)
    case 3:
      return text.slice(0, end) + text.slice(at)
    default:
      return text.slice(0, at)
  }
}
