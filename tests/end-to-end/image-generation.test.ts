import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  connectAccount,
  makeApplication,
  settledBalance,
  startServer,
  testKeyOf,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'
import { startVendor, type Vendor } from '../support/simulated-vendor.ts'

let server: LocalServer
let app: Application
let vendor: Vendor

const credit = 10_000_000n
/** Prices in micros, per image and per million tokens. The prices are odd, so that rounding changes the charge. */
const imageRate = 40_003n
const tokens = { input: 5_000_001n, imageInput: 8_000_001n, imageOutput: 30_000_001n }
const ofTokens = Object.fromEntries(Object.entries(tokens).map(([name, rate]) => [name, String(rate)]))
const ofImages = { input: '0', image: String(imageRate) }

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  vendor = await startVendor()
  const account = { baseUrl: vendor.baseUrls.openai, apiKey: vendor.apiKey }
  const connect = (name: string, kind: string, model: string, price: object) =>
    connectAccount(app, name, { ...account, kind, model, price } as never)
  await connect('gpt', 'openai', 'gpt-image-2', ofTokens)
  await connect('flux', 'openai_compatible', 'flux-1.1-pro', ofImages)
  await connect('grok', 'xai', 'grok-2-image', ofImages)
  await connectAccount(app, 'claude', {
    kind: 'anthropic',
    model: 'claude-opus-4-8',
    price: { input: '1', output: '1', cacheWrite: '1', cacheWriteLong: '1' },
    baseUrl: vendor.baseUrls.anthropic,
    apiKey: vendor.apiKey,
  })
})
afterAll(async () => {
  await app.provider.close()
  await vendor.close()
  await server.close()
})

