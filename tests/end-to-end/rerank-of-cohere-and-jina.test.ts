import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  connectAccount,
  makeApplication,
  settledBalance,
  startServer,
  testKeyOf,
  upstreamKey,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'
import { startVendor, type Vendor } from '../support/simulated-vendor.ts'

let server: LocalServer
let app: Application
let vendor: Vendor

const credit = 1_000_000n
/** Price in micros per search unit. */
const unitRate = 2_003n
/** The price in micros per million tokens is odd, so that rounding changes the charge. */
const tokenRate = 130_001n

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  vendor = await startVendor()
  const { apiKey, baseUrls } = vendor
  const origin = baseUrls.anthropic
  await connectAccount(app, 'cohere', {
    kind: 'cohere',
    model: 'rerank-v3.5',
    price: { input: '0', searchUnit: String(unitRate) },
    baseUrl: `${origin}/compatibility/v1`,
    apiKey,
  })
  await connectAccount(app, 'jina', {
    kind: 'openai_compatible',
    model: 'jina-reranker-v2-base-multilingual',
    price: { input: String(tokenRate) },
    baseUrl: baseUrls.openai,
    apiKey,
  })
  await connectAccount(app, 'claude', {
    kind: 'anthropic',
    model: 'claude-opus-4-8',
    price: { input: '1', output: '1', cacheWrite: '1', cacheWriteLong: '1' },
    baseUrl: origin,
    apiKey,
  })
})
afterAll(async () => {
  await app.provider.close()
  await vendor.close()
  await server.close()
})

async function post(key: string, path: string, body: object) {
  const response = await fetch(app.gateway + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  // oxlint-disable-next-line typescript/no-explicit-any -- each test reads the fields that it expects
  const answer: any = await response.json()
  return { status: response.status, headers: response.headers, body: answer }
}

const query = 'capital of France'
const documents = ['Berlin is in Germany.', 'The capital of France is Paris.', 'A cat sleeps.']

describe.each(['v1', 'v2'])('requests for rerankings at /%s/rerank', (version) => {
  test('a request to Cohere has the API version of the client’s path, and is charged by search units', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const body = { model: 'acme/cohere', query, documents, top_n: 2 }
    const { body: answer, headers } = await post(user.key, `/${version}/rerank`, body)
    expect(answer).toMatchObject({
      model: 'acme/cohere',
      results: [{ index: 1 }, { index: 0 }],
      meta: { billed_units: { search_units: 1 } },
    })
    const call = vendor.calls.at(-1)
    expect(call?.path).toBe(`/${version}/rerank`)
    expect(call?.body).toEqual({ ...body, model: 'rerank-v3.5' })
    expect(await settledBalance(user)).toBe(credit - unitRate)
    const [request] = await user.requests()
    const explained = await app.api('GET', `/v1/requests/${headers.get('x-request-id')}`)
    expect(request).toMatchObject({ wire: 'rerank', status: 'settled', chargeMicros: String(unitRate) })
    expect(explained).toMatchObject({
      quote: { uses: { searchUnits: 1 } },
      reserve: { worstMicros: String(unitRate) },
      usage: {
        searchUnits: 1,
        tokenSource: 'provider_reported',
        inWireTerms: { 'meta.billed_units.search_units': 1 },
      },
    })
  })

  test('a request to Jina is sent to its only path, and is charged by tokens', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const { body: answer } = await post(user.key, `/${version}/rerank`, {
      model: 'acme/jina',
      query,
      documents,
    })
    expect(answer.results).toHaveLength(3)
    expect(vendor.calls.at(-1)?.path).toBe('/v1/rerank')
    const tokens = BigInt(answer.usage.total_tokens)
    expect(await settledBalance(user)).toBe(credit - (tokens * tokenRate + 999_999n) / 1_000_000n)
  })
})

test('250 documents are held and charged as three search units', async () => {
  const user = await app.newUser({ balanceMicros: 3n * unitRate })
  const many = Array.from({ length: 250 }, (_, at) => `Document ${at}`)
  const { status } = await post(user.key, '/v2/rerank', { model: 'acme/cohere', query, documents: many })
  expect(status).toBe(200)
  expect(await settledBalance(user)).toBe(0n)
})

test('a request that the balance does not cover in full is rejected before the provider is called', async () => {
  const user = await app.newUser({ balanceMicros: 3n * unitRate - 1n })
  const calls = vendor.calls.length
  const many = Array.from({ length: 250 }, (_, at) => `Document ${at}`)
  const { body, status } = await post(user.key, '/v2/rerank', {
    model: 'acme/cohere',
    query,
    documents: many,
  })
  expect([status, body]).toMatchObject([402, { error: { code: 'insufficient_credit' } }])
  expect(body.message).toBe(body.error.message)
  expect(vendor.calls).toHaveLength(calls)
  expect(await settledBalance(user)).toBe(3n * unitRate - 1n)
})

test.each(['cohere', 'jina'])(
  'a response of %s without usage is charged by the gateway’s count',
  async (name) => {
    const user = await app.newUser({ balanceMicros: credit })
    const { headers } = await post(user.key, '/v1/rerank', {
      model: `acme/${name}`,
      query: '[[no-usage]] cat',
      documents,
    })
    const { usage } = await app.api('GET', `/v1/requests/${headers.get('x-request-id')}`)
    expect(usage).toMatchObject({ tokenSource: 'estimated', searchUnits: 1, output: 0 })
    expect(usage.input).toBeGreaterThan(10)
    const tokens = (BigInt(usage.input) * tokenRate + 999_999n) / 1_000_000n
    expect(await settledBalance(user)).toBe(credit - (name === 'cohere' ? unitRate : tokens))
  },
)

