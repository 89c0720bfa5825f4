/**
 * Tests the kinds of account whose wire is chat: their address, their key header, and the charge of responses. A
 * loopback server simulates the providers, with their own formats of usage reports (docs/reference/wires.md "Usage on
 * the chat wire").
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  answerOf,
  connectAccount,
  control,
  makeApplication,
  settledBalance,
  startServer,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'

interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  // oxlint-disable-next-line typescript/no-explicit-any -- a test looks at what is there
  readonly body: any
}

interface Case {
  readonly kind: string
  readonly base: string
  readonly path: string
  readonly key: readonly [header: string, value: string]
  readonly usage: object
  /** Tokens of input, cached input, and output. */
  readonly tokens: readonly [number, number, number]
}

const apiKey = 'key-of-the-account-0123'
const bearer = ['authorization', `Bearer ${apiKey}`] as const
const rates = { input: 1_000_000n, cacheRead: 500_000n, output: 3_000_000n }

const cases: readonly Case[] = [
  {
    kind: 'azure_openai',
    base: '',
    path: '/openai/v1/chat/completions',
    key: ['api-key', apiKey],
    // On Azure, Grok's prompt count excludes cached tokens.
    usage: {
      prompt_tokens: 10,
      completion_tokens: 7,
      total_tokens: 178,
      prompt_tokens_details: { cached_tokens: 161 },
    },
    tokens: [10, 161, 7],
  },
  {
    kind: 'mistral',
    base: '/v1',
    path: '/v1/chat/completions',
    key: bearer,
    usage: { prompt_tokens: 13, completion_tokens: 9, total_tokens: 22 },
    tokens: [13, 0, 9],
  },
  {
    kind: 'groq',
    base: '/openai/v1',
    path: '/openai/v1/chat/completions',
    key: bearer,
    usage: {
      queue_time: 0.01,
      prompt_tokens: 20,
      prompt_time: 0.001,
      completion_tokens: 30,
      completion_time: 0.1,
      total_tokens: 50,
      total_time: 0.101,
      completion_tokens_details: { reasoning_tokens: 21 },
    },
    tokens: [20, 0, 30],
  },
  {
    kind: 'xai',
    base: '/v1',
    path: '/v1/chat/completions',
    key: bearer,
    // On Azure, Grok's completion count excludes reasoning.
    usage: {
      prompt_tokens: 32,
      completion_tokens: 9,
      total_tokens: 135,
      prompt_tokens_details: { text_tokens: 32, audio_tokens: 0, image_tokens: 0, cached_tokens: 6 },
      completion_tokens_details: { reasoning_tokens: 94, audio_tokens: 0 },
      num_sources_used: 0,
    },
    tokens: [26, 6, 103],
  },
  {
    kind: 'openrouter',
    base: '/api/v1',
    path: '/api/v1/chat/completions',
    key: bearer,
    usage: {
      prompt_tokens: 18,
      completion_tokens: 40,
      total_tokens: 58,
      cost: 0.0001,
      prompt_tokens_details: { cached_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 12 },
    },
    tokens: [18, 0, 40],
  },
  {
    kind: 'cohere',
    base: '/compatibility/v1',
    path: '/compatibility/v1/chat/completions',
    key: bearer,
    usage: { prompt_tokens: 5, completion_tokens: 6, total_tokens: 11 },
    tokens: [5, 0, 6],
  },
  {
    kind: 'ollama',
    base: '',
    path: '/v1/chat/completions',
    key: bearer,
    usage: { prompt_tokens: 26, completion_tokens: 4, total_tokens: 30 },
    tokens: [26, 0, 4],
  },
]

