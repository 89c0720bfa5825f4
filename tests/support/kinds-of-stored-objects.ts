/**
 * Lists every kind of object that a provider stores for an end user, with an example, and every request that can
 * contain its ID. Tests use this table to check that no other end user can use an object.
 */
import assert from 'node:assert/strict'
import { connectAccount, type Application } from './start-product.ts'
import type { Vendor } from './simulated-vendor.ts'

export interface ObjectUse {
  readonly method: string
  readonly path: string
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

/** Each kind has its own IDs. */
export const objectKinds = [
  'file',
  'anthropicFile',
  'createdFile',
  'googleFile',
  'upload',
  'cachedContent',
  'response',
  'backgroundResponse',
  'conversation',
  'container',
  'openaiContainer',
  'batch',
  'openaiBatch',
] as const

export type ObjectKind = (typeof objectKinds)[number]
export type ObjectIds = Readonly<Record<ObjectKind, string>>

const model = 'acme/openai'
const claude = 'acme/claude'
const anthropic = { 'anthropic-version': '2023-06-01' }
const code = { type: 'code_execution_20260120', name: 'code_execution' }

const asking = (body: object): ObjectUse => ({
  method: 'POST',
  path: '/v1/responses',
  body: { model, input: 'Hi', max_output_tokens: 9, ...body },
})
const message = (body: object): ObjectUse => ({
  method: 'POST',
  path: '/v1/messages',
  body: { model: claude, max_tokens: 9, messages: [{ role: 'user', content: '[[run=1]]' }], ...body },
  headers: anthropic,
})
const generate = (body: object): ObjectUse => ({
  method: 'POST',
  path: '/v1beta/models/acme/google:generateContent',
  body: { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], ...body },
})
const input = (content: object): object => ({ input: [{ role: 'user', content: [content] }] })
const document = (file_id: string): object => ({
  messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id } }] }],
})
const interpreter = (container: unknown): object => ({ tools: [{ type: 'code_interpreter', container }] })
const simple =
  (method: string, path: (id: string) => string, headers?: ObjectUse['headers']) =>
  (id: string): ObjectUse => ({ method, path: path(id), ...(headers && { headers }) })

