/** A loopback server simulates Vertex AI and Google's token server (fake-vertex.ts). */
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startVertex, type FakeVertex } from '../support/fake-vertex.ts'
import {
  connectAccount,
  control,
  makeApplication,
  settledBalance,
  startServer,
  testKeyOf,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'

const gemini = 'gemini-2.5-flash'
const claude = 'claude-sonnet-4-5@20250929'
const credit = 1_000_000_000n
/** Each token costs one micro, so that a charge is the sum of the token counts. */
const price = { input: '1000000', output: '1000000', cacheWrite: '1000000', cacheWriteLong: '1000000' }

let server: LocalServer
let app: Application
let vertex: FakeVertex

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  vertex = await startVertex()
  const account = { kind: 'vertex', baseUrl: vertex.baseUrl, apiKey: vertex.keyFile, price }
  await connectAccount(app, 'gemini', { ...account, model: gemini })
  await connectAccount(app, 'claude', { ...account, model: claude })
  await connectAccount(app, 'embedder', { ...account, model: 'text-embedding-005' })
  await connectAccount(app, 'embedder2', { ...account, model: 'gemini-embedding-2' })
  await connectAccount(app, 'express', { ...account, model: gemini, apiKey: vertex.apiKey })
})
afterAll(async () => {
  await vertex.close()
  await app.provider.close()
  await server.close()
})

/** Saving the same key again resets the state that the server keeps of the account. */
async function rotate(label: string): Promise<void> {
  const { id } = await app.api('GET', `/v1/providers/${label}`)
  await app.api('POST', `/v1/providers/${id}/rotate`, { apiKey: vertex.keyFile })
}

beforeEach(async () => {
  vertex.tokens = { expiresInSeconds: 3_599, delayMs: 0 }
  await rotate('gemini')
  await rotate('claude')
})

interface Sent {
  readonly status: number
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- each test reads the fields that it expects
  readonly record: any
}

