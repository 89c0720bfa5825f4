import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { settledBalance, testKeyOf, type Application, type User } from '../support/start-product.ts'
import { vendorWorld, type VendorWorld } from '../support/start-application-with-vendor.ts'
import type { Vendor } from '../support/simulated-vendor.ts'

let world: VendorWorld
let app: Application
let vendor: Vendor

const credit = 1_000_000n
/**
 * Price in micros per million tokens. The rate is odd, so that rounding changes the charge. An embedding model needs no
 * other rate.
 */
const rate = 130_001n

const accounts = {
  small: { kind: 'openai', model: 'text-embedding-3-small', price: { input: String(rate) } },
  gemini: { kind: 'google', model: 'gemini-embedding-001', price: { input: String(rate) } },
  claude: {
    kind: 'anthropic',
    model: 'claude-opus-4-8',
    price: { input: String(rate), output: '5000000', cacheWrite: '1000000', cacheWriteLong: '2000000' },
  },
} as const

beforeAll(async () => {
  world = await vendorWorld(accounts)
  ;({ app, vendor } = world)
})
afterAll(() => world.close())

const clientOf = ({ key }: Pick<User, 'key'>) => world.openai(key)

function charged(tokens: number): bigint {
  return (BigInt(tokens) * rate + 999_999n) / 1_000_000n
}

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

const explain = (id: string | null) => app.api('GET', `/v1/requests/${id}`)
const lengthOf = (vector: readonly number[]): number => Math.hypot(...vector)

describe('the official OpenAI client', () => {
  test.each(['small', 'gemini'])(
    'the official OpenAI client gets the same vectors as numbers and as base64 (%s)',
    async (name) => {
      const user = await app.newUser({ balanceMicros: credit })
      const client = clientOf(user)
      const model = `acme/${name}`
      const input = ['Hello, world', 'The second text is longer.']
      const floats = await client.embeddings.create({ model, input, encoding_format: 'float', dimensions: 8 })
      // The official client requests base64 and decodes it if the caller states no format.
      const decoded = await client.embeddings.create({ model, input, dimensions: 8 })
      expect(floats.model).toBe(model)
      expect(floats.data.map(({ index }) => index)).toEqual([0, 1])
      for (const [index, { embedding }] of floats.data.entries()) {
        expect(embedding).toHaveLength(8)
        expect(lengthOf(embedding)).toBeCloseTo(1, 4)
        const other = decoded.data[index]?.embedding ?? []
        expect(other.map((value) => value.toFixed(5))).toEqual(embedding.map((value) => value.toFixed(5)))
      }
      const { prompt_tokens: tokens } = floats.usage
      expect(floats.usage).toEqual({ prompt_tokens: tokens, total_tokens: tokens })
      expect(decoded.usage).toEqual(floats.usage)
      expect(await settledBalance(user)).toBe(credit - 2n * charged(tokens))
      const [request] = await user.requests()
      const listed = { wire: 'embeddings', requestedModel: model, inputTokens: tokens, outputTokens: 0 }
      expect(request).toMatchObject({ ...listed, status: 'settled', chargeMicros: String(charged(tokens)) })
      const { usage } = await explain(request.id)
      expect(usage).toMatchObject({ input: tokens, output: 0, tokenSource: 'provider_reported' })
      const path = name === 'small' ? 'prompt_tokens' : 'promptTokenCount'
      expect(usage.inWireTerms).toEqual({ [path]: tokens })
    },
  )

  test('the official OpenAI client can send lists of tokens only to a provider with the same tokenizer', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const input = [[9906, 11, 1917], [791]]
    const { data, usage } = await clientOf(user).embeddings.create({ model: 'acme/small', input })
    expect(data).toHaveLength(2)
    expect(usage.prompt_tokens).toBe(4)
    expect(vendor.calls.at(-1)?.body['input']).toEqual(input)
    const balance = await settledBalance(user)
    expect(balance).toBe(credit - charged(4))
    const refused = await post(user.key, '/v1/embeddings', { model: 'acme/gemini', input })
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { code: 'unsupported_for_route', param: 'input' } },
    })
    expect(refused.body.error.message).toContain('Send text')
    expect(await settledBalance(user)).toBe(balance)
  })
})