let server: LocalServer
let app: Application
let vendor: Server
let address: string
const received: Received[] = []
let usage: object = {}

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  vendor = createServer((request, response) => {
    void (async () => {
      let text = ''
      for await (const piece of request) text += String(piece)
      const body = JSON.parse(text)
      received.push({ path: request.url ?? '', headers: request.headers, body })
      const model = body.model
      const unknown = ['stream_options', 'max_completion_tokens', 'seed', 'user'].find((name) => name in body)
      if (model === 'mistral-1' && unknown !== undefined) {
        const detail = [
          { type: 'extra_forbidden', loc: ['body', unknown], msg: 'Extra inputs are not permitted' },
        ]
        response.writeHead(422, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ object: 'error', message: { detail }, type: 'invalid_request_error' }))
        return
      }
      if (request.url?.endsWith('/embeddings') === true) {
        const data = [{ object: 'embedding', index: 0, embedding: [0.25, -0.5] }]
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ object: 'list', data, model, usage }))
        return
      }
      const known = { id: 'c1', created: 1, model }
      const choice = { index: 0, finish_reason: 'stop' }
      if (body.stream !== true) {
        const message = { role: 'assistant', content: 'Hi' }
        response.writeHead(200, { 'content-type': 'application/json' })
        const choices = [{ ...choice, message }]
        response.end(JSON.stringify({ ...known, object: 'chat.completion', choices, usage }))
        return
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      const chunk = (fields: object): void => {
        response.write(
          `data: ${JSON.stringify({ ...known, object: 'chat.completion.chunk', ...fields })}\n\n`,
        )
      }
      chunk({ choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: null }] })
      // Mistral and Groq send the usage in the same chunk as the finish reason.
      chunk({ choices: [{ ...choice, delta: {} }], usage })
      response.end('data: [DONE]\n\n')
    })()
  })
  vendor.listen(0, '127.0.0.1')
  await once(vendor, 'listening')
  const { port } = vendor.address() as AddressInfo
  address = `http://127.0.0.1:${port}`
  for (const { base, kind } of cases) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await connectAccount(app, kind, {
      kind,
      baseUrl: address + base,
      apiKey,
      model: `${kind}-1`,
      price: { ...texts(rates), cacheWrite: '1000000' },
    })
  }
})
afterAll(async () => {
  vendor.close()
  vendor.closeAllConnections()
  await app.provider.close()
  await server.close()
})
beforeEach(() => {
  received.length = 0
})

function texts(of: Readonly<Record<string, bigint>>): Record<string, string> {
  return Object.fromEntries(Object.entries(of).map(([name, rate]) => [name, String(rate)]))
}

describe.each(cases)('an account of $kind', ({ key, kind, path, tokens, usage: told }) => {
  test.each([false, true])(
    'an account of this kind is called at its path with its key, and its reported usage is charged (stream: %s)',
    async (stream) => {
      usage = told
      const credit = 1_000_000_000n
      const user = await app.newUser({ balanceMicros: credit })
      const answer = await app.call(user, {
        model: `acme/${kind}`,
        stream,
        max_completion_tokens: 400,
        seed: 7,
        ...(stream && { stream_options: { include_usage: true } }),
      })
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining('"Hi"')])
      expect(received).toHaveLength(1)
      const [call] = received
      expect([call?.path, call?.headers[key[0]]]).toEqual([path, key[1]])
      const [input, cached, output] = tokens
      const cost = (BigInt(input) * 2n + BigInt(cached) + BigInt(output) * 6n + 1n) / 2n
      expect(credit - (await settledBalance(user))).toBe(cost)
      if (kind === 'mistral') expect(call?.body).toMatchObject({ max_tokens: 400, random_seed: 7 })
      else expect(call?.body).toMatchObject({ max_completion_tokens: 400, seed: 7 })
    },
  )

  test('an account of this kind serves embeddings at its path, or rejects them before anything is sent', async () => {
    usage = { prompt_tokens: 4, total_tokens: 4 }
    const credit = 1_000_000_000n
    const user = await app.newUser({ balanceMicros: credit })
    const response = await fetch(`${app.gateway}/v1/embeddings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: `acme/${kind}`, input: 'Hello' }),
    })
    const { body, status } = await answerOf(response)
    if (kind === 'groq' || kind === 'xai') {
      expect([status, received]).toEqual([400, []])
      expect(body.error.code).toBe('unsupported_for_route')
      return
    }
    expect([status, body.data]).toMatchObject([200, [{ embedding: [0.25, -0.5] }]])
    const [call] = received
    expect(call?.path).toBe(path.replace('/chat/completions', '/embeddings'))
    expect([call?.headers[key[0]], call?.body.model]).toEqual([key[1], `${kind}-1`])
    expect(credit - (await settledBalance(user))).toBe(4n)
  })

  test('an account of this kind serves clients of another wire', async () => {
    usage = told
    const user = await app.newUser({ balanceMicros: 1_000_000_000n })
    const response = await fetch(`${app.gateway}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': user.key, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: `acme/${kind}`,
        max_tokens: 300,
        stream: true,
        metadata: { user_id: 'person' },
        messages: [{ role: 'user', content: 'Hello' }],
      }),
    })
    const text = await response.text()
    expect([response.status, text]).toEqual([200, expect.stringContaining('message_stop')])
    expect(received[0]?.body).toMatchObject(
      kind === 'azure_openai' ? { max_completion_tokens: 300 } : { max_tokens: 300 },
    )
  })

  test('an account of this kind is probed with a small request', async () => {
    usage = told
    const { body, status } = await control(
      server,
      'POST',
      `/v1/providers/${kind}/probe`,
      { model: `${kind}-1` },
      { 'x-svc-app': app.slug },
    )
    expect([status, body.ok ?? body.status, received[0]?.path]).toEqual([200, body.ok ?? body.status, path])
    expect(JSON.stringify(body)).not.toContain('"error":{')
  })
})

