/**
 * Simulates OpenAI, Anthropic and Google on one loopback port, for accounts of those kinds. The simulator generates the
 * answers, so the simulator's directives also work here. The simulated vendor also checks the path, the key and the API
 * version of each request.
 *
 *   const vendor = await startVendor()
 *   ... connect {kind: 'anthropic', baseUrl: vendor.baseUrls.anthropic, apiKey: vendor.apiKey} ...
 *   vendor.calls.at(-1)?.body
 *   await vendor.close()
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { KeptResponses } from '#simulator/responses-in-memory.ts'
import { script } from '#simulator/steps-of-simulated-provider.ts'
import type { SimulatedCall } from '#simulator/simulated-call-types.ts'
import { isForm } from '#wire/names-of-wires-and-tasks.ts'
import { listenLocally } from './listen-on-loopback.ts'

export type VendorKind = 'openai' | 'anthropic' | 'google'

export interface VendorCall {
  readonly wire: SimulatedCall['wire']
  readonly purpose: SimulatedCall['purpose']
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** Empty if the body is not JSON. */
  readonly body: Readonly<Record<string, unknown>>
  /** 0 until the head is sent. */
  readonly status: number
  readonly answer: string
  /** Resolves when the connection closes before the answer is complete. */
  readonly cut: Promise<void>
}

export interface Vendor {
  readonly apiKey: string
  readonly baseUrls: Readonly<Record<VendorKind, string>>
  /** Excludes requests to unknown paths. */
  readonly calls: readonly VendorCall[]
  /** Requests to paths that no vendor has, written as `POST /path`. */
  readonly strays: readonly string[]
  readonly kept: KeptResponses
  close(): Promise<void>
}

export interface VendorHooks {
  readonly onAsked?: (call: VendorCall) => Promise<void>
  /** Called before the first byte of the answer. */
  readonly onDone?: (call: VendorCall) => Promise<void>
}

export async function startVendor({ onAsked, onDone }: VendorHooks = {}): Promise<Vendor> {
  const calls: VendorCall[] = []
  const strays: string[] = []
  const kept = new KeptResponses()
  const server = createServer((request, response) => {
    // An error in the handler must fail the test, instead of causing a time-out.
    serve(request, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    )
  })
  const { close, port } = await listenLocally(server)
  const origin = `http://127.0.0.1:${port}`

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.on('error', () => {})
    response.on('error', () => {})
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    const url = new URL(request.url ?? '', origin)
    const endpoint =
      storedEndpoint(request.method ?? '', url) ??
      fileEndpoint(request.method ?? '', url, request.headers) ??
      cachedEndpoint(request.method ?? '', url) ??
      conversationEndpoint(request.method ?? '', url) ??
      containerEndpoint(request.method ?? '', url) ??
      batchEndpoint(request.method ?? '', url) ??
      (request.method === 'POST' ? endpointOf(url) : null)
    if (!endpoint) {
      strays.push(`${request.method} ${request.url}`)
      return void response.writeHead(404, { 'content-type': 'application/json' }).end('{}')
    }
    const cut = Promise.withResolvers<void>()
    const left = new AbortController()
    response.on('close', () => {
      left.abort()
      if (!response.writableFinished) cut.resolve()
    })
    const text = Buffer.concat(pieces).toString()
    const body = parsed(text)
    const call = {
      ...endpoint,
      path: request.url ?? '',
      headers: request.headers,
      text,
      body,
      status: 0,
      answer: '',
      cut: cut.promise,
    }
    const callId = `vendor${calls.push(call)}`
    const refusal = refusalOf(endpoint, url, request.headers, body)
    response.setHeader('request-id', `req_${callId}`)
    if (refusal) {
      call.status = refusal.status
      response.writeHead(refusal.status, { 'content-type': 'application/json' })
      return void response.end(JSON.stringify(refusal.body))
    }
    await onAsked?.(call)
    const steps = script(
      {
        ...endpoint,
        body: Buffer.concat(pieces),
        callId,
        createdSeconds: 1_800_000_000,
      },
      kept,
    )
    const decoder = new TextDecoder()
    for (const step of steps) {
      if (left.signal.aborted) return
      switch (step.kind) {
        case 'head':
          await onDone?.(call)
          call.status = step.status
          response.writeHead(step.status, {
            'content-type': step.contentType,
            ...(step.retryAfterSeconds === null ? {} : { 'retry-after': String(step.retryAfterSeconds) }),
            ...(step.upload && { 'x-goog-upload-status': step.upload.isFinal ? 'final' : 'active' }),
            ...(step.upload?.id && {
              'x-goog-upload-url': `${origin}/upload/v1beta/files?upload_id=${step.upload.id}&upload_protocol=resumable`,
            }),
          })
          response.flushHeaders()
          break
        case 'bytes':
          call.answer += decoder.decode(step.bytes, { stream: true })
          if (!response.write(step.bytes)) await drained(response)
          break
        case 'wait':
          await delay(step.ms, undefined, { signal: left.signal }).catch(() => {})
          break
        case 'hang':
          return
        case 'cut':
          // Node combines the writes of one turn of the event loop, so wait for the earlier data to be sent.
          await new Promise(setImmediate)
          return void response.socket?.end(() => response.destroy())
      }
    }
    response.end()
  }

  return {
    apiKey,
    baseUrls: { openai: `${origin}/v1`, anthropic: origin, google: origin },
    calls,
    strays,
    kept,
    close,
  }
}

