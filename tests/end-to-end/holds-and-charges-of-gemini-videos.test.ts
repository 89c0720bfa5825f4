import { afterAll, beforeAll, expect, test } from 'vitest'
import { mp4 } from '../fixtures/build-video-files.ts'
import {
  answerOf,
  connectAccount,
  makeApplication,
  settledBalance,
  startServer,
  upstreamKey,
  type Answer,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application

/** An input token costs one micro, an audio token three, and an output token two. */
const price = { input: '1000000', audioInput: '3000000', output: '2000000' }
const json = { 'content-type': 'application/json' }

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  const account = { baseUrl: app.provider.baseUrl, apiKey: upstreamKey, price }
  await connectAccount(app, 'gemini', { ...account, kind: 'google', model: 'gemini-2.5-pro' })
  await connectAccount(app, 'embedding', { ...account, kind: 'google', model: 'gemini-embedding-2' })
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

const minute = mp4({ units: 60_000 }).toString('base64')

async function send(key: string, model: string, method: string, body: object): Promise<Answer> {
  return answerOf(
    await fetch(`${app.gateway}/v1beta/models/${model}:${method}`, {
      method: 'POST',
      headers: { 'x-goog-api-key': key, ...json },
      body: JSON.stringify(body),
    }),
  )
}

function asking(videoMetadata?: object): object {
  const video = {
    inlineData: { mimeType: 'video/mp4', data: minute },
    ...(videoMetadata && { videoMetadata }),
  }
  return {
    contents: [{ role: 'user', parts: [{ text: 'What happens?' }, video] }],
    generationConfig: { maxOutputTokens: 100 },
  }
}

/** Google reports 258 tokens for each frame, and 32 for each second of sound. */
function answers(): void {
  const promptTokensDetails = [
    { modality: 'TEXT', tokenCount: 4 },
    { modality: 'VIDEO', tokenCount: 60 * 258 },
    { modality: 'AUDIO', tokenCount: 60 * 32 },
  ]
  const promptTokenCount = 4 + 60 * 258 + 60 * 32
  const body = JSON.stringify({
    candidates: [{ content: { parts: [{ text: 'Rain' }], role: 'model' }, finishReason: 'STOP' }],
    usageMetadata: {
      promptTokenCount,
      candidatesTokenCount: 5,
      totalTokenCount: promptTokenCount + 5,
      promptTokensDetails,
    },
    modelVersion: 'gemini-2.5-pro',
  })
  app.provider.script({ status: 200, headers: json, body })
}

test('the hold for a video of a minute covers its frames and its sound, and the reported usage is charged', async () => {
  const user = await app.newUser({ balanceMicros: 1_000_000n })
  answers()
  const answer = await send(user.key, 'acme/gemini', 'generateContent', asking())
  expect(answer.status).toBe(200)
  const { quote, reserve, settle } = await app.api(
    'GET',
    `/v1/requests/${answer.headers.get('x-request-id')}`,
  )
  expect(quote.audioTokensMax).toBe(61 * 32)
  expect(quote.textTokensMax).toBeGreaterThan(61 * 300)
  expect(quote.textTokensMax).toBeLessThan(61 * 300 + 200)
  expect(reserve.firstWorstMicros).toBe(String(quote.textTokensMax + 3 * 61 * 32 + 200))
  const charge = 4 + 60 * 258 + 3 * 60 * 32 + 10
  expect(settle).toMatchObject({ chargeMicros: String(charge), overHoldMicros: '0' })
  expect(await settledBalance(user)).toBe(1_000_000n - BigInt(charge))
})

test('the hold grows with the frames per second, and the rest of the request is sent unchanged', async () => {
  const user = await app.newUser({ balanceMicros: 1_000_000n })
  const calls = app.provider.calls.length
  const body = asking({ fps: 10, startOffset: '1s' })
  const rejected = await send(user.key, 'acme/gemini', 'generateContent', asking({ fps: 100 }))
  expect([rejected.status, rejected.body.error.status]).toEqual([400, 'INVALID_ARGUMENT'])
  expect(app.provider.calls).toHaveLength(calls)
  answers()
  const answer = await send(user.key, 'acme/gemini', 'generateContent', body)
  expect(answer.status).toBe(200)
  expect(app.provider.calls.at(-1)?.body).toEqual(body)
  const { quote } = await app.api('GET', `/v1/requests/${answer.headers.get('x-request-id')}`)
  expect(quote.textTokensMax).toBeGreaterThan(601 * 300)
})

test('a video is rejected if the balance does not cover it, if it cannot be sent to the provider, or if it has no price', async () => {
  const poor = await app.newUser({ balanceMicros: 10_000n })
  const calls = app.provider.calls.length
  expect((await send(poor.key, 'acme/gemini', 'generateContent', asking())).status).toBe(402)
  const user = await app.newUser({ balanceMicros: 1_000_000n })
  const converted = await send(user.key, app.model, 'generateContent', asking())
  expect([converted.status, converted.body.error.message]).toEqual([
    400,
    expect.stringMatching(/provider of this model does not accept this video/),
  ])
  const { contents } = asking() as { contents: readonly object[] }
  const embedded = await send(user.key, 'acme/embedding', 'embedContent', { content: contents[0] })
  expect([embedded.status, embedded.body.error.message]).toEqual([
    400,
    expect.stringMatching(/videos have no price/),
  ])
  expect(app.provider.calls).toHaveLength(calls)
})
