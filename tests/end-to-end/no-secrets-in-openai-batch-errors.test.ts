import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import OpenAI, { toFile } from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectAccount, makeApplication, startServer } from '../support/start-product.ts'
import type { Application, LocalServer } from '../support/start-product.ts'
import { listenLocally } from '../support/listen-on-loopback.ts'

const apiKey = 'sk-secret-of-the-account-0123456789'
const line = JSON.stringify({
  custom_id: 'one',
  method: 'POST',
  url: '/v1/chat/completions',
  body: { model: 'acme/openai', max_completion_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] },
})
let errors: unknown = null

const provider = createServer((request: IncomingMessage, response: ServerResponse) => {
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const path = request.url ?? ''
    if (path.endsWith('/content')) return void response.end(line)
    if (path.includes('/files')) return void response.end('{"id":"file-1","object":"file"}')
    const status = request.method === 'POST' ? 'validating' : 'failed'
    const job = { object: 'batch', endpoint: '/v1/chat/completions', input_file_id: 'file-1' }
    response.end(JSON.stringify({ id: 'batch_1', ...job, status, errors }))
  })
})

let server: LocalServer
let app: Application
let local: Awaited<ReturnType<typeof listenLocally>>

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  local = await listenLocally(provider)
  const price = { input: '1000000', cacheWrite: '1000000', output: '1000000' }
  const account = { kind: 'openai', baseUrl: `http://127.0.0.1:${local.port}/v1`, apiKey, price }
  await connectAccount(app, 'openai', { ...account, model: 'gpt-5.4' })
})
afterAll(async () => {
  await app.provider.close()
  await local.close()
  await server.close()
})

test('errors in the description of a batch have no secrets of the account and no unknown fields', async () => {
  const { key } = await app.newUser({ balanceMicros: 1_000_000n })
  const client = new OpenAI({ apiKey: key, baseURL: `${app.gateway}/v1`, maxRetries: 0 })
  const file = await toFile(Buffer.from(line), 'input.jsonl')
  const { id: input_file_id } = await client.files.create({ file, purpose: 'batch' })
  const { id } = await client.batches.create({
    input_file_id,
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
  })
  const message = `Organization org-AbCdEf0123456789 with key ${apiKey} cannot use gpt-5.4.`
  errors = {
    object: 'list',
    data: [{ code: 'model_not_found', line: 1, message, param: 'body.model', debug: apiKey }, 'text'],
    debug: apiKey,
  }
  const [shown, listed] = [await client.batches.retrieve(id), (await client.batches.list()).data[0]]
  for (const batch of [shown, listed]) {
    expect(batch?.errors).toEqual({
      object: 'list',
      data: [
        { code: 'model_not_found', line: 1, message: expect.any(String), param: 'body.model' },
        { code: null, line: null, message: 'The provider returned an error.', param: null },
      ],
    })
    const [error] = batch?.errors?.data ?? []
    expect(error?.message).toContain('cannot use acme/openai')
    expect(JSON.stringify(batch)).not.toMatch(/sk-secret|AbCdEf|gpt-5/)
  }
  errors = null
  expect((await client.batches.retrieve(id)).errors).toBeNull()
})