type Endpoint = Pick<
  SimulatedCall,
  | 'wire'
  | 'purpose'
  | 'model'
  | 'isStream'
  | 'stored'
  | 'file'
  | 'batch'
  | 'cached'
  | 'conversation'
  | 'container'
  | 'version'
>

function storedEndpoint(method: string, { pathname, searchParams }: URL): Endpoint | null {
  const { id, part = '' } = /^\/v1\/responses\/(?<id>resp_\w+)(?<part>\/\w+)?$/.exec(pathname)?.groups ?? {}
  if (id === undefined) return null
  const startingAfter = searchParams.get('starting_after')
  const stored = {
    id,
    part,
    method,
    ...(searchParams.get('stream') === 'true' && { isStream: true }),
    ...(startingAfter !== null && { startingAfter: Number(startingAfter) }),
  } as NonNullable<Endpoint['stored']>
  return { wire: 'responses', purpose: 'answer', model: '', isStream: false, stored }
}

/** OpenAI and Anthropic have the same path for files, and Google has its own path. */
function fileEndpoint(
  method: string,
  { pathname, searchParams }: URL,
  headers: IncomingHttpHeaders,
): Endpoint | null {
  const google = /^(?<upload>\/upload)?\/v1beta\/files(?:\/(?<id>[a-z0-9]+))?$/.exec(pathname)?.groups
  if (google !== undefined) {
    const { id = '', upload } = google
    const command = String(headers['x-goog-upload-command'] ?? '')
    const piece = {
      uploadId: searchParams.get('upload_id'),
      offset: Number(headers['x-goog-upload-offset'] ?? 0),
      isLast: command.includes('finalize'),
    }
    const uploading = { method: 'POST', ...(command !== '' && { piece }) }
    const file = (upload ? uploading : { method, id, part: '' }) as NonNullable<Endpoint['file']>
    return { wire: 'generate', purpose: 'answer', model: '', isStream: false, file }
  }
  const match = /^\/v1\/files(?:\/(?<id>file[-_]\w+)(?<part>\/content)?)?$/.exec(pathname)
  if (match === null) return null
  const { id, part = '' } = match.groups ?? {}
  const file = (id === undefined ? { method } : { method, id, part }) as NonNullable<Endpoint['file']>
  const wire = headers['anthropic-version'] === undefined ? 'responses' : 'messages'
  return { wire, purpose: 'answer', model: '', isStream: false, file }
}

function cachedEndpoint(method: string, { pathname }: URL): Endpoint | null {
  const name = /^\/v1beta\/(?<name>cachedContents(?:\/[a-z0-9]+)?)$/.exec(pathname)?.groups?.['name']
  if (name === undefined) return null
  const cached = (method === 'POST' ? { method } : { method, name }) as NonNullable<Endpoint['cached']>
  return { wire: 'generate', purpose: 'answer', model: '', isStream: false, cached }
}

function conversationEndpoint(method: string, { pathname }: URL): Endpoint | null {
  const match = /^\/v1\/conversations(?:\/(?<id>conv_\w+)(?<part>\/items(?:\/\w+)?)?)?$/.exec(pathname)
  if (match === null) return null
  const { id, part = '' } = match.groups ?? {}
  const conversation = { method, part, ...(id !== undefined && { id }) } as NonNullable<
    Endpoint['conversation']
  >
  return { wire: 'responses', purpose: 'answer', model: '', isStream: false, conversation }
}