async function send({ key }: Pick<User, 'key'>, path: string, body: object): Promise<Sent> {
  const response = await fetch(app.gateway + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  const id = response.headers.get('x-request-id')
  return { status: response.status, text, record: await app.api('GET', `/v1/requests/${id}`) }
}

const contentsOf = (text: string) => ({ contents: [{ parts: [{ text }] }] })
const generate = (label: string, method = 'generateContent') => `/v1beta/models/acme/${label}:${method}`
const messagesOf = (label: string, text: string, more: object = {}) => ({
  model: `acme/${label}`,
  max_tokens: 300,
  messages: [{ role: 'user', content: text }],
  ...more,
})

describe('calls with a service account', () => {
  test('a call to Gemini has a signed token, the project in its path, and a role in each content', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const before = vertex.grants.length
    const { record, status } = await send(user, generate('gemini'), contentsOf('Hello [[tokens=20]]'))
    expect(status).toBe(200)
    const call = vertex.calls.at(-1)
    expect(call?.path).toBe(
      `/v1beta1/projects/acme-models-417/locations/global/publishers/google/models/${gemini}:generateContent`,
    )
    expect(call?.body).toMatchObject({
      contents: [{ role: 'user', parts: [{ text: 'Hello [[tokens=20]]' }] }],
    })
    expect(vertex.grants).toHaveLength(before + 1)
    const { exp, iat, ...claims } = vertex.grants.at(-1) ?? {}
    expect(claims).toEqual({
      alg: 'RS256',
      typ: 'JWT',
      kid: '5f3c2b1a09e8d7c6b5a4f3e2d1c0b9a8f7e6d5c4',
      iss: 'gateway@acme-models-417.iam.gserviceaccount.com',
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      aud: `${vertex.baseUrl}/token`,
    })
    expect(Number(exp) - Number(iat)).toBe(3_600)
    expect(record.usage).toMatchObject({ output: 20, tokenSource: 'provider_reported' })
    expect(credit - (await settledBalance(user))).toBe(BigInt(record.usage.input + 20))
  })

  test('a stream of Gemini without a maximum is charged exactly, and its hold is extended', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const path = generate('gemini', 'streamGenerateContent?alt=sse')
    const { record, text } = await send(user, path, contentsOf('Go on [[tokens=7000]]'))
    expect(text).toContain('usageMetadata')
    expect(vertex.calls.at(-1)?.path).toMatch(/:streamGenerateContent\?alt=sse$/)
    expect(record.usage).toMatchObject({ output: 7_000, tokenSource: 'provider_reported' })
    expect(BigInt(record.reserve.worstMicros)).toBeGreaterThan(BigInt(record.reserve.firstWorstMicros))
    expect(record.settle.overHoldMicros).toBe('0')
    expect(credit - (await settledBalance(user))).toBe(BigInt(record.usage.input + 7_000))
  })

  test.each([false, true])('a call to Claude has the API version in its body (stream %s)', async (stream) => {
    const user = await app.newUser({ balanceMicros: credit })
    const { record, status } = await send(
      user,
      '/v1/messages',
      messagesOf('claude', 'Hi [[tokens=20]]', { stream }),
    )
    expect(status).toBe(200)
    const call = vertex.calls.at(-1)
    const method = stream ? 'streamRawPredict' : 'rawPredict'
    expect(call?.path).toBe(
      `/v1/projects/acme-models-417/locations/global/publishers/anthropic/models/${claude}:${method}`,
    )
    expect(call?.body).toEqual({
      anthropic_version: 'vertex-2023-10-16',
      max_tokens: 300,
      messages: [{ role: 'user', content: 'Hi [[tokens=20]]' }],
      stream,
    })
    expect(call?.headers['anthropic-version']).toBeUndefined()
    expect(record.usage).toMatchObject({ output: 20, tokenSource: 'provider_reported' })
    expect(credit - (await settledBalance(user))).toBe(BigInt(record.usage.input + 20))
  })

  test('clients of other wires can call the models of both vendors (Google and Anthropic)', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    for (const stream of [false, true]) {
      for (const label of ['gemini', 'claude']) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const { record, status } = await send(
          user,
          '/v1/chat/completions',
          messagesOf(label, 'Hi', { stream }),
        )
        expect([status, record.usage.tokenSource]).toEqual([200, 'provider_reported'])
      }
    }
  })

  test('a conversation with function calls is accepted by a model that does not support call IDs', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const messages = [
      { role: 'user', content: 'How warm is it?' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'call_1', content: '21 degrees' },
    ]
    const { status, text } = await send(user, '/v1/chat/completions', { model: 'acme/gemini', messages })
    expect(status, text).toBe(200)
    expect(JSON.stringify(vertex.calls.at(-1)?.body)).toContain('"functionResponse":{"name":"weather"')
  })

  test('tokens are counted by Vertex AI, for Gemini and for Claude', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const post = async (path: string, body: object) => {
      const headers = { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' }
      const response = await fetch(app.gateway + path, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      return { counted: response.headers.get('x-svc-token-count'), body: await response.json() }
    }
    const whole = { model: 'models/acme/gemini', systemInstruction: { parts: [{ text: 'Be brief' }] } }
    const body = { generateContentRequest: { ...whole, ...contentsOf('Hello'), safetySettings: [] } }
    const ofGemini = await post(generate('gemini', 'countTokens'), body)
    expect(ofGemini).toMatchObject({ counted: null, body: { totalTokens: expect.any(Number) } })
    expect(Object.keys(vertex.calls.at(-1)?.body ?? {})).toEqual(['systemInstruction', 'contents'])
    const { max_tokens: _, ...counted } = messagesOf('claude', 'Hello')
    const ofClaude = await post('/v1/messages/count_tokens', counted)
    expect(ofClaude).toMatchObject({ counted: null, body: { input_tokens: expect.any(Number) } })
    expect(vertex.calls.at(-1)).toMatchObject({
      path: expect.stringMatching(/\/publishers\/anthropic\/models\/count-tokens:rawPredict$/),
      body: { model: claude, anthropic_version: 'vertex-2023-10-16' },
    })
  })
})