const clientOf = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${app.gateway}/v1`, maxRetries: 0 })
const explain = async (user: User) => {
  const [request] = await user.requests()
  return app.api('GET', `/v1/requests/${request?.id}`)
}

test.each([
  ['low', 196],
  ['high', 7_024],
] as const)(
  'the official client reads the images, and their tokens are charged (%s)',
  async (quality, each) => {
    const user = await app.newUser({ balanceMicros: credit })
    const { data, usage } = await clientOf(user.key).images.generate({
      model: 'acme/gpt',
      prompt: 'A fox in the snow',
      n: 2,
      quality,
      size: '1024x1024',
    })
    expect(
      data?.map(({ b64_json: image }) =>
        Buffer.from(image ?? '', 'base64')
          .subarray(1, 4)
          .toString(),
      ),
    ).toEqual(['PNG', 'PNG'])
    expect(usage?.output_tokens).toBe(2 * each)
    expect(vendor.calls.at(-1)).toMatchObject({
      path: '/v1/images/generations',
      body: { model: 'gpt-image-2', quality },
    })
    const exact = BigInt(usage?.input_tokens ?? 0) * tokens.input + BigInt(2 * each) * tokens.imageOutput
    const charged = (exact + 999_999n) / 1_000_000n
    expect(await settledBalance(user)).toBe(credit - charged)
    const explained = await explain(user)
    expect(explained).toMatchObject({
      quote: { uses: { images: 2 } },
      usage: { images: 2, imageOutput: 2 * each, tokenSource: 'provider_reported' },
    })
    expect(BigInt(explained.reserve.worstMicros)).toBeGreaterThanOrEqual(charged)
  },
)

test.each(['flux', 'grok'])(
  'requests for images of the model %s are charged by the number of images',
  async (name) => {
    const user = await app.newUser({ balanceMicros: 3n * imageRate })
    const answer = await clientOf(user.key).images.generate({ model: `acme/${name}`, prompt: 'A fox', n: 3 })
    expect(answer.data).toHaveLength(3)
    expect(await settledBalance(user)).toBe(0n)
    const [request] = await user.requests()
    expect(request).toMatchObject({ wire: 'images', status: 'settled', chargeMicros: String(3n * imageRate) })
  },
)

test('a request for images that the balance does not cover in full is rejected, instead of being reduced to fewer images', async () => {
  const calls = vendor.calls.length
  for (const [name, balanceMicros] of [
    ['flux', 3n * imageRate - 1n],
    // The hold for three images of the highest quality is more than half a dollar.
    ['gpt', 500_000n],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const user = await app.newUser({ balanceMicros })
    const failed = clientOf(user.key).images.generate({
      model: `acme/${name}`,
      prompt: 'A fox',
      n: 3,
      quality: 'high',
      size: '1024x1024',
    })
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await expect(failed).rejects.toMatchObject({ status: 402, code: 'insufficient_credit' })
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect(await settledBalance(user)).toBe(balanceMicros)
  }
  expect(vendor.calls).toHaveLength(calls)
})

test('if the response of a model with token prices has no usage, all held tokens are charged', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  await clientOf(user.key).images.generate({
    model: 'acme/gpt',
    prompt: '[[no-usage]] A fox',
    quality: 'low',
    size: '1024x1024',
  })
  const { usage } = await explain(user)
  expect(usage).toMatchObject({ tokenSource: 'estimated', images: 1, imageOutput: 408, output: 408 })
  const exact = BigInt(usage.input) * tokens.input + 408n * tokens.imageOutput
  expect(await settledBalance(user)).toBe(credit - (exact + 999_999n) / 1_000_000n)
})

test('a router calls the next target when the first target fails', async () => {
  await connectAccount(app, 'down', {
    kind: 'openai_compatible',
    model: 'flux-1.1-pro',
    price: ofImages,
    baseUrl: 'http://127.0.0.1:9/v1',
    apiKey: vendor.apiKey,
  })
  await app.api('PUT', '/v1/routers/acme%2Fdraw', {
    policy: 'priority',
    targets: [{ alias: 'acme/down' }, { alias: 'acme/flux' }],
  })
  const user = await app.newUser({ balanceMicros: imageRate })
  const answer = await clientOf(user.key).images.generate({ model: 'acme/draw', prompt: 'A fox' })
  expect(answer.data).toHaveLength(1)
  expect(await settledBalance(user)).toBe(0n)
})

test.each([
  ['gpt-image-2', 'openai', { input: '1', imageInput: '1' }, 'imageOutput'],
  ['gpt-image-1-mini', 'openai_compatible', { input: '1', imageOutput: '1' }, 'imageInput'],
  ['dall-e-3', 'openai_compatible', { input: '0' }, 'image'],
])(
  '%s at %s is not served with the price %j, which lacks the rate %s',
  async (model, kind, price, missing) => {
    const name = `unpriced-${model}`
    await app.api('PUT', `/v1/providers/${name}`, {
      kind,
      baseUrl: vendor.baseUrls.openai,
      apiKey: vendor.apiKey,
    })
    await app.api('PUT', `/v1/models/${encodeURIComponent(`acme/${name}`)}`, {
      sources: [{ provider: name, model }],
    })
    await app.api('POST', `/v1/providers/${name}/price`, { model, price })
    const user = await app.newUser({ balanceMicros: credit })
    const failed = clientOf(user.key).images.generate({ model: `acme/${name}`, prompt: 'A fox' })
    await expect(failed).rejects.toMatchObject({ code: 'model_unpriced' })
    await app.api('POST', `/v1/providers/${name}/price`, { model, price: { ...price, [missing]: '5' } })
    expect((await app.api('GET', `/v1/models/${encodeURIComponent(`acme/${name}`)}`)).status).toBe('serving')
  },
)

describe('a request that fails', () => {
  test.each<[string, object, number, string]>([
    ['a stream', { model: 'acme/gpt', prompt: 'A fox', stream: true }, 400, 'unsupported_for_route'],
    [
      'an unpublished quality',
      { model: 'acme/gpt', prompt: 'A', quality: 'max' },
      400,
      'unsupported_for_route',
    ],
    ['no prompt', { model: 'acme/gpt' }, 400, 'invalid_request'],
    ['another kind', { model: 'acme/claude', prompt: 'A fox' }, 400, 'unsupported_for_route'],
    ['the provider', { model: 'acme/gpt', prompt: '[[fail=400]]' }, 400, 'upstream_rejected'],
    ['an error under status 200', { model: 'acme/gpt', prompt: '[[error]]' }, 502, 'upstream_error'],
  ])('a request that fails because of %s costs nothing', async (_, body, status, code) => {
    const user = await app.newUser({ balanceMicros: credit })
    const response = await fetch(`${app.gateway}/v1/images/generations`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect([response.status, await response.json()]).toMatchObject([status, { error: { code } }])
    expect(await settledBalance(user)).toBe(credit)
  })
})

test('in test mode the simulator draws images, and rejects a conversation with an image model', async () => {
  const client = clientOf(await testKeyOf(app))
  const { data } = await client.images.generate({ model: 'acme/flux', prompt: 'A fox', n: 2 })
  expect(data).toHaveLength(2)
  const chat = client.chat.completions.create({
    model: 'acme/flux',
    messages: [{ role: 'user', content: 'Hi' }],
  })
  await expect(chat).rejects.toThrow('does not write text. Send the request to /v1/images/generations.')
})
