import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  answerOf,
  connectAccount,
  makeApplication,
  settledBalance,
  startServer,
  testKeyOf,
  upstreamKey,
  type Answer,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application

const price = { input: '1000000', output: '2000000' }
const imagePrice = { ...price, imageInput: '1000000', imageOutput: '30000000' }

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  const account = { baseUrl: app.provider.baseUrl, apiKey: upstreamKey, kind: 'google' }
  await connectAccount(app, 'image', { ...account, model: 'own-image', price: imagePrice })
  await connectAccount(app, 'text', { ...account, model: 'own-text', price })
  await connectAccount(app, 'unpriced', { ...account, model: 'gemini-9-image', price })
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

async function send(key: string, model: string, config: object, method = 'generateContent'): Promise<Answer> {
  const body = {
    contents: [{ role: 'user', parts: [{ text: 'Draw an axolotl' }] }],
    generationConfig: { responseModalities: ['TEXT', 'IMAGE'], ...config },
  }
  return answerOf(
    await fetch(`${app.gateway}/v1beta/models/${model}:${method}`, {
      method: 'POST',
      headers: { 'x-goog-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  )
}

const image = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo'.repeat(20_000) } }
const usageMetadata = {
  promptTokenCount: 9,
  candidatesTokenCount: 1_295,
  totalTokenCount: 1_304,
  candidatesTokensDetails: [
    { modality: 'TEXT', tokenCount: 5 },
    { modality: 'IMAGE', tokenCount: 1_290 },
  ],
}
const body = {
  candidates: [{ content: { parts: [{ text: 'Here it is' }, image], role: 'model' }, finishReason: 'STOP' }],
  usageMetadata,
  modelVersion: 'own-image',
}
const charge = 9n + 5n * 2n + 1_290n * 30n

test.each([
  [{}, 8_192],
  [{ maxOutputTokens: 100 }, 100],
  [{ maxOutputTokens: 100, responseModalities: undefined }, 100],
])(
  'with the settings %j, the hold covers an image at the rate for images, and the reported tokens are charged',
  async (config, outputTokens) => {
    const user = await app.newUser({ balanceMicros: 10_000_000n })
    app.provider.enqueue({ body })
    const answer = await send(user.key, 'acme/image', config)
    expect([answer.status, answer.body.candidates[0].content.parts[1]]).toEqual([200, image])
    const { quote, reserve, settle } = await app.api(
      'GET',
      `/v1/requests/${answer.headers.get('x-request-id')}`,
    )
    expect(quote.uses).toEqual({ imageOutput: 2_520 })
    expect(reserve.firstWorstMicros).toBe(String(quote.textTokensMax + 30 * (outputTokens + 2_520)))
    expect(settle).toMatchObject({ chargeMicros: String(charge), overHoldMicros: '0' })
    expect(await settledBalance(user)).toBe(10_000_000n - charge)
  },
)

test('a stream with an image is forwarded completely, and is charged by its usage', async () => {
  const user = await app.newUser({ balanceMicros: 10_000_000n })
  app.provider.enqueue({ body: `data: ${JSON.stringify(body)}\r\n\r\n`, contentType: 'text/event-stream' })
  const answer = await send(user.key, 'acme/image', {}, 'streamGenerateContent?alt=sse')
  expect(answer.status).toBe(200)
  expect(answer.text).toContain(image.inlineData.data)
  expect(await settledBalance(user)).toBe(10_000_000n - charge)
})

test('a model that is named for images generates them by default, so its price needs the rate for images', async () => {
  const user = await app.newUser({ balanceMicros: 10_000_000n })
  const calls = app.provider.calls.length
  const byDefault = await send(user.key, 'acme/unpriced', { responseModalities: undefined })
  expect([byDefault.status, byDefault.body.error.message]).toEqual([
    400,
    expect.stringMatching(/no price for generated images.*request only TEXT/),
  ])
  const converted = await answerOf(
    await fetch(`${app.gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'acme/unpriced', messages: [{ role: 'user', content: 'Draw' }] }),
    }),
  )
  expect([converted.status, converted.body.error.message]).toEqual([
    400,
    expect.stringMatching(/no price for generated images/),
  ])
  expect(app.provider.calls).toHaveLength(calls)
  app.provider.enqueue({ body })
  expect((await send(user.key, 'acme/unpriced', { responseModalities: ['TEXT'] })).status).toBe(200)
})

test('images are rejected if they have no price, if the provider is not Gemini, and if the balance is too low', async () => {
  const user = await app.newUser({ balanceMicros: 10_000_000n })
  const poor = await app.newUser({ balanceMicros: 50_000n })
  const calls = app.provider.calls.length
  const unpriced = await send(user.key, 'acme/text', {})
  expect([unpriced.status, unpriced.body.error.message]).toEqual([
    400,
    expect.stringMatching(/no price for generated images/),
  ])
  const converted = await send(user.key, app.model, {})
  expect([converted.status, converted.body.error.message]).toEqual([400, expect.stringMatching(/text only/)])
  expect((await send(poor.key, 'acme/image', {})).status).toBe(402)
  const speech = await send(user.key, 'acme/image', { responseModalities: ['AUDIO'] })
  expect([speech.status, speech.body.error.message]).toEqual([400, expect.stringMatching(/amount of speech/)])
  expect(app.provider.calls).toHaveLength(calls)
})

test('in test mode, the simulator answers a request for images', async () => {
  expect((await send(await testKeyOf(app), 'acme/image', {})).status).toBe(200)
})