function containerEndpoint(method: string, { pathname }: URL): Endpoint | null {
  const { id, part = '' } =
    /^\/v1\/containers\/(?<id>cntr_\w+)(?<part>\/files.*)?$/.exec(pathname)?.groups ?? {}
  if (id === undefined) return null
  const container = { method, id, part } as NonNullable<Endpoint['container']>
  return { wire: 'responses', purpose: 'answer', model: '', isStream: false, container }
}

function batchEndpoint(method: string, { pathname }: URL): Endpoint | null {
  const match = /^\/v1(?<messages>\/messages)?\/batches(?:\/(?<id>\w*batch_\w+)(?<part>\/\w+)?)?$/.exec(
    pathname,
  )
  if (match === null) return null
  const { id, messages, part = '' } = match.groups ?? {}
  const batch = (id === undefined ? { method } : { method, id, part }) as NonNullable<Endpoint['batch']>
  return { wire: messages ? 'messages' : 'chat', purpose: 'answer', model: '', isStream: false, batch }
}

function endpointOf({ pathname }: URL): Endpoint | null {
  const known = Object.hasOwn(endpoints, pathname) ? endpoints[pathname] : undefined
  // The body of the request, which is read later, contains the model and `stream`.
  if (known) return { ...known, model: '', isStream: false }
  const { model = '', method } =
    /^\/v1(?:alpha|beta)?\/models\/(?<model>[^/:]+):(?<method>\w+)$/.exec(pathname)?.groups ?? {}
  const isStream = method === 'streamGenerateContent'
  const purpose = method === 'countTokens' ? 'count' : 'answer'
  const wire = method === undefined ? undefined : embeddingMethods[method]
  if (wire !== undefined) return { wire, purpose, model: decodeURIComponent(model), isStream }
  if (!isStream && purpose === 'answer' && method !== 'generateContent') return null
  return { wire: 'generate', purpose, model: decodeURIComponent(model), isStream }
}

const embeddingMethods: Readonly<Record<string, Endpoint['wire']>> = {
  embedContent: 'embed_content',
  batchEmbedContents: 'batch_embed_contents',
}

const endpoints: Readonly<Record<string, Pick<Endpoint, 'wire' | 'purpose' | 'version'>>> = {
  '/v1/chat/completions': { wire: 'chat', purpose: 'answer' },
  '/v2/chat': { wire: 'cohere', purpose: 'answer' },
  '/v1/embeddings': { wire: 'embeddings', purpose: 'answer' },
  '/v1/moderations': { wire: 'moderations', purpose: 'answer' },
  '/v1/completions': { wire: 'completions', purpose: 'answer' },
  '/v1/images/generations': { wire: 'images', purpose: 'answer' },
  '/v1/images/edits': { wire: 'image_edits', purpose: 'answer' },
  '/v1/audio/speech': { wire: 'speech', purpose: 'answer' },
  '/v1/audio/transcriptions': { wire: 'transcriptions', purpose: 'answer' },
  '/v1/audio/translations': { wire: 'translations', purpose: 'answer' },
  '/v1/embed': { wire: 'cohere_embed', purpose: 'answer' },
  '/v2/embed': { wire: 'cohere_embed', purpose: 'answer', version: 'v2' },
  '/v1/rerank': { wire: 'rerank', purpose: 'answer' },
  '/v2/rerank': { wire: 'rerank', purpose: 'answer' },
  '/v1/responses': { wire: 'responses', purpose: 'answer' },
  '/v1/responses/compact': { wire: 'compact', purpose: 'answer' },
  '/v1/responses/input_tokens': { wire: 'responses', purpose: 'count' },
  '/v1/messages': { wire: 'messages', purpose: 'answer' },
  '/v1/messages/count_tokens': { wire: 'messages', purpose: 'count' },
}

const apiKey = 'vendor-key-0123456789'