describe('access tokens', () => {
  test('calls that wait for an access token share one request for it, and later calls use the same token', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const before = vertex.grants.length
    vertex.tokens = { expiresInSeconds: 3_599, delayMs: 50 }
    const call = () => send(user, generate('gemini'), contentsOf('Hello'))
    const answers = await Promise.all([call(), call(), call()])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    await call()
    expect(vertex.grants).toHaveLength(before + 1)
  })

  test('an access token is replaced before it expires', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const before = vertex.grants.length
    // The server does not use a token in its last minute.
    vertex.tokens = { expiresInSeconds: 59, delayMs: 0 }
    for (const grants of [1, 2]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect((await send(user, generate('gemini'), contentsOf('Hello'))).status).toBe(200)
      expect(vertex.grants).toHaveLength(before + grants)
    }
  })

  test('if Vertex AI rejects an access token, the next call uses a new one', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const call = () => send(user, generate('gemini'), contentsOf('Hello'))
    expect((await call()).status).toBe(200)
    vertex.revoke()
    expect((await call()).status).toBe(502)
    expect((await call()).status).toBe(200)
    const charges = (await user.requests()).map(({ chargeMicros, status }) => [status, chargeMicros])
    expect(charges[1]).toEqual(['released', '0'])
  })

  test('a rejected key is reported as rejected, without its contents, and nothing is charged', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const said = 'Invalid grant: account gateway@acme-models-417.iam.gserviceaccount.com not found'
    const body = JSON.stringify({ error: 'invalid_grant', error_description: said })
    vertex.tokens = { ...vertex.tokens, fault: { status: 400, body } }
    const { record, text } = await send(user, generate('gemini'), contentsOf('Hello'))
    expect(record).toMatchObject({ attempts: [{ status: 401, code: 'upstream_unauthorized' }] })
    expect(text).not.toMatch(/acme-models|gserviceaccount/)
    expect(await settledBalance(user)).toBe(credit)
    const probed = await app.api('POST', '/v1/providers/gemini/probe', { model: gemini })
    expect(probed).toMatchObject({ ok: false, status: 401, error: { code: 'upstream_unauthorized' } })
    expect(probed.error.said).toContain('invalid_grant')
    expect(JSON.stringify(probed)).not.toMatch(/acme-models|gserviceaccount\.com/)
  })

  test.each([
    ['an error of the token server', { status: 503, body: 'busy' }],
    ['a response without a token', { status: 200, body: '{"access_token":"two\\nlines"}' }],
  ])('the error for %s names the host, and the next call succeeds', async (_, fault) => {
    const user = await app.newUser({ balanceMicros: credit })
    vertex.tokens = { ...vertex.tokens, fault }
    const { record } = await send(user, generate('gemini'), contentsOf('Hello'))
    const { host } = new URL(vertex.baseUrl)
    expect(record.attempts).toMatchObject([{ status: null, failure: 'connect', fault: { host } }])
    const probed = await app.api('POST', '/v1/providers/gemini/probe', { model: gemini })
    expect(probed).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('issued no access token') },
    })
    vertex.tokens = { expiresInSeconds: 3_599, delayMs: 0 }
    expect((await send(user, generate('gemini'), contentsOf('Hello'))).status).toBe(200)
  })
})

test('an API key of the express mode is sent without a project', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const grants = vertex.grants.length
  const { record, status } = await send(user, generate('express'), contentsOf('Hello [[tokens=20]]'))
  expect([status, record.usage.output]).toEqual([200, 20])
  expect(vertex.calls.at(-1)).toMatchObject({
    path: `/v1beta1/publishers/google/models/${gemini}:generateContent`,
    headers: { 'x-goog-api-key': vertex.apiKey },
  })
  expect(vertex.grants).toHaveLength(grants)
})

