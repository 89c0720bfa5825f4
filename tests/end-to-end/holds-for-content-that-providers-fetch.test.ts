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

/** An input token costs one micro, an audio token three, and an output token two. */
const price = { input: '1000000', imageInput: '1000000', audioInput: '3000000', output: '2000000' }
const json = { 'content-type': 'application/json' }
/** The context window that the gateway assumes for a model that is not in the catalog. */
const windowTokens = 2_000_000

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  const account = { baseUrl: app.provider.baseUrl, apiKey: upstreamKey, price }
  await connectAccount(app, 'gemini', { ...account, kind: 'google', model: 'own-gemini' })
  await connectAccount(app, 'vertex', { ...account, kind: 'vertex', model: 'own-gemini' })
  await connectAccount(app, 'gpt', {
    ...account,
    price: { ...price, cacheWrite: '1000000' },
    kind: 'openai',
    model: 'own-gpt',
  })
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

async function post(key: string, path: string, body: object): Promise<Answer> {
  return answerOf(
    await fetch(`${app.gateway}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, ...json },
      body: JSON.stringify(body),
    }),
  )
}

const gemini = '/v1beta/models/acme/gemini:generateContent'

function askingGemini(fileData: object): object {
  return {
    contents: [{ role: 'user', parts: [{ text: 'What is said?' }, { fileData }] }],
    generationConfig: { maxOutputTokens: 100 },
  }
}

function askingGpt(file: object): object {
  return {
    model: 'acme/gpt',
    input: [
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Sum up' },
          { type: 'input_file', ...file },
        ],
      },
    ],
    max_output_tokens: 100,
  }
}

const video = { fileUri: 'https://www.youtube.com/watch?v=a' }

test('the hold for a video at an address is the context window at the price of audio, and the reported usage is charged', async () => {
  const user = await app.newUser({ balanceMicros: 10_000_000n })
  app.provider.script({
    status: 200,
    headers: json,
    body: JSON.stringify({
      candidates: [{ content: { parts: [{ text: 'Rain' }], role: 'model' }, finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: 17_404,
        candidatesTokenCount: 5,
        totalTokenCount: 17_409,
        promptTokensDetails: [
          { modality: 'TEXT', tokenCount: 4 },
          { modality: 'VIDEO', tokenCount: 15_480 },
          { modality: 'AUDIO', tokenCount: 1_920 },
        ],
      },
      modelVersion: 'own-gemini',
    }),
  })
  const body = askingGemini(video)
  const answer = await post(user.key, gemini, body)
  expect(answer.status).toBe(200)
  expect(app.provider.calls.at(-1)?.body).toEqual(body)
  const { quote, reserve, settle } = await app.api(
    'GET',
    `/v1/requests/${answer.headers.get('x-request-id')}`,
  )
  expect(quote.audioTokensMax).toBe(windowTokens - quote.textTokensMax)
  expect(reserve.firstWorstMicros).toBe(String(quote.textTokensMax + 3 * quote.audioTokensMax + 200))
  const charge = 4 + 15_480 + 3 * 1_920 + 10
  expect(settle).toMatchObject({ chargeMicros: String(charge), overHoldMicros: '0' })
  expect(await settledBalance(user)).toBe(10_000_000n - BigInt(charge))
})

test('the hold for a document at an address covers the context window, as text and as page images', async () => {
  const user = await app.newUser({ balanceMicros: 10_000_000n })
  app.provider.script({
    status: 200,
    headers: json,
    body: JSON.stringify({
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      model: 'own-gpt',
      output: [],
      usage: { input_tokens: 700, output_tokens: 9, total_tokens: 709 },
    }),
  })
  const answer = await post(user.key, '/v1/responses', askingGpt({ file_url: 'https://x.example/a.pdf' }))
  expect(answer.status).toBe(200)
  expect(await settledBalance(user)).toBe(10_000_000n - 700n - 18n)
  const { quote } = await app.api('GET', `/v1/requests/${answer.headers.get('x-request-id')}`)
  expect([quote.audioTokensMax, quote.imageTokensMax]).toEqual([0, windowTokens - quote.textTokensMax])
})

test('fetched content is rejected if the balance does not cover it, or if it cannot be sent', async () => {
  const poor = await app.newUser({ balanceMicros: 1_000_000n })
  const rich = await app.newUser({ balanceMicros: 100_000_000n })
  const calls = app.provider.calls.length
  expect((await post(poor.key, gemini, askingGemini(video))).status).toBe(402)
  const asAnother = gemini.replace('acme/gemini', app.model)
  const converted = await post(rich.key, asAnother, askingGemini(video))
  expect([converted.status, converted.body.error.message]).toEqual([
    400,
    expect.stringMatching(/fetches only images and PDFs/),
  ])
  const own = await post(rich.key, gemini, askingGemini({ fileUri: 'https://drive.google.com/file/d/a' }))
  expect([own.status, own.body.error.message]).toEqual([400, expect.stringMatching(/only public/)])
  const local = await post(rich.key, '/v1/responses', askingGpt({ file_url: 'file:///etc/passwd' }))
  expect([local.status, local.body.error.code]).toEqual([400, 'unsupported_for_route'])
  const chat = { ...askingGpt({ file_url: 'https://x.example/a.pdf' }), model: app.model }
  const asChat = await post(rich.key, '/v1/responses', chat)
  expect([asChat.status, asChat.body.error.message]).toEqual([
    400,
    expect.stringMatching(/fetches no documents/),
  ])
  expect(app.provider.calls).toHaveLength(calls)
})

test('in test mode, the simulator answers a request with content at an address', async () => {
  const key = await testKeyOf(app)
  const answer = await post(key, gemini, askingGemini(video))
  expect([answer.status, answer.body.error]).toEqual([200, undefined])
  const file = { file_url: 'https://x.example/a.pdf' }
  expect((await post(key, '/v1/responses', askingGpt(file))).status).toBe(200)
})

const vertex = '/v1beta/models/acme/vertex:generateContent'
const manual = { fileUri: 'gs://acme-manuals/de/a.mp4', mimeType: 'video/mp4' }
const setPrefixes = (storagePrefixes: readonly string[]): Promise<unknown> =>
  app.api('PATCH', '/v1/gateway', { storagePrefixes })

test('a file in Cloud Storage is sent as soon as the application allows its bucket, and rejected before', async () => {
  const user = await app.newUser({ balanceMicros: 100_000_000n })
  const counting = vertex.replace('generateContent', 'countTokens')
  const calls = app.provider.calls.length
  const refused = await post(user.key, vertex, askingGemini(manual))
  expect([refused.status, refused.body.error]).toEqual([
    400,
    expect.objectContaining({
      message: expect.stringMatching(/does not allow gs:\/\/acme-manuals.*storagePrefixes/),
    }),
  ])
  expect((await post(user.key, counting, askingGemini(manual))).status).toBe(400)
  expect(app.provider.calls).toHaveLength(calls)

  await setPrefixes(['gs://acme-manuals/de/'])
  app.provider.script({ status: 200, headers: json, body: geminiAnswer(900) })
  const body = askingGemini(manual)
  const answer = await post(user.key, vertex, body)
  expect([answer.status, answer.body.error]).toEqual([200, undefined])
  expect(app.provider.calls.at(-1)?.body).toMatchObject({ contents: [{ parts: [{}, { fileData: manual }] }] })
  const { quote, settle } = await app.api('GET', `/v1/requests/${answer.headers.get('x-request-id')}`)
  expect(quote.audioTokensMax).toBe(windowTokens - quote.textTokensMax)
  expect(settle.chargeMicros).toBe('910')

  const tool = { functionResponse: { name: 'get', response: {}, parts: [{ fileData: manual }] } }
  const asResult = { contents: [{ role: 'user', parts: [tool] }], generationConfig: { maxOutputTokens: 100 } }
  expect((await post(user.key, vertex, asResult)).status).toBe(200)
  expect((await post(user.key, gemini, askingGemini(manual))).body.error.message).toMatch(/does not read gs:/)

  await setPrefixes([])
  expect((await post(user.key, vertex, askingGemini(manual))).status).toBe(400)
  expect((await post(user.key, vertex, asResult)).status).toBe(400)
})

test.each([
  'gs://acme-manuals-private/a.pdf',
  'gs://acme-manuals',
  'gs://acme-manuals/',
  'gs://acme-manuals/de/../private/a.pdf',
  'gs://acme-manuals/./a.pdf',
  'gs://acme-manuals//a.pdf',
  'gs://acme-manuals/*.pdf',
  'gs://acme-manuals/%2e%2e/a.pdf',
  'gs://acme-manuals/a.pdf#1',
  'gs://acme-manuals/a\\b.pdf',
  'GS://acme-manuals/a.pdf',
  'gs://user@acme-manuals/a.pdf',
])('%s is rejected although the bucket acme-manuals is allowed', async (fileUri) => {
  await setPrefixes(['gs://acme-manuals/'])
  const user = await app.newUser({ balanceMicros: 100_000_000n })
  const calls = app.provider.calls.length
  const answer = await post(user.key, vertex, askingGemini({ fileUri, mimeType: 'application/pdf' }))
  expect([answer.status, answer.body.error.message]).toEqual([400, expect.stringMatching(/fileUri is not/)])
  expect(app.provider.calls).toHaveLength(calls)
})

test("images in Google's public sample buckets need no setting", async () => {
  await setPrefixes([])
  const user = await app.newUser({ balanceMicros: 100_000_000n })
  app.provider.script({ status: 200, headers: json, body: geminiAnswer(300) })
  const image = { fileUri: 'gs://cloud-samples-data/generative-ai/image/a.jpeg', mimeType: 'image/jpeg' }
  const answer = await post(user.key, vertex, askingGemini(image))
  expect(answer.status).toBe(200)
  const { quote } = await app.api('GET', `/v1/requests/${answer.headers.get('x-request-id')}`)
  expect([quote.audioTokensMax, quote.imageTokensMax > 0]).toEqual([0, true])
})

function geminiAnswer(promptTokenCount: number): string {
  return JSON.stringify({
    candidates: [{ content: { parts: [{ text: 'Rain' }], role: 'model' }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount, candidatesTokenCount: 5, totalTokenCount: promptTokenCount + 5 },
    modelVersion: 'own-gemini',
  })
}
