/**
 * A model provider for tests: a real HTTP server on a loopback port that serves chat completions and fails on demand.
 * Every known failure of a real provider is one field of `Behaviour` (docs/reference/threats.md "Providers that
 * misbehave").
 *
 *   const provider = await startFakeProvider()
 *   provider.enqueue({ chunks: ['Hel', 'lo'], hang: 'before-usage' })
 *   ... call through the gateway ...
 *   const call = await provider.nextCall()
 *   provider.release()
 *   await provider.close()
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { createBrotliCompress, createDeflate, createGzip, createZstdCompress } from 'node:zlib'
import { listenLocally } from './listen-on-loopback.ts'

/**
 * The provider's response to one request. If no field is set, the provider sends a well-formed answer of three tokens
 * with usage.
 */
export interface Behaviour {
  /** With a status other than 200 and without `body`, the provider sends an error body in its own format. */
  readonly status?: number
  /** The body that is sent instead of an answer: a string unchanged, and any other value as JSON. */
  readonly body?: unknown
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Responds with status 307 and this location. */
  readonly redirect?: string
  /** The pieces of the answer. A number generates this many pieces of one token each. */
  readonly chunks?: readonly string[] | number
  readonly chunkDelayMs?: number
  readonly finishReason?: string
  /** The model name in the answer. Defaults to the requested model. */
  readonly model?: string
  /** The usage that is sent: any JSON, unchanged. `null` sends no usage, although the client requested usage. */
  readonly usage?: unknown
  /**
   * The position of the usage in a stream. `repeated` sends the usage in every chunk and at the end. By default, the
   * usage is in a separate last chunk.
   */
  readonly usageAt?: 'end' | 'middle' | 'repeated'
  /** Sends the usage chunk although the request did not ask for usage. */
  readonly isUsageForced?: boolean
  /** Waits for `release()` at this place: before the head, after the head, in the middle, or before the usage. */
  readonly hang?: 'headers' | 'body' | 'mid' | 'before-usage'
  /** Destroys the connection after this number of content chunks (0: after the head). */
  readonly cutAfterChunks?: number
  /** Resets the connection (RST) instead of answering. */
  readonly isReset?: boolean
  /** Sends this text as a `data:` frame in the middle of a stream, or in place of the whole JSON body. */
  readonly brokenFrame?: string
  /** Writes pieces of this number of bytes, each as a separate HTTP chunk, so that chunks end at any position. */
  readonly splitBytes?: number
  /** Waits between the pieces of `splitBytes`, which then defaults to 1 byte each. */
  readonly dripMs?: number
  /** Ends a stream without `data: [DONE]`. */
  readonly isDoneMissing?: boolean
  /** Sends content without end until the connection closes. */
  readonly isEndless?: boolean
  /** Text before each frame, for example `: PROCESSING\n\n`. */
  readonly framePrefix?: string
  /** Line ending of the frames. Defaults to `\n`. */
  readonly newline?: '\n' | '\r\n' | '\r'
  /** Text before the complete answer, for example a byte order mark. */
  readonly prefix?: string
  /** Sends the answer in this encoding, and flushes each write. */
  readonly encoding?: keyof typeof encoders
}

const encoders = {
  gzip: createGzip,
  deflate: createDeflate,
  br: createBrotliCompress,
  zstd: createZstdCompress,
} as const

export interface FakeCall {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** Null if the body is not JSON. */
  readonly body: ChatBody | null
  /** Resolves when the connection closes before the answer is complete. */
  readonly cut: Promise<void>
  /** Resolves when the complete answer has been sent. */
  readonly done: Promise<void>
}

export interface ChatBody {
  readonly model?: string
  readonly stream?: boolean
  readonly stream_options?: { readonly include_usage?: boolean }
  readonly max_tokens?: number
  readonly max_completion_tokens?: number
  readonly messages?: readonly unknown[]
  readonly [field: string]: unknown
}

export type Script = Behaviour | ((call: FakeCall, index: number) => Behaviour)

export interface FakeProvider {
  readonly baseUrl: string
  readonly port: number
  readonly calls: readonly FakeCall[]
  /** The number of responses whose client disconnected before the response was complete. */
  readonly closedConnections: number
  readonly openConnections: number
  /** The script is not used while responses are queued. */
  enqueue(...behaviours: Behaviour[]): void
  script(script: Script): void
  /** Waits for the next request that `nextCall` has not returned yet. */
  nextCall(): Promise<FakeCall>
  /** Releases every response that waits now. A response that waits later needs another `release`. */
  release(): void
  close(): Promise<void>
}