test('if a stream fails in the middle, the delivered part is charged', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const path = generate('gemini', 'streamGenerateContent?alt=sse')
  const { record } = await send(user, path, contentsOf('Go on [[tokens=400 cut=50]]'))
  expect(record.status).toBe('settled')
  const charge = BigInt(record.settle.chargeMicros)
  expect(charge).toBeGreaterThan(0n)
  expect(credit - (await settledBalance(user))).toBe(charge)
})

test('a probe works for the models of both vendors (Google and Anthropic)', async () => {
  for (const [label, model] of [
    ['gemini', gemini],
    ['claude', claude],
    ['express', gemini],
  ])
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect(await app.api('POST', `/v1/providers/${label}/probe`, { model })).toMatchObject({ ok: true })
})

test('in test mode the simulator answers for the account', async () => {
  const key = await testKeyOf(app)
  const calls = vertex.calls.length
  for (const label of ['gemini', 'claude']) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const { status } = await app.call({ key }, { model: `acme/${label}`, max_tokens: 20 })
    expect(status).toBe(200)
  }
  expect(vertex.calls).toHaveLength(calls)
})

describe('the credential', () => {
  const connect = (apiKey: string) =>
    control(server, 'PUT', '/v1/providers/new', { kind: 'vertex', baseUrl: vertex.baseUrl, apiKey })

  test('the API shows only the last characters of the key’s ID', async () => {
    const { body, text } = await control(server, 'GET', '/v1/providers/gemini')
    expect(body.lastFour).toBe('d5c4')
    expect(text).not.toMatch(/PRIVATE KEY|gserviceaccount/)
  })

  test.each<[string, (file: Record<string, unknown>) => object | string, string]>([
    ['is not JSON', () => '{"type":', 'not valid JSON'],
    ['is of a user', (file) => ({ ...file, type: 'authorized_user' }), 'service_account'],
    ['lacks fields', (file) => ({ ...file, client_email: undefined }), 'client_email'],
    ['has no RSA key', (file) => ({ ...file, private_key: 'secret' }), 'RSA'],
    ['has a path as its project', (file) => ({ ...file, project_id: 'a/b' }), 'project_id'],
    ['has a forbidden URL', (file) => ({ ...file, token_uri: 'http://169.254.169.254/token' }), 'URL'],
    ['has a URL of this server', (file) => ({ ...file, token_uri: `${server.baseUrl}/token` }), 'loop'],
  ])('a key file that %s is rejected with its reason', async (_, change, reason) => {
    const changed = change(JSON.parse(vertex.keyFile))
    const { body, status } = await connect(typeof changed === 'string' ? changed : JSON.stringify(changed))
    expect([status, body.error.param, body.error.message]).toEqual([
      400,
      'apiKey',
      expect.stringContaining(reason),
    ])
  })

  test.each(['two words', 'AIza\n'])('an API key with white space is rejected (%j)', async (apiKey) => {
    const { body, status } = await connect(apiKey)
    expect([status, body.error.param]).toEqual([400, 'apiKey'])
  })
})