const keyHeaders = {
  chat: ['authorization', `Bearer ${apiKey}`],
  responses: ['authorization', `Bearer ${apiKey}`],
  messages: ['x-api-key', apiKey],
  generate: ['x-goog-api-key', apiKey],
  converse: ['authorization', `Bearer ${apiKey}`],
  cohere: ['authorization', `Bearer ${apiKey}`],
  embeddings: ['authorization', `Bearer ${apiKey}`],
  moderations: ['authorization', `Bearer ${apiKey}`],
  completions: ['authorization', `Bearer ${apiKey}`],
  image_edits: ['authorization', `Bearer ${apiKey}`],
  images: ['authorization', `Bearer ${apiKey}`],
  speech: ['authorization', `Bearer ${apiKey}`],
  compact: ['authorization', `Bearer ${apiKey}`],
  transcriptions: ['authorization', `Bearer ${apiKey}`],
  translations: ['authorization', `Bearer ${apiKey}`],
  rerank: ['authorization', `Bearer ${apiKey}`],
  embed_content: ['x-goog-api-key', apiKey],
  batch_embed_contents: ['x-goog-api-key', apiKey],
  invoke_embeddings: ['authorization', `Bearer ${apiKey}`],
  cohere_embed: ['authorization', `Bearer ${apiKey}`],
} as const

const versions = ['2023-06-01', '2026-10-21']

/**
 * Returns the fault in the head of a request, and the fields that its API version does not support
 * (docs/reference/wires.md "Two API versions of the messages wire").
 */
function refusalOf(
  { file, wire, isStream }: Endpoint,
  { searchParams }: URL,
  headers: IncomingHttpHeaders,
  body: VendorCall['body'],
): { status: number; body: object } | null {
  const [name, value] = keyHeaders[wire]
  const extra = Object.values(keyHeaders).some(([other]) => other !== name && headers[other] !== undefined)
  if (headers[name] !== value || extra || searchParams.has('key')) {
    return { status: 401, body: errorOf(wire, 401, 'the key is not where it belongs, or not ours') }
  }
  const piece = file?.method === 'POST' ? file.piece : undefined
  const isGoogleUpload = file?.method === 'POST' && wire === 'generate' && piece === undefined
  const protocol = piece === undefined ? 'multipart' : piece.uploadId === null ? 'resumable' : undefined
  if (wire === 'generate' && file?.method === 'POST' && headers['x-goog-upload-protocol'] !== protocol)
    return { status: 400, body: errorOf(wire, 400, 'the protocol of the upload is missing') }
  const type = isGoogleUpload
    ? /^multipart\/related; boundary=\w+$/
    : (file?.method === 'POST' && piece === undefined) || isForm(wire)
      ? /^multipart\/form-data; boundary=[\w-]+$/
      : typeof piece?.uploadId === 'string'
        ? /^application\/octet-stream$/
        : /^application\/json$/
  if (!type.test(headers['content-type'] ?? '')) {
    return { status: 415, body: errorOf(wire, 415, 'the body has the wrong content type') }
  }
  if (wire === 'generate' && isStream && searchParams.get('alt') !== 'sse') {
    return { status: 400, body: errorOf(wire, 400, 'this vendor streams events only: alt=sse') }
  }
  if (wire !== 'messages') return null
  const version = String(headers['anthropic-version'])
  if (!versions.includes(version)) {
    return { status: 400, body: errorOf(wire, 400, 'anthropic-version: header is required') }
  }
  const gone = ['temperature', 'top_p', 'top_k'].find((field) => field in body)
  if (version === '2026-10-21' && gone !== undefined) {
    return { status: 400, body: errorOf(wire, 400, `${gone}: Extra inputs are not permitted`) }
  }
  return null
}

function errorOf(wire: Endpoint['wire'], status: number, message: string): object {
  switch (wire) {
    case 'messages':
      return {
        type: 'error',
        error: { type: status === 401 ? 'authentication_error' : 'invalid_request_error', message },
      }
    case 'generate':
    case 'embed_content':
    case 'batch_embed_contents':
      return {
        error: { code: status, message, status: status === 401 ? 'UNAUTHENTICATED' : 'INVALID_ARGUMENT' },
      }
    default:
      return { error: { message, type: 'invalid_request_error', param: null, code: null } }
  }
}

async function drained(response: ServerResponse): Promise<void> {
  if (response.destroyed) return
  await new Promise<void>((resolve) => {
    const settle = (): void => {
      response.off('drain', settle)
      response.off('close', settle)
      resolve()
    }
    response.on('drain', settle)
    response.on('close', settle)
  })
}

function parsed(text: string): VendorCall['body'] {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