describe("Gemini's format", () => {
  test.each([
    ['gemini', 'v1beta'],
    ['small', 'v1'],
  ])('a request in Gemini’s format embeds one or several contents at %s', async (name, version) => {
    const user = await app.newUser({ balanceMicros: credit })
    const path = `/${version}/models/${encodeURIComponent(`acme/${name}`)}`
    const content = (text: string) => ({ parts: [{ text }] })
    const one = await post(user.key, `${path}:embedContent`, {
      content: content('Hello, world'),
      outputDimensionality: 8,
    })
    expect(one.body.embedding.values).toHaveLength(8)
    const several = await post(user.key, `${path}:batchEmbedContents`, {
      requests: ['Hello, world', 'Another text'].map((text) => ({
        model: `models/acme/${name}`,
        content: content(text),
        outputDimensionality: 8,
      })),
    })
    expect(several.body.embeddings).toHaveLength(2)
    const [first] = several.body.embeddings
    for (const [index, value] of one.body.embedding.values.entries())
      expect(first.values[index]).toBeCloseTo(value, 5)
    const tokens = one.body.usageMetadata.promptTokenCount
    const more = several.body.usageMetadata.promptTokenCount
    expect(await settledBalance(user)).toBe(credit - charged(tokens) - charged(more))
    const [last, before] = await user.requests()
    expect([last.wire, before.wire]).toEqual(['batch_embed_contents', 'embed_content'])
    const sent = vendor.calls.at(-1)?.text ?? ''
    expect(sent).toContain(accounts[name === 'small' ? 'small' : 'gemini'].model)
    expect(sent).not.toContain('acme/')
  })

  test('a request in Gemini’s format is rejected if OpenAI lacks one of its fields or if the content is not text, and the error names the field', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const path = '/v1beta/models/acme%2Fsmall:embedContent'
    const content = { parts: [{ text: 'Hello' }] }
    const lossy = await post(user.key, path, { content, taskType: 'RETRIEVAL_QUERY', title: 'A title' })
    expect(lossy.status).toBe(200)
    expect(lossy.headers.get('x-svc-conversion-lost')).toBe('taskType,title')
    const parts = [{ inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }]
    const refused = await post(user.key, path, { content: { parts } })
    expect(refused).toMatchObject({ status: 400, body: { error: { status: 'INVALID_ARGUMENT' } } })
    expect(refused.body.error.message).toContain('content.parts')
  })
})

test('if a response has no usage, the gateway counts its tokens and marks the request as an estimate', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const input = ['[[no-usage]] Hello', 'Another text']
  const answer = await post(user.key, '/v1/embeddings', { model: 'acme/gemini', input })
  const { usage } = await explain(answer.headers.get('x-request-id'))
  expect(usage).toMatchObject({ output: 0, tokenSource: 'estimated' })
  expect(usage.input).toBeGreaterThan(5)
  expect(answer.body.usage).toEqual({ prompt_tokens: usage.input, total_tokens: usage.input })
  expect(await settledBalance(user)).toBe(credit - charged(usage.input))
})

describe('a request that fails', () => {
  test.each<[string, string, object, number, string]>([
    ['an unknown model', '/v1/embeddings', { model: 'acme/none', input: 'Hi' }, 404, 'model_not_found'],
    [
      'a stream',
      '/v1/embeddings',
      { model: 'acme/small', input: 'Hi', stream: true },
      400,
      'invalid_request',
    ],
    ['no input', '/v1/embeddings', { model: 'acme/small' }, 400, 'invalid_request'],
    ['an empty list', '/v1/embeddings', { model: 'acme/small', input: [] }, 400, 'invalid_request'],
    ['a mixed list', '/v1/embeddings', { model: 'acme/small', input: ['a', 1] }, 400, 'invalid_request'],
    [
      'a repeated field',
      '/v1/embeddings',
      { model: 'acme/small', input: 'a', base_url: 'x' },
      400,
      'unsupported_for_route',
    ],
    ['no embeddings', '/v1/embeddings', { model: 'acme/claude', input: 'Hi' }, 400, 'unsupported_for_route'],
    ['the provider', '/v1/embeddings', { model: 'acme/small', input: 'x', user: 7 }, 400, 'invalid_type'],
  ])(
    'an embedding request that is rejected because of %s costs nothing and holds nothing',
    async (_, path, body, status, code) => {
      const user = await app.newUser({ balanceMicros: credit })
      const answer = await post(user.key, path, body)
      expect([answer.status, answer.body.error.code]).toEqual([status, code])
      expect(await settledBalance(user)).toBe(credit)
    },
  )

  test('a rejection for lack of credit states the cost of the input only', async () => {
    const user = await app.newUser({ balanceMicros: 1n })
    const body = { model: 'acme/small', input: 'word '.repeat(2_000) }
    const answer = await post(user.key, '/v1/embeddings', body)
    expect(answer).toMatchObject({ status: 402, body: { error: { code: 'insufficient_credit' } } })
    // The hold covers one token for each byte of the text, and a few additional tokens.
    await user.grant(charged(10_100))
    expect((await post(user.key, '/v1/embeddings', body)).status).toBe(200)
  })

  test('an embedding request to a model without embeddings returns the error of its provider', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    app.provider.enqueue({
      status: 400,
      body: { error: { message: 'not an embedding model', type: 'x', code: 'y' } },
    })
    const answer = await post(user.key, '/v1/embeddings', { model: app.model, input: 'Hi' })
    expect(answer).toMatchObject({ status: 400, body: { error: { message: 'not an embedding model' } } })
    expect(app.provider.calls.at(-1)?.path).toBe('/v1/embeddings')
    expect(await settledBalance(user)).toBe(credit)
  })
})

