/**
 * Tests that the input file of a batch is in memory, and counts toward the limits on request bodies, only until the
 * batch is created.
 */
import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { collectGarbage } from '../support/collect-garbage.ts'
import {
  answerOf,
  connectAccount,
  makeApplication,
  startServer,
  type Answer,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'
import { listenLocally } from '../support/listen-on-loopback.ts'

const endpoint = '/v1/chat/completions'
const model = 'acme/a-long-model-name'
const messages = [{ role: 'user', content: 'x'.repeat(200_000) }]
const lines = Array.from({ length: 20 }, (_, at) =>
  JSON.stringify({
    custom_id: `a-long-name-of-request-${at}`,
    method: 'POST',
    url: endpoint,
    body: { model, max_completion_tokens: 10, messages },
  }),
).join('\n')

let server: LocalServer
let app: Application
let close: () => Promise<void>
/** `bytes` counts toward the limits on request bodies at the moment when the provider receives `request`. */
const held: (readonly [request: string, bytes: number])[] = []

const provider = createServer((request, response) => {
  request.resume().on('end', () => {
    held.push([`${request.method} ${request.url}`, server.bodyBytesHeld])
    if (request.url?.endsWith('/content') === true) return response.end(lines)
    response.writeHead(200, { 'content-type': 'application/json' })
    const id = request.method === 'GET' ? request.url?.split('/').at(-1) : `id_${held.length}`
    response.end(JSON.stringify({ id, object: 'batch', status: 'in_progress' }))
  })
})

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  const listening = await listenLocally(provider)
  ;({ close } = listening)
  const baseUrl = `http://127.0.0.1:${listening.port}/v1`
  const price = { input: '1000000', cacheWrite: '1000000', output: '1000000' }
  await connectAccount(app, 'openai', { kind: 'openai', baseUrl, apiKey: 'key', price, model: 'gpt-5.4' })
  const sources = [{ provider: 'openai', model: 'gpt-5.4' }]
  await app.api('PUT', `/v1/models/${encodeURIComponent(model)}`, { sources })
})
afterAll(async () => {
  await app.provider.close()
  await close()
  await server.close()
})

/** The returned function creates a batch from the uploaded lines. */
async function uploaded(): Promise<() => Promise<void>> {
  const { key } = await app.newUser({ balanceMicros: 10_000_000_000n })
  const post = async (path: string, sent: string | FormData, headers: object = {}): Promise<Answer> => {
    const authorization = `Bearer ${key}`
    const init = { method: 'POST', body: sent, headers: { authorization, ...headers } }
    return answerOf(await fetch(`${app.gateway}${path}`, init))
  }
  const form = new FormData()
  form.append('purpose', 'batch')
  form.append('file', new Blob([lines]), 'input.jsonl')
  const file = await post('/v1/files', form)
  const job = JSON.stringify({ input_file_id: file.body.id, endpoint, completion_window: '24h' })
  return async () => {
    const { status, text } = await post('/v1/batches', job, { 'content-type': 'application/json' })
    expect(status, text).toBe(200)
  }
}

test('an input file counts toward the limits on request bodies until the provider has received the requests', async () => {
  const create = await uploaded()
  const before = held.length
  await create()
  const requests = held.slice(before).filter(([request]) => !request.startsWith('GET /v1/batches'))
  expect(
    requests.map(([request, bytes]) => [request.replace(/id_\d+/, 'id'), bytes >= lines.length]),
  ).toEqual([
    ['GET /v1/files/id/content', true],
    ['POST /v1/files', true],
    ['POST /v1/batches', true],
  ])
  expect(server.bodyBytesHeld).toBe(0)
})

test('open batches retain no text of their requests', async () => {
  const create = await uploaded()
  // The first batch loads code and data that all batches share.
  await create()
  const before = memory()
  // oxlint-disable-next-line no-await-in-loop -- one after the other
  for (let at = 0; at < 8; at++) await create()
  const grown = memory() - before
  process.stdout.write(`eight open batches of 4 MB: ${(grown / 1e6).toFixed(1)} MB\n`)
  expect(grown).toBeLessThan(8e6)
})

function memory(): number {
  collectGarbage()
  const { external, heapUsed } = process.memoryUsage()
  return heapUsed + external
}