export const objectUses: Readonly<Record<ObjectKind, Readonly<Record<string, (id: string) => ObjectUse>>>> = {
  file: {
    show: simple('GET', (id) => `/v1/files/${id}`),
    read: simple('GET', (id) => `/v1/files/${id}/content`),
    delete: simple('DELETE', (id) => `/v1/files/${id}`),
    list: simple('GET', (id) => `/v1/files?after=${id}`),
    ask: (file_id) => asking(input({ type: 'input_file', file_id })),
    see: (file_id) => asking(input({ type: 'input_image', file_id })),
    run: (id) => asking(interpreter({ type: 'auto', file_ids: [id] })),
    chat: (file_id) => ({
      method: 'POST',
      path: '/v1/chat/completions',
      body: { model, messages: [{ role: 'user', content: [{ type: 'file', file: { file_id } }] }] },
    }),
    count: (file_id) => ({
      ...asking(input({ type: 'input_file', file_id })),
      path: '/v1/responses/input_tokens',
    }),
    batch: (input_file_id) => ({
      method: 'POST',
      path: '/v1/batches',
      body: { input_file_id, endpoint: '/v1/responses', completion_window: '24h' },
    }),
  },
  anthropicFile: {
    show: simple('GET', (id) => `/v1/files/${id}`, anthropic),
    read: simple('GET', (id) => `/v1/files/${id}/content`, anthropic),
    delete: simple('DELETE', (id) => `/v1/files/${id}`, anthropic),
    ask: (id) => message(document(id)),
    count: (id) => ({ ...message(document(id)), path: '/v1/messages/count_tokens' }),
    run: (file_id) =>
      message({
        messages: [{ role: 'user', content: [{ type: 'container_upload', file_id }] }],
        tools: [code],
      }),
  },
  createdFile: {
    show: simple('GET', (id) => `/v1/files/${id}`, anthropic),
    read: simple('GET', (id) => `/v1/files/${id}/content`, anthropic),
    delete: simple('DELETE', (id) => `/v1/files/${id}`, anthropic),
    ask: (id) => message(document(id)),
  },
  googleFile: {
    show: simple('GET', (id) => `/v1beta/files/${id}`),
    delete: simple('DELETE', (id) => `/v1beta/files/${id}`),
    ask: (id) =>
      generate({ contents: [{ role: 'user', parts: [{ fileData: { fileUri: `files/${id}` } }] }] }),
    count: (id) => ({
      ...generate({ contents: [{ role: 'user', parts: [{ fileData: { fileUri: `files/${id}` } }] }] }),
      path: '/v1beta/models/acme/google:countTokens',
    }),
  },
  upload: {
    finish: (id) => ({
      method: 'POST',
      path: `/upload/v1beta/files?upload_id=${id}&upload_protocol=resumable`,
      headers: { 'x-goog-upload-command': 'upload, finalize', 'x-goog-upload-offset': '0' },
      body: {},
    }),
  },
  cachedContent: {
    show: simple('GET', (id) => `/v1beta/cachedContents/${id}`),
    delete: simple('DELETE', (id) => `/v1beta/cachedContents/${id}`),
    extend: (id) => ({ method: 'PATCH', path: `/v1beta/cachedContents/${id}`, body: { ttl: '600s' } }),
    ask: (id) => generate({ cachedContent: `cachedContents/${id}` }),
  },
  response: {
    show: simple('GET', (id) => `/v1/responses/${id}`),
    input: simple('GET', (id) => `/v1/responses/${id}/input_items`),
    cancel: simple('POST', (id) => `/v1/responses/${id}/cancel`),
    delete: simple('DELETE', (id) => `/v1/responses/${id}`),
    continue: (id) => asking({ previous_response_id: id }),
  },
  backgroundResponse: {
    show: simple('GET', (id) => `/v1/responses/${id}`),
    stream: simple('GET', (id) => `/v1/responses/${id}?stream=true`),
    cancel: simple('POST', (id) => `/v1/responses/${id}/cancel`),
    delete: simple('DELETE', (id) => `/v1/responses/${id}`),
    continue: (id) => asking({ previous_response_id: id }),
  },
  conversation: {
    show: simple('GET', (id) => `/v1/conversations/${id}`),
    change: (id) => ({ method: 'POST', path: `/v1/conversations/${id}`, body: { metadata: { a: 'b' } } }),
    delete: simple('DELETE', (id) => `/v1/conversations/${id}`),
    items: simple('GET', (id) => `/v1/conversations/${id}/items`),
    add: (id) => ({
      method: 'POST',
      path: `/v1/conversations/${id}/items`,
      body: { items: [{ type: 'message', role: 'user', content: 'Hi' }] },
    }),
    item: simple('GET', (id) => `/v1/conversations/${id}/items/item_0`),
    drop: simple('DELETE', (id) => `/v1/conversations/${id}/items/item_0`),
    continue: (id) => asking({ conversation: id }),
  },
  container: {
    continue: (container) => message({ container, tools: [code] }),
  },
  openaiContainer: {
    show: simple('GET', (id) => `/v1/containers/${id}`),
    delete: simple('DELETE', (id) => `/v1/containers/${id}`),
    files: simple('GET', (id) => `/v1/containers/${id}/files`),
    file: simple('GET', (id) => `/v1/containers/${id}/files/cfile_1`),
    read: simple('GET', (id) => `/v1/containers/${id}/files/cfile_1/content`),
    continue: (id) => asking(interpreter(id)),
  },
  batch: {
    show: simple('GET', (id) => `/v1/messages/batches/${id}`, anthropic),
    results: simple('GET', (id) => `/v1/messages/batches/${id}/results`, anthropic),
    cancel: simple('POST', (id) => `/v1/messages/batches/${id}/cancel`, anthropic),
    delete: simple('DELETE', (id) => `/v1/messages/batches/${id}`, anthropic),
  },
  openaiBatch: {
    show: simple('GET', (id) => `/v1/batches/${id}`),
    cancel: simple('POST', (id) => `/v1/batches/${id}/cancel`),
  },
}

export async function connectStoringAccounts(application: Application, vendor: Vendor): Promise<void> {
  const price = { input: '1000000', cacheWrite: '1000000', output: '1000000' }
  const { apiKey, baseUrls } = vendor
  const openai = { kind: 'openai', baseUrl: baseUrls.openai, model: 'gpt-5.4' }
  await connectAccount(application, 'openai', { ...openai, apiKey, price: { ...price, codeSession: '1' } })
  const claudePrice = { ...price, cacheWriteLong: '1000000', codeSession: '1' }
  const messages = { kind: 'anthropic', baseUrl: baseUrls.anthropic, model: 'claude-sonnet-5' }
  await connectAccount(application, 'claude', { ...messages, apiKey, price: claudePrice })
  const gemini = { kind: 'google', baseUrl: baseUrls.google, model: 'gemini-3-pro' }
  const googlePrice = { ...price, cacheRead: '1000000', cacheStorage: '1000000' }
  await connectAccount(application, 'google', { ...gemini, apiKey, price: googlePrice })
  // The account `maker` uses the fake provider, because the simulated vendor runs no code that creates files.
  const maker = { kind: 'anthropic', baseUrl: application.provider.baseUrl.replace('/v1', ''), model: 'm-1' }
  await connectAccount(application, 'maker', { ...maker, apiKey: 'maker', price: claudePrice })
}

