import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { settledBalance, testKeyOf, type Application } from '../support/start-product.ts'
import { vendorWorld, type VendorWorld } from '../support/start-application-with-vendor.ts'
import type { Vendor } from '../support/simulated-vendor.ts'

let world: VendorWorld
let app: Application
let vendor: Vendor

const credit = 1_000_000n
/** The price in micros per million tokens is odd, so that rounding changes the charge. */
const rate = 130_001n

const accounts = {
  free: { kind: 'openai', model: 'omni-moderation-latest', price: { input: '0' } },
  priced: { kind: 'mistral', model: 'mistral-moderation-latest', price: { input: String(rate) } },
  own: { kind: 'openai_compatible', model: 'omni-moderation-latest', price: { input: String(rate) } },
  claude: {
    kind: 'anthropic',
    model: 'claude-opus-4-8',
    price: { input: '1', output: '1', cacheWrite: '1', cacheWriteLong: '1' },
  },
} as const

beforeAll(async () => {
  world = await vendorWorld(accounts)
  ;({ app, vendor } = world)
})
afterAll(() => world.close())

const clientOf = (apiKey: string) => world.openai(apiKey)
const charged = (tokens: number): bigint => (BigInt(tokens) * rate + 999_999n) / 1_000_000n

test.each(['priced', 'own'])(
  'the official client reads the results, and requests to acme/%s are charged for their input tokens',
  async (name) => {
    const user = await app.newUser({ balanceMicros: credit })
    const model = `acme/${name}`
    const input = ['I kill time with a book.', 'A quiet walk.']
    const answer = await clientOf(user.key).moderations.create({ model, input })
    expect(answer.model).toBe(model)
    expect(answer.results.map(({ flagged }) => flagged)).toEqual([true, false])
    const [first] = answer.results
    expect([first?.categories.violence, first?.categories.hate]).toEqual([true, false])
    expect(vendor.calls.at(-1)).toMatchObject({
      wire: 'moderations',
      body: { model: accounts[name === 'own' ? 'own' : 'priced'].model, input },
    })
    const [request] = await user.requests()
    expect(request).toMatchObject({ wire: 'moderations', status: 'settled', outputTokens: 0 })
    expect(request.inputTokens).toBeGreaterThan(0)
    expect(await settledBalance(user)).toBe(credit - charged(request.inputTokens))
    const { usage } = await app.api('GET', `/v1/requests/${request.id}`)
    expect(usage).toMatchObject({
      tokenSource: 'provider_reported',
      inWireTerms: { prompt_tokens: usage.input },
    })
  },
)

test('the hold for an image covers its maximum tokens, and a response without usage is charged by the count of the text', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  await clientOf(user.key).moderations.create({
    model: 'acme/own',
    input: [
      { type: 'text', text: '[[no-usage]] Hello' },
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
    ],
  })
  const [request] = await user.requests()
  const { reserve, usage } = await app.api('GET', `/v1/requests/${request.id}`)
  expect(usage).toMatchObject({ tokenSource: 'estimated', output: 0 })
  expect(await settledBalance(user)).toBe(credit - charged(usage.input))
  expect(BigInt(reserve.worstMicros)).toBeGreaterThanOrEqual(charged(16_000))
})

test('a model with a price of 0 is free, even for an end user without credit', async () => {
  const user = await app.newUser()
  const answer = await clientOf(user.key).moderations.create({ model: 'acme/free', input: 'Hello' })
  expect(answer.results).toHaveLength(1)
  const [request] = await user.requests()
  expect(request).toMatchObject({ status: 'settled', chargeMicros: '0' })
})

test('a model without a price is rejected, instead of being free', async () => {
  await app.api('PUT', '/v1/providers/unpriced', {
    kind: 'openai_compatible',
    baseUrl: vendor.baseUrls.openai,
    apiKey: vendor.apiKey,
  })
  const alias = await app.api('PUT', '/v1/models/acme%2Funpriced', {
    sources: [{ provider: 'unpriced', model: 'omni-moderation-latest' }],
  })
  expect(alias.status).toBe('unpriced')
  const user = await app.newUser({ balanceMicros: credit })
  const failed = clientOf(user.key).moderations.create({ model: 'acme/unpriced', input: 'Hello' })
  await expect(failed).rejects.toMatchObject({ code: 'model_unpriced' })
})

describe('a request that fails', () => {
  test.each<[string, object, number, string]>([
    ['a stream', { model: 'acme/priced', input: 'Hi', stream: true }, 400, 'invalid_request'],
    ['no input', { model: 'acme/priced' }, 400, 'invalid_request'],
    ['no model, and no model named like OpenAI’s default', { input: 'Hi' }, 404, 'model_not_found'],
    ['another kind', { model: 'acme/claude', input: 'Hi' }, 400, 'unsupported_for_route'],
  ])('a request that fails because of %s costs nothing', async (_, body, status, code) => {
    const user = await app.newUser({ balanceMicros: credit })
    const response = await fetch(`${app.gateway}/v1/moderations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect([response.status, await response.json()]).toMatchObject([status, { error: { code } }])
    expect(await settledBalance(user)).toBe(credit)
  })
})

test('a request without a model is served by the model name that equals OpenAI’s default', async () => {
  await app.api('PUT', '/v1/models/omni-moderation-latest', {
    sources: [{ provider: 'priced', model: 'mistral-moderation-latest' }],
  })
  await app.api('POST', '/v1/bundles/basic/allow', { models: ['omni-moderation-latest'] })
  const user = await app.newUser({ balanceMicros: credit })
  const answer = await clientOf(user.key).moderations.create({ input: 'Hello' })
  expect(answer.model).toBe('omni-moderation-latest')
  expect(vendor.calls.at(-1)?.body).toEqual({ model: 'mistral-moderation-latest', input: 'Hello' })
  const [request] = await user.requests()
  expect(await settledBalance(user)).toBe(credit - charged(request.inputTokens))
})

test('in test mode, the simulator serves moderations, and rejects a conversation with a moderation model', async () => {
  const client = clientOf(await testKeyOf(app))
  const { results } = await client.moderations.create({ model: 'acme/free', input: ['You idiot', 'Hello'] })
  expect(results.map(({ flagged }) => flagged)).toEqual([true, false])
  const chat = client.chat.completions.create({
    model: 'acme/free',
    messages: [{ role: 'user', content: 'Hi' }],
  })
  await expect(chat).rejects.toThrow('does not write text. Send the request to /v1/moderations.')
})