export async function startFakeProvider(script: Script = {}): Promise<FakeProvider> {
  const calls: FakeCall[] = []
  const queue: Behaviour[] = []
  const waiting: ((call: FakeCall) => void)[] = []
  let handedOut = 0
  let closedConnections = 0
  let openConnections = 0
  let gate = Promise.withResolvers<void>()
  let current = script

  const server = createServer((request, response) => {
    void serve(request, response)
  })
  server.on('connection', (socket) => {
    openConnections++
    socket.setNoDelay(true)
    socket.on('close', () => openConnections--)
  })
  const { close, port } = await listenLocally(server)

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A broken connection also causes an error here, in addition to the `close` event that tests watch.
    request.on('error', () => {})
    response.on('error', () => {})
    const pieces: Buffer[] = []
    try {
      for await (const piece of request) pieces.push(piece)
    } catch {
      closedConnections++
      return
    }
    const cut = Promise.withResolvers<void>()
    const done = Promise.withResolvers<void>()
    response.on('close', () => {
      if (response.writableFinished) return done.resolve()
      closedConnections++
      cut.resolve()
    })
    const text = Buffer.concat(pieces).toString()
    const call: FakeCall = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      text,
      body: parse(text),
      cut: cut.promise,
      done: done.promise,
    }
    const index = calls.push(call) - 1
    const behaviour = queue.shift() ?? (typeof current === 'function' ? current(call, index) : current)
    if (waiting.length > 0) {
      handedOut++
      waiting.shift()?.(call)
    }
    await answer(call, behaviour, response, () => gate.promise)
  }

  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    port,
    calls,
    get closedConnections() {
      return closedConnections
    },
    get openConnections() {
      return openConnections
    },
    enqueue: (...behaviours) => void queue.push(...behaviours),
    script: (next) => void (current = next),
    nextCall() {
      const call = calls[handedOut]
      if (!call) return new Promise((resolve) => waiting.push(resolve))
      handedOut++
      return Promise.resolve(call)
    },
    release() {
      gate.resolve()
      gate = Promise.withResolvers()
    },
    async close() {
      gate.resolve()
      await close()
    },
  }
}

async function answer(
  call: FakeCall,
  behaviour: Behaviour,
  response: ServerResponse,
  released: () => Promise<void>,
): Promise<void> {
  if (behaviour.hang === 'headers') await released()
  if (behaviour.isReset) return void response.socket?.resetAndDestroy()
  const isStream = call.body?.stream === true
  const status = behaviour.redirect === undefined ? (behaviour.status ?? 200) : 307
  const isAnswer = status === 200 && behaviour.body === undefined
  const contentType =
    behaviour.contentType ?? (isStream && isAnswer ? 'text/event-stream' : 'application/json')
  if (response.destroyed) return
  response.writeHead(status, {
    'content-type': contentType,
    ...(behaviour.redirect === undefined ? {} : { location: behaviour.redirect }),
    ...(behaviour.encoding !== undefined && { 'content-encoding': behaviour.encoding }),
    ...behaviour.headers,
  })
  const encoder = behaviour.encoding === undefined ? null : encoders[behaviour.encoding]()
  encoder?.on('data', (bytes: Buffer) => void response.write(bytes))
  encoder?.on('end', () => response.end())
  const end = (): void => void (encoder ?? response).end()
  const plain = writer(response, behaviour)
  const out: Write = encoder
    ? (text) =>
        new Promise((resolve) => {
          encoder.write(text)
          encoder.flush(() => resolve(!response.destroyed))
        })
    : plain
  if (behaviour.prefix !== undefined) await out(behaviour.prefix)
  if (!isAnswer) {
    const body = behaviour.body ?? errorBody(status)
    await out(typeof body === 'string' ? body : JSON.stringify(body))
    return end()
  }
  response.flushHeaders()
  if (behaviour.hang === 'body') await released()
  const isComplete = isStream
    ? await sendStream(call, behaviour, out, released)
    : await sendJson(call, behaviour, out, released)
  if (isComplete) return end()
  // Node combines the writes of one turn of the event loop, so wait for the earlier data to be sent.
  await new Promise(setImmediate)
  if (!response.destroyed) response.socket?.end(() => response.destroy())
}

/** The function returns false once the client has disconnected. */
function writer(response: ServerResponse, { splitBytes, dripMs }: Behaviour) {
  const put = async (bytes: Buffer): Promise<boolean> => {
    if (response.destroyed) return false
    if (response.write(bytes)) return true
    await new Promise<void>((resolve) => {
      const settle = (): void => {
        response.off('drain', settle)
        response.off('close', settle)
        resolve()
      }
      response.on('drain', settle)
      response.on('close', settle)
    })
    return !response.destroyed
  }
  return async (text: string): Promise<boolean> => {
    const bytes = Buffer.from(text)
    if (splitBytes === undefined && dripMs === undefined) return put(bytes)
    const size = splitBytes ?? 1
    for (let start = 0; start < bytes.length; start += size) {
      if (!(await put(bytes.subarray(start, start + size)))) return false
      if (dripMs !== undefined) await delay(dripMs)
    }
    return true
  }
}