test('an Azure account with a dated API version is called at the path of its deployment, and charged', async () => {
  const { kind, tokens, usage: told } = cases[0] ?? assert.fail()
  usage = told
  await connectAccount(app, 'azure-dated', {
    kind,
    baseUrl: `${address}/openai?api-version=2024-10-21`,
    apiKey,
    model: 'my-deployment',
    price: { ...texts(rates), cacheWrite: '1000000' },
  })
  const credit = 1_000_000_000n
  const user = await app.newUser({ balanceMicros: credit })
  const answer = await app.call(user, { model: 'acme/azure-dated' })
  const path = '/openai/deployments/my-deployment/chat/completions?api-version=2024-10-21'
  expect([answer.status, received[0]?.path]).toEqual([200, path])
  const [input, cached, output] = tokens.map(BigInt)
  expect(credit - (await settledBalance(user))).toBe(
    ((input ?? 0n) * 2n + (cached ?? 0n) + (output ?? 0n) * 6n + 1n) / 2n,
  )
})

test.each([
  ['azure_openai', '/openai?api-version=2024-10-21&x=1', 'its query may only contain api-version, once'],
  ['azure_openai', '/openai?api-version=1&api-version=2', 'its query may only contain api-version, once'],
  ['azure_openai', '/openai?key=secret', 'its query may only contain api-version, once'],
  ['azure_openai', '/openai?', 'its query may only contain api-version, once'],
  ['azure_openai', '/openai?api-version=1#', 'it has a query or a fragment'],
  ['openai_compatible', '/v1?api-version=1', 'it has a query or a fragment'],
])('a base URL of %s that ends in %s is rejected', async (kind, path, reason) => {
  const refused = await control(server, 'PUT', '/v1/providers/new', { kind, apiKey, baseUrl: address + path })
  expect([refused.status, refused.body.error.param]).toEqual([400, 'baseUrl'])
  expect(refused.body.error.message).toContain(reason)
})

test('Groq’s default service tier has the listed price', async () => {
  const user = await app.newUser({ balanceMicros: 1_000_000_000n })
  const { status } = await app.call(user, { model: 'acme/groq', service_tier: 'on_demand' })
  expect([status, received[0]?.body.service_tier]).toEqual([200, 'on_demand'])
})

test.each([
  ['azure_openai', { apiKey }, 'baseUrl'],
  ['azure_openai', { baseUrl: 'https://acme.openai.azure.com' }, 'apiKey'],
  ['ollama', {}, 'baseUrl'],
  ['groq', {}, 'apiKey'],
])('a new account of %s with %j requires %s', async (kind, fields, param) => {
  const refused = await control(server, 'PUT', '/v1/providers/new', { kind, ...fields })
  expect([refused.status, refused.body.error.param]).toEqual([400, param])
})

test.each([
  ['mistral', 'https://api.mistral.ai/v1'],
  ['groq', 'https://api.groq.com/openai/v1'],
  ['xai', 'https://api.x.ai/v1'],
  ['openrouter', 'https://openrouter.ai/api/v1'],
  ['cohere', 'https://api.cohere.ai/compatibility/v1'],
])('an account of the kind %s has the address %s by default', async (kind, baseUrl) => {
  const { body, status } = await control(server, 'PUT', `/v1/providers/default-${kind}`, { kind, apiKey })
  expect([status, body.baseUrl]).toEqual([200, baseUrl])
})

test('an Ollama server in a private network needs the operator’s permission, and no key', async () => {
  const account = { kind: 'ollama', baseUrl: 'http://10.0.0.7:11434/v1' }
  const allowed = await control(server, 'PUT', '/v1/providers/local', account)
  expect([allowed.status, allowed.body.lastFour]).toEqual([200, null])
  const strict = await startServer({ environment: { TOLLGATE_ALLOW_PRIVATE_PROVIDERS: 'false' } })
  const refused = await control(strict, 'PUT', '/v1/providers/local', account)
  await strict.close()
  expect([refused.status, refused.body.error.param]).toEqual([400, 'baseUrl'])
})