test('if the first target fails, the router converts the request for the next target, and explain shows both attempts', async () => {
  await app.api('PUT', '/v1/routers/acme%2Fvectors', {
    policy: 'priority',
    attempts: { retriesPerTarget: 0 },
    targets: [{ alias: app.model }, { alias: 'acme/gemini' }],
  })
  const user = await app.newUser({ balanceMicros: credit })
  app.provider.enqueue({ status: 503 })
  const answer = await post(user.key, '/v1/embeddings', { model: 'acme/vectors', input: 'Hello', user: 'u1' })
  expect(answer.status).toBe(200)
  expect(answer.body.model).toBe('acme/vectors')
  expect(await settledBalance(user)).toBe(credit - charged(answer.body.usage.prompt_tokens))
  const explained = await explain(answer.headers.get('x-request-id'))
  expect(explained.attempts.map(({ status }: { status: number }) => status)).toEqual([503, 200])
})

test('in test mode the simulator responds, and directives in the request cause faults', async () => {
  const key = await testKeyOf(app)
  const path = '/v1beta/models/acme%2Fsmall:embedContent'
  const openai = await clientOf({ key }).embeddings.create({ model: 'acme/small', input: 'Hello' })
  expect(openai.data[0]?.embedding).toHaveLength(1536)
  const content = { parts: [{ text: '[[fail=429]]' }] }
  expect(await post(key, path, { content })).toMatchObject({ status: 429, body: { error: { code: 429 } } })
  const models = await clientOf({ key }).models.list()
  expect(models.data.map(({ id }) => id)).toContain('acme/small')
})

test.each([
  ['small', '/v1/chat/completions', { messages: [{ role: 'user', content: 'Hi' }] }],
  ['small', '/v1/messages', { max_tokens: 8, messages: [{ role: 'user', content: 'Hi' }] }],
  ['gemini', '/v1/responses', { input: 'Hi' }],
])('in test mode a conversation with the embedding model %s at %s is rejected', async (name, path, body) => {
  const key = await testKeyOf(app)
  const answer = await post(key, path, { model: `acme/${name}`, ...body })
  expect(answer.status).toBe(400)
  expect(answer.body.error.message).toContain(
    `acme/${name} does not write text. Send the request to /v1/embeddings.`,
  )
})

test('a bundle can price an embedding model, and a router of such models, with only an input rate', async () => {
  await app.api('PUT', '/v1/routers/acme%2Fpriced', {
    policy: 'priority',
    targets: [{ alias: 'acme/small' }],
  })
  const price = (model: string, rates: object) =>
    app.api('POST', '/v1/bundles/vectors/price', { model, price: rates, debitBasis: 'sell_price' })
  const sold = { input: '2000000' }
  await app.api('PUT', `/v1/apps/${app.slug}/configuration`, {
    format: 1,
    bundles: [
      {
        slug: 'vectors',
        displayName: 'Vectors',
        allow: ['acme/*'],
        prices: [{ model: 'acme/priced', price: sold, credits: null }],
      },
    ],
  })
  await price('acme/small', sold)
  await price('acme/priced', sold)
  await expect(price(app.model, sold)).rejects.toThrow('price has no rate for output')
  await expect(price('acme/small', { output: '1' })).rejects.toThrow('price has no rate for input')
  const user = await app.newUser({ balanceMicros: credit, bundle: 'vectors' })
  for (const model of ['acme/small', 'acme/priced']) {
    const before = await settledBalance(user)
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const { status, body } = await post(user.key, '/v1/embeddings', { model, input: 'Hello' })
    expect(status).toBe(200)
    expect(before - (await settledBalance(user))).toBe(BigInt(body.usage.prompt_tokens) * 2n)
  }
})

test('an embedding model with a published price needs no other price', async () => {
  await app.api('PUT', '/v1/providers/listed', {
    kind: 'openai',
    baseUrl: null,
    apiKey: 'sk-listed-0123456789',
  })
  const alias = await app.api('PUT', '/v1/models/acme%2Flisted', {
    sources: [{ provider: 'listed', model: 'text-embedding-3-large' }],
  })
  expect(alias).toMatchObject({ status: 'serving' })
})

test('a gateway that is limited to chat rejects embeddings', async () => {
  await app.api('PATCH', '/v1/gateway', { wires: ['chat'] })
  const user = await app.newUser({ balanceMicros: credit })
  const answer = await post(user.key, '/v1/embeddings', { model: 'acme/small', input: 'Hi' })
  expect(answer).toMatchObject({ status: 404, body: { error: { code: 'wire_not_served' } } })
  await app.api('PATCH', '/v1/gateway', { wires: ['chat', 'embeddings'] })
  expect((await post(user.key, '/v1/embeddings', { model: 'acme/small', input: 'Hi' })).status).toBe(200)
  await app.api('PATCH', '/v1/gateway', { wires: null })
})