describe('embeddings', () => {
  const models = '/v1beta1/projects/acme-models-417/locations/global/publishers/google/models'

  test('texts in OpenAI’s format are sent to `predict`, and charged by the reported tokens', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const client = new OpenAI({ apiKey: user.key, baseURL: `${app.gateway}/v1`, maxRetries: 0 })
    const input = ['one two', 'one two three']
    const answer = await client.embeddings.create({ model: 'acme/embedder', input, dimensions: 4 })
    expect(answer.data.map(({ embedding }) => embedding)).toEqual([
      [7, 0.5, 0.5, 0.5],
      [13, 0.5, 0.5, 0.5],
    ])
    expect(answer.usage).toEqual({ prompt_tokens: 5, total_tokens: 5 })
    expect(vertex.calls.at(-1)).toMatchObject({
      path: `${models}/text-embedding-005:predict`,
      body: { instances: input.map((content) => ({ content })), parameters: { outputDimensionality: 4 } },
    })
    expect(credit - (await settledBalance(user))).toBe(5n)
  })

  test.each(['embedContent', 'batchEmbedContents'])(
    'a text in Gemini’s format (%s) is sent to `predict` with its task and title',
    async (method) => {
      const user = await app.newUser({ balanceMicros: credit })
      const entry = {
        content: { parts: [{ text: 'one ' }, { text: 'two' }] },
        taskType: 'RETRIEVAL_DOCUMENT',
        title: 'Numbers',
        outputDimensionality: 2,
      }
      const body = method === 'embedContent' ? entry : { requests: [entry] }
      const { record, status, text } = await send(user, generate('embedder', method), body)
      expect(status).toBe(200)
      const embedding = { values: [7, 0.5] }
      expect(JSON.parse(text)).toEqual({
        ...(method === 'embedContent' ? { embedding } : { embeddings: [embedding] }),
        usageMetadata: { promptTokenCount: 2, totalTokenCount: 2 },
      })
      expect(vertex.calls.at(-1)?.body).toEqual({
        instances: [{ content: 'one two', task_type: 'RETRIEVAL_DOCUMENT', title: 'Numbers' }],
        parameters: { outputDimensionality: 2 },
      })
      expect(record).toMatchObject({ chargeMicros: '2', usage: { tokenSource: 'provider_reported' } })
    },
  )

  test('for each client, a newer embedding model is called with `embedContent`, without a model in the body', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const content = { parts: [{ text: 'Hello' }] }
    const taskType = 'RETRIEVAL_QUERY'
    const one = await send(user, generate('embedder2', 'embedContent'), {
      model: 'models/acme/embedder2',
      content,
      taskType,
    })
    const path = `${models}/gemini-embedding-2:embedContent`
    expect([one.status, vertex.calls.at(-1)]).toMatchObject([200, { path, body: { content, taskType } }])
    const entry = { model: 'models/acme/embedder2', content, taskType }
    const batch = await send(user, generate('embedder2', 'batchEmbedContents'), { requests: [entry] })
    expect([batch.status, vertex.calls.at(-1)]).toMatchObject([200, { path, body: { content, taskType } }])
    const { values } = JSON.parse(one.text).embedding
    expect(JSON.parse(batch.text).embeddings).toEqual([{ values }])
    const openai = await send(user, '/v1/embeddings', { model: 'acme/embedder2', input: 'Hello' })
    expect(JSON.parse(openai.text).data).toEqual([{ object: 'embedding', index: 0, embedding: values }])
    const charged = [one, batch, openai].reduce((sum, { record }) => sum + BigInt(record.chargeMicros), 0n)
    expect(charged).toBeGreaterThan(0n)
    expect(credit - (await settledBalance(user))).toBe(charged)
  })

  test('several texts for a model that embeds only one text are rejected and not sent', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const sent = vertex.calls.length
    const { status, text } = await send(user, '/v1/embeddings', {
      model: 'acme/embedder2',
      input: ['a', 'b'],
    })
    expect([status, JSON.parse(text).error]).toMatchObject([
      400,
      { code: 'unsupported_for_route', param: 'input' },
    ])
    expect(vertex.calls).toHaveLength(sent)
  })

  test.each(['embedder', 'embedder2'])('the account of %s is probed with an embedding', async (label) => {
    const model = label === 'embedder' ? 'text-embedding-005' : 'gemini-embedding-2'
    const path = `/v1/providers/${label}/probe`
    const { body } = await control(server, 'POST', path, { model }, { 'x-svc-app': app.slug })
    expect(body).toMatchObject({ ok: true })
  })
})
