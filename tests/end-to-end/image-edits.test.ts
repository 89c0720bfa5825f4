import { randomBytes } from 'node:crypto'
import OpenAI, { toFile } from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  connectAccount,
  makeApplication,
  settledBalance,
  startServer,
  testKeyOf,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'
import { startVendor, type Vendor } from '../support/simulated-vendor.ts'

let server: LocalServer
let app: Application
let vendor: Vendor

const credit = 100_000_000n
const tokens = { input: 5_000_001n, imageInput: 8_000_001n, imageOutput: 30_000_001n }
const price = Object.fromEntries(Object.entries(tokens).map(([name, rate]) => [name, String(rate)]))
const imageRate = 40_003n

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  vendor = await startVendor()
  const account = { baseUrl: vendor.baseUrls.openai, apiKey: vendor.apiKey }
  await connectAccount(app, 'gpt', { ...account, kind: 'openai', model: 'gpt-image-2', price })
  await connectAccount(app, 'flux', {
    ...account,
    kind: 'openai_compatible',
    model: 'flux-kontext-pro',
    price: { input: '0', image: String(imageRate) },
  })
  const down = { ...account, baseUrl: 'http://127.0.0.1:9/v1' }
  await connectAccount(app, 'down', { ...down, kind: 'openai', model: 'gpt-image-2', price })
  await connectAccount(app, 'grok', {
    ...account,
    kind: 'xai',
    model: 'grok-2-image',
    price: { input: '0', image: String(imageRate) },
  })
  await app.api('PUT', '/v1/routers/acme%2Fedit', {
    policy: 'priority',
    targets: [{ alias: 'acme/down' }, { alias: 'acme/flux' }],
  })
})
afterAll(async () => {
  await app.provider.close()
  await vendor.close()
  await server.close()
})

const clientOf = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${app.gateway}/v1`, maxRetries: 0 })
const imageOf = (bytes: Uint8Array) => toFile(bytes, 'fox.png', { type: 'image/png' })
const small = Buffer.from('89504e470d0a1a0a', 'hex')

test.each([
  ['one small image', [small]],
  ['several images of any bytes', [small, randomBytes(300_000), randomBytes(2_000_000)]],
])('the official client edits %s, and the tokens of the request are charged', async (_, files) => {
  const user = await app.newUser({ balanceMicros: credit })
  const images = await Promise.all(files.map(imageOf))
  const [first] = images
  if (first === undefined) throw new Error('no image')
  const { data, usage } = await clientOf(user.key).images.edit({
    model: 'acme/gpt',
    image: images.length === 1 ? first : images,
    prompt: 'Add a fox, né en été',
    n: 2,
    quality: 'low',
    size: '1024x1024',
  })
  expect(data).toHaveLength(2)
  const sent = vendor.calls.at(-1)
  expect(sent?.path).toBe('/v1/images/edits')
  expect(sent?.text).toContain('gpt-image-2')
  expect(sent?.text).toContain('né en été')
  expect(sent?.text).not.toContain('acme/')
  const details = usage?.input_tokens_details
  expect(details?.image_tokens).toBe(files.length * 2_000)
  const exact =
    BigInt(details?.text_tokens ?? 0) * tokens.input +
    BigInt(details?.image_tokens ?? 0) * tokens.imageInput +
    BigInt(usage?.output_tokens ?? 0) * tokens.imageOutput
  expect(await settledBalance(user)).toBe(credit - (exact + 999_999n) / 1_000_000n)
  const [request] = await user.requests()
  expect(request).toMatchObject({ wire: 'image_edits', status: 'settled' })
  const { reserve } = await app.api('GET', `/v1/requests/${request.id}`)
  expect(BigInt(reserve.worstMicros)).toBeGreaterThanOrEqual((exact + 999_999n) / 1_000_000n)
})

test('a router sends the whole form to the next target when the first target fails', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const answer = await clientOf(user.key).images.edit({
    model: 'acme/edit',
    image: await imageOf(randomBytes(400_000)),
    prompt: 'Add a fox',
  })
  expect(answer.data).toHaveLength(1)
  expect(vendor.calls.at(-1)?.text).toContain('flux-kontext-pro')
  expect(await settledBalance(user)).toBe(credit - imageRate)
})

describe('a request that fails', () => {
  const form = (fields: Readonly<Record<string, string>>): FormData => {
    const data = new FormData()
    for (const [name, value] of Object.entries(fields)) data.append(name, value)
    data.append('image', new Blob([small]), 'a.png')
    return data
  }
  const asked = { model: 'acme/gpt', prompt: 'A fox' }
  const json = { 'content-type': 'application/json' }
  test.each<[string, FormData | string, Record<string, string>, number, string]>([
    ['JSON', JSON.stringify(asked), json, 415, 'unsupported_media_type'],
    ['no boundary', 'x', { 'content-type': 'multipart/form-data' }, 415, 'unsupported_media_type'],
    ['a cut form', '--a\r\n', { 'content-type': 'multipart/form-data; boundary=a' }, 400, 'invalid_request'],
    ['no prompt', form({ model: 'acme/gpt' }), {}, 400, 'invalid_request'],
    ['a stream', form({ ...asked, stream: 'true' }), {}, 400, 'unsupported_for_route'],
    ['an unknown model', form({ ...asked, model: 'acme/none' }), {}, 404, 'model_not_found'],
    ['an account without edits', form({ ...asked, model: 'acme/grok' }), {}, 400, 'unsupported_for_route'],
    ['the provider', form({ ...asked, prompt: '[[fail=429]]' }), {}, 429, 'rate_limit_exceeded'],
  ])('a request that fails because of %s costs nothing', async (_, body, headers, status, code) => {
    const user = await app.newUser({ balanceMicros: credit })
    const response = await fetch(`${app.gateway}/v1/images/edits`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.key}`, ...headers },
      body,
    })
    expect([response.status, await response.json()]).toMatchObject([status, { error: { code } }])
    expect(await settledBalance(user)).toBe(credit)
  })

  test('an image edit that the balance does not cover in full costs nothing', async () => {
    const user = await app.newUser({ balanceMicros: 3n * imageRate - 1n })
    const calls = vendor.calls.length
    const failed = clientOf(user.key).images.edit({
      model: 'acme/flux',
      image: await imageOf(small),
      prompt: 'Add a fox',
      n: 3,
    })
    await expect(failed).rejects.toMatchObject({ status: 402, code: 'insufficient_credit' })
    expect(vendor.calls).toHaveLength(calls)
    expect(await settledBalance(user)).toBe(3n * imageRate - 1n)
  })
})

test('a form body is rejected on a path that requires JSON', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const data = new FormData()
  data.append('model', 'acme/gpt')
  const response = await fetch(`${app.gateway}/v1/images/generations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${user.key}` },
    body: data,
  })
  expect([response.status, await response.json()]).toMatchObject([
    415,
    { error: { code: 'unsupported_media_type' } },
  ])
})

test('in test mode the simulator edits images', async () => {
  const client = clientOf(await testKeyOf(app))
  const { data } = await client.images.edit({
    model: 'acme/gpt',
    image: await imageOf(small),
    prompt: 'Add a fox',
  })
  expect(data).toHaveLength(1)
})