type Write = (text: string) => Promise<boolean>

/** If the result is false, the answer is incomplete, and the caller must destroy the connection. */
async function sendStream(
  call: FakeCall,
  behaviour: Behaviour,
  write: Write,
  released: () => Promise<void>,
): Promise<boolean> {
  const pieces = piecesOf(behaviour)
  const isUsageSent =
    behaviour.usage !== null &&
    (behaviour.isUsageForced === true || call.body?.stream_options?.include_usage === true)
  const usage = isUsageSent ? usageOf(call, behaviour, pieces.length) : undefined
  const at = behaviour.usageAt ?? 'end'
  const base = {
    id: 'chatcmpl-fake',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: behaviour.model ?? call.body?.model ?? 'fake',
    system_fingerprint: 'fp_fake',
  }
  const frame = (choices: unknown[], shown: unknown = isUsageSent ? null : undefined): Promise<boolean> =>
    raw(JSON.stringify({ ...base, choices, usage: at === 'repeated' ? usage : shown }))
  const newline = behaviour.newline ?? '\n'
  const raw = (data: string): Promise<boolean> =>
    write(`${behaviour.framePrefix ?? ''}data: ${data}${newline}${newline}`)

  if (!(await frame(choice({ role: 'assistant', content: '', refusal: null })))) return false
  for (let i = 0; behaviour.isEndless === true || i < pieces.length; i++) {
    if (behaviour.cutAfterChunks === i) return false
    const isMiddle = i === Math.floor(pieces.length / 2)
    if (isMiddle && behaviour.hang === 'mid') await released()
    if (isMiddle && behaviour.brokenFrame !== undefined) await raw(behaviour.brokenFrame)
    if (isMiddle && at === 'middle' && isUsageSent) await frame([], usage)
    if (behaviour.chunkDelayMs !== undefined) await delay(behaviour.chunkDelayMs)
    if (!(await frame(choice({ content: pieces[i % pieces.length] ?? ' x' })))) return false
    // An endless stream must let the event loop detect that the client has disconnected.
    if (behaviour.isEndless === true && i % 32 === 31) await new Promise(setImmediate)
  }
  if (behaviour.cutAfterChunks === pieces.length) return false
  await frame(choice({}, behaviour.finishReason ?? 'stop'))
  if (behaviour.hang === 'before-usage') await released()
  if (isUsageSent && at !== 'middle') await frame([], usage)
  if (behaviour.isDoneMissing !== true) await raw('[DONE]')
  return true
}

function choice(delta: unknown, finishReason: string | null = null): unknown[] {
  return [{ index: 0, delta, logprobs: null, finish_reason: finishReason }]
}

async function sendJson(
  call: FakeCall,
  behaviour: Behaviour,
  write: Write,
  released: () => Promise<void>,
): Promise<boolean> {
  const pieces = piecesOf(behaviour)
  const head = JSON.stringify({
    id: 'chatcmpl-fake',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: behaviour.model ?? call.body?.model ?? 'fake',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: pieces.join(''), refusal: null },
        logprobs: null,
        finish_reason: behaviour.finishReason ?? 'stop',
      },
    ],
    system_fingerprint: 'fp_fake',
  }).slice(0, -1)
  const tail =
    behaviour.usage === null ? '}' : `,"usage":${JSON.stringify(usageOf(call, behaviour, pieces.length))}}`
  if (behaviour.brokenFrame !== undefined) return write(behaviour.brokenFrame)
  if (behaviour.chunkDelayMs !== undefined) await delay(behaviour.chunkDelayMs * pieces.length)
  const half = head.length >> 1
  await write(head.slice(0, half))
  if (behaviour.hang === 'mid') await released()
  if (behaviour.cutAfterChunks !== undefined) return false
  await write(head.slice(half))
  if (behaviour.hang === 'before-usage') await released()
  return write(tail)
}

function piecesOf({ chunks = 3 }: Behaviour): readonly string[] {
  return typeof chunks === 'number' ? Array.from({ length: chunks }, (_, i) => ` word${i}`) : chunks
}

function usageOf(_: FakeCall, behaviour: Behaviour, pieces: number): unknown {
  return behaviour.usage === undefined
    ? { prompt_tokens: 10, completion_tokens: pieces, total_tokens: 10 + pieces }
    : behaviour.usage
}

function errorBody(status: number): unknown {
  const type = status === 429 ? 'rate_limit_error' : status < 500 ? 'invalid_request_error' : 'server_error'
  return { error: { message: `fake provider says ${status}`, type, param: null, code: null } }
}

function parse(text: string): ChatBody | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

/**
 * A parsed JSON object is a ChatBody if the few fields of this type are valid. The gateway rejects a request with
 * invalid fields, so this provider never receives one.
 */
function isObject(value: unknown): value is ChatBody {
  return typeof value === 'object' && value !== null
}