test('search units without tokens, as Cohere reports them, are charged as reported', async () => {
  await connectAccount(app, 'units', {
    kind: 'cohere',
    model: 'rerank-v3.5',
    price: { input: '0', searchUnit: String(unitRate) },
    baseUrl: app.provider.baseUrl,
    apiKey: upstreamKey,
  })
  const user = await app.newUser({ balanceMicros: credit })
  const meta = { api_version: { version: '2' }, billed_units: { search_units: 2 } }
  app.provider.enqueue({ body: { id: 'x', results: [], meta } })
  const many = Array.from({ length: 150 }, (_, at) => `Document ${at}`)
  const { headers } = await post(user.key, '/v2/rerank', { model: 'acme/units', query, documents: many })
  const { usage } = await app.api('GET', `/v1/requests/${headers.get('x-request-id')}`)
  expect(usage).toMatchObject({ tokenSource: 'provider_reported', input: 0, searchUnits: 2 })
  expect(await settledBalance(user)).toBe(credit - 2n * unitRate)
})

test('if an account has a price for tokens only, and a response reports only search units, the gateway counts and charges the tokens', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const results = [{ index: 0, relevance_score: 0.5 }]
  app.provider.enqueue({ body: { id: 'x', results, meta: { billed_units: { search_units: 1 } } } })
  const { headers, status } = await post(user.key, '/v1/rerank', { model: app.model, query, documents })
  expect(status).toBe(200)
  const { usage } = await app.api('GET', `/v1/requests/${headers.get('x-request-id')}`)
  expect(usage).toMatchObject({ tokenSource: 'estimated', searchUnits: 1 })
  expect(usage.input).toBeGreaterThan(10)
  expect(await settledBalance(user)).toBeLessThan(credit)
})

test('a router calls the next target when the first target fails', async () => {
  await connectAccount(app, 'failing', {
    kind: 'cohere',
    model: 'rerank-v3.5',
    price: { input: '0', searchUnit: String(unitRate) },
    baseUrl: 'http://127.0.0.1:9',
    apiKey: vendor.apiKey,
  })
  await app.api('PUT', '/v1/routers/acme%2Fbest', {
    policy: 'priority',
    targets: [{ alias: 'acme/failing' }, { alias: 'acme/jina' }],
  })
  const user = await app.newUser({ balanceMicros: credit })
  const { body, status } = await post(user.key, '/v2/rerank', { model: 'acme/best', query, documents })
  expect([status, body.model]).toEqual([200, 'acme/best'])
  const tokens = BigInt(body.usage.total_tokens)
  expect(await settledBalance(user)).toBe(credit - (tokens * tokenRate + 999_999n) / 1_000_000n)
})

describe('a model of Cohere', () => {
  test('a model of Cohere is rejected if the account’s price or the bundle’s price lacks a rate for search units', async () => {
    const { baseUrls, apiKey } = vendor
    await app.api('PUT', '/v1/providers/tokens', { kind: 'cohere', baseUrl: baseUrls.openai, apiKey })
    const sources = [{ provider: 'tokens', model: 'rerank-v4.0-pro' }]
    await app.api('PUT', '/v1/models/acme%2Ftokens', { sources })
    const setPrice = (price: object) =>
      app.api('POST', '/v1/providers/tokens/price', { model: 'rerank-v4.0-pro', price })
    await setPrice({ input: '1' })
    const statusOf = async () => (await app.api('GET', '/v1/models/acme%2Ftokens')).status
    expect(await statusOf()).toBe('unpriced')
    const user = await app.newUser({ balanceMicros: credit })
    const body = { model: 'acme/tokens', query, documents }
    expect(await post(user.key, '/v2/rerank', body)).toMatchObject({
      status: 409,
      body: { error: { code: 'model_unpriced' } },
    })
    await setPrice({ input: '0', searchUnit: '5' })
    expect(await statusOf()).toBe('serving')
    expect(await settledBalance(user)).toBe(credit)
  })
})

describe('a request that fails', () => {
  test.each<[string, object, number, string]>([
    ['a stream', { model: 'acme/jina', query, documents, stream: true }, 400, 'invalid_request'],
    ['no documents', { model: 'acme/jina', query }, 400, 'invalid_request'],
    ['no model', { query, documents }, 400, 'invalid_request'],
    [
      'an account without reranking',
      { model: 'acme/claude', query, documents },
      400,
      'unsupported_for_route',
    ],
    ['the provider', { model: 'acme/jina', query: '[[fail=400]]', documents }, 400, 'upstream_rejected'],
  ])('a request that fails because of %s costs nothing', async (_, body, status, code) => {
    const user = await app.newUser({ balanceMicros: credit })
    const response = await post(user.key, '/v1/rerank', body)
    expect(response).toMatchObject({ status, body: { error: { code } } })
    expect(typeof response.body.message).toBe('string')
    expect(await settledBalance(user)).toBe(credit)
  })
})

test('in test mode, the simulator serves rerankings, and rejects a conversation with a reranking model', async () => {
  const key = await testKeyOf(app)
  const ranked = await post(key, '/v2/rerank', { model: 'acme/cohere', query, documents, top_n: 1 })
  expect(ranked.body.results).toMatchObject([{ index: 1 }])
  const chat = await post(key, '/v1/chat/completions', {
    model: 'acme/cohere',
    messages: [{ role: 'user', content: 'Hi' }],
  })
  expect(chat.body.error.message).toContain('does not write text. Send the request to /v1/rerank.')
})