export async function createObjects(application: Application, key: string): Promise<ObjectIds> {
  const { gateway, provider } = application
  const send = async (method: string, path: string, body: object | string, headers: object = {}) => {
    const isForm = body instanceof FormData
    const response = await fetch(gateway + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(!isForm && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: isForm || typeof body === 'string' ? body : JSON.stringify(body),
    })
    const text = await response.text()
    assert.equal(response.status, 200, text)
    return { json: JSON.parse(text), headers: response.headers }
  }
  const use = async ({ body = {}, headers, method, path }: ObjectUse) =>
    (await send(method, path, body, headers)).json
  const form = (content: string, purpose: string | null, name = 'openai'): FormData => {
    const fields = new FormData()
    if (purpose !== null) fields.set('purpose', purpose)
    fields.set('model', `acme/${name}`)
    fields.set('file', new File([content], 'a.txt', { type: 'text/plain' }))
    return fields
  }
  const file = (await send('POST', '/v1/files', form('Hello', 'user_data'))).json
  const anthropicFile = (await send('POST', '/v1/files', form('Hello', null, 'claude'), anthropic)).json
  const started = async (): Promise<string> => {
    const start = { 'x-goog-upload-protocol': 'resumable' }
    const described = { file: { mimeType: 'text/plain' } }
    const { headers } = await send('POST', '/upload/v1beta/files', described, start)
    return headers.get('x-goog-upload-url') ?? ''
  }
  const { pathname, search } = new URL(await started())
  const finalize = { 'x-goog-upload-command': 'upload, finalize' }
  const googleFile = (await send('POST', pathname + search, 'Hello', finalize)).json
  const upload = new URL(await started()).searchParams.get('upload_id') ?? ''
  const words = 'The handbook describes every step of a release in detail. '.repeat(100)
  const cached = await use({
    method: 'POST',
    path: '/v1beta/cachedContents',
    body: {
      model: 'models/acme/google',
      contents: [{ role: 'user', parts: [{ text: words }] }],
      ttl: '3600s',
    },
  })
  const response = await use(asking({}))
  const backgroundResponse = await use(asking({ background: true }))
  const inOpenai = { 'x-svc-model': model }
  const conversation = (await send('POST', '/v1/conversations', {}, inOpenai)).json
  const ran = await use(message({ tools: [code] }))
  const interpreted = await use(asking({ ...interpreter({ type: 'auto' }), input: '[[run=1]]' }))
  const params = { model: claude, max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] }
  const batch = await use({
    method: 'POST',
    path: '/v1/messages/batches',
    body: { requests: [{ custom_id: 'a', params }] },
    headers: anthropic,
  })
  const line = { custom_id: 'a', method: 'POST', url: '/v1/responses', body: { model, input: 'Hi' } }
  const lines = (await send('POST', '/v1/files', form(`${JSON.stringify(line)}\n`, 'batch'))).json
  const openaiBatch = await use({
    method: 'POST',
    path: '/v1/batches',
    body: { input_file_id: lines.id, endpoint: '/v1/responses', completion_window: '24h' },
  })
  const result = { type: 'bash_code_execution_result', stdout: '', content: [{ file_id: 'file_created' }] }
  const made = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm-1',
    content: [{ type: 'bash_code_execution_tool_result', tool_use_id: 'srvtoolu_1', content: result }],
    container: { id: 'container_maker', expires_at: '2026-12-01T00:00:00Z' },
    stop_reason: 'end_turn',
    usage: { input_tokens: 9, output_tokens: 5 },
  }
  provider.script(({ path }) => (path === '/v1/messages' ? { status: 200, body: made } : {}))
  const maker = await use(message({ model: 'acme/maker', tools: [code] }))
  return {
    file: file.id,
    anthropicFile: anthropicFile.id,
    createdFile: maker.content[0].content.content[0].file_id,
    googleFile: googleFile.file.name.replace('files/', ''),
    upload,
    cachedContent: cached.name.replace('cachedContents/', ''),
    response: response.id,
    backgroundResponse: backgroundResponse.id,
    conversation: conversation.id,
    container: ran.container.id,
    openaiContainer: interpreted.output.find(({ type }: { type: string }) => type === 'code_interpreter_call')
      .container_id,
    batch: batch.id,
    openaiBatch: openaiBatch.id,
  }
}
