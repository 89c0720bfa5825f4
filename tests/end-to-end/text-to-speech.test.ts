import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  connectAccount,
  eventually,
  framesOf,
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
/** Prices in micros per million units. The prices are odd numbers, so that rounding changes the charge. */
const characterRate = 15_000_001n
const tokens = { input: 600_001n, audioOutput: 12_000_001n }
const ofCharacters = { input: '0', character: String(characterRate) }
const ofTokens = Object.fromEntries(Object.entries(tokens).map(([name, rate]) => [name, String(rate)]))

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  vendor = await startVendor()
  const account = { baseUrl: vendor.baseUrls.openai, apiKey: vendor.apiKey }
  const connect = (name: string, kind: string, model: string, price: object, baseUrl = account.baseUrl) =>
    connectAccount(app, name, { ...account, baseUrl, kind, model, price } as never)
  await connect('tts', 'openai', 'tts-1', ofCharacters)
  await connect('mini', 'openai', 'gpt-4o-mini-tts', ofTokens)
  await connect('kokoro', 'openai_compatible', 'kokoro-v1', ofCharacters)
  await connect('down', 'openai', 'tts-1', ofCharacters, 'http://127.0.0.1:9/v1')
  await connectAccount(app, 'claude', {
    kind: 'anthropic',
    model: 'claude-opus-4-8',
    price: { input: '1', output: '1', cacheWrite: '1', cacheWriteLong: '1' },
    baseUrl: vendor.baseUrls.anthropic,
    apiKey: vendor.apiKey,
  })
  await app.api('PUT', '/v1/routers/acme%2Fsay', {
    policy: 'priority',
    targets: [{ alias: 'acme/down' }, { alias: 'acme/kokoro' }],
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
const rounded = (exact: bigint) => (exact + 999_999n) / 1_000_000n
const input = 'Né en été 🎉, the fox ran. '.repeat(40)
const charactersIn = (text: string) => Array.from(text).length
const characters = charactersIn(input)

test.each([
  ['tts', 'mp3', 'audio/mpeg'],
  ['kokoro', 'wav', 'audio/wav'],
] as const)(
  'speech of %s as %s is forwarded unchanged and charged by its characters',
  async (name, format, type) => {
    const user = await app.newUser({ balanceMicros: rounded(BigInt(characters) * characterRate) })
    const speech = { model: `acme/${name}`, voice: 'alloy', input, response_format: format }
    const response = await clientOf(user.key).audio.speech.create(speech)
    expect(response.headers.get('content-type')).toBe(type)
    const bytes = Buffer.from(await response.arrayBuffer())
    const { body } = vendor.calls.at(-1) ?? {}
    const own = await fetch(`${vendor.baseUrls.openai}/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${vendor.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(bytes.equals(Buffer.from(await own.arrayBuffer()))).toBe(true)
    expect(body).toMatchObject({ model: name === 'tts' ? 'tts-1' : 'kokoro-v1', input, voice: 'alloy' })
    expect(await settledBalance(user)).toBe(0n)
    expect(await explain(user)).toMatchObject({
      wire: 'speech',
      status: 'settled',
      quote: { uses: { characters } },
      usage: { characters, output: 0, tokenSource: 'provider_reported' },
    })
  },
)

test('speech with a price per token is charged by the length of the audio, and never above its hold', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const response = await clientOf(user.key).audio.speech.create({ model: 'acme/mini', voice: 'coral', input })
  await response.arrayBuffer()
  const { reserve, usage } = await explain(user)
  expect(usage.tokenSource).toBe('estimated')
  // The simulated vendor speaks for 0.06 seconds per unit of the text.
  expect(Math.abs(usage.audioOutput - (input.length * 0.06 * 1_250) / 60)).toBeLessThanOrEqual(2)
  const exact = BigInt(usage.input) * tokens.input + BigInt(usage.audioOutput) * tokens.audioOutput
  expect(await settledBalance(user)).toBe(credit - rounded(exact))
  expect(BigInt(reserve.worstMicros)).toBeGreaterThan(rounded(exact))
})

test('a stream of events is charged by its reported usage, and ends with the charge report', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const response = await clientOf(user.key).audio.speech.create(
    { model: 'acme/mini', voice: 'coral', input, stream_format: 'sse' },
    { headers: { 'x-svc-report': '1' } },
  )
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const frames = framesOf(await response.text())
  const last = frames.at(-1)
  expect(last.type).toBe('speech.audio.done')
  const { input_tokens: inputTokens, output_tokens: outputTokens } = last.usage
  const charged = rounded(BigInt(inputTokens) * tokens.input + BigInt(outputTokens) * tokens.audioOutput)
  expect(last.svc.chargeMicros).toBe(String(charged))
  expect(await settledBalance(user)).toBe(credit - charged)
  expect((await explain(user)).usage).toMatchObject({
    audioOutput: outputTokens,
    tokenSource: 'provider_reported',
  })
})

test('the client receives the first bytes before the last are sent, and pays for the whole text if it disconnects', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const said = `[[hang]] ${input}`
  const response = await clientOf(user.key).audio.speech.create({
    model: 'acme/tts',
    voice: 'alloy',
    input: said,
  })
  const reader = response.body?.getReader()
  const first = await reader?.read()
  expect(first?.value?.length).toBeGreaterThan(1_000)
  await reader?.cancel()
  const charged = rounded(BigInt(charactersIn(said)) * characterRate)
  await eventually(async () => expect(await settledBalance(user)).toBe(credit - charged))
})

test('if the provider’s response is interrupted, the client’s connection is closed', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const said = `[[cut=1]] ${input}`
  const response = await clientOf(user.key).audio.speech.create({
    model: 'acme/tts',
    voice: 'alloy',
    input: said,
  })
  await expect(response.arrayBuffer()).rejects.toThrow('terminated')
  const [request] = await user.requests()
  expect(request).toMatchObject({ errorCode: 'upstream_error' })
})

test('a router continues at the next target when the first target fails', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const speech = { model: 'acme/say', voice: 'alloy', input: 'Hi' }
  const response = await clientOf(user.key).audio.speech.create(speech)
  expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0)
  expect(await settledBalance(user)).toBe(credit - rounded(2n * characterRate))
})

test.each([
  ['tts-1-hd', 'openai', { input: '0' }, 'character'],
  ['gpt-4o-mini-tts', 'azure_openai', { input: '1' }, 'audioOutput'],
])('%s at %s is not served with the price %j, which lacks %s', async (model, kind, price, missing) => {
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
  const failed = clientOf(user.key).audio.speech.create({
    model: `acme/${name}`,
    voice: 'alloy',
    input: 'Hi',
  })
  await expect(failed).rejects.toMatchObject({ code: 'model_unpriced' })
  await app.api('POST', `/v1/providers/${name}/price`, { model, price: { ...price, [missing]: '5' } })
  expect((await app.api('GET', `/v1/models/${encodeURIComponent(`acme/${name}`)}`)).status).toBe('serving')
})

describe('a request that fails', () => {
  const usual = { model: 'acme/tts', voice: 'alloy', input: 'Hi' }
  test.each<[string, object, number, string]>([
    ['no text', { ...usual, input: undefined }, 400, 'invalid_request'],
    ['another kind', { ...usual, model: 'acme/claude' }, 400, 'unsupported_for_route'],
    ['the provider', { ...usual, input: '[[fail=429]]' }, 429, 'rate_limit_exceeded'],
    ['an error under status 200', { ...usual, input: '[[error]]' }, 502, 'upstream_error'],
    ['the balance', { ...usual, input: 'A fox. '.repeat(500) }, 402, 'insufficient_credit'],
  ])('a request that fails because of %s costs nothing', async (_, body, status, code) => {
    const balanceMicros = 10_000n
    const user = await app.newUser({ balanceMicros })
    const response = await fetch(`${app.gateway}/v1/audio/speech`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect([response.status, await response.json()]).toMatchObject([status, { error: { code } }])
    expect(await settledBalance(user)).toBe(balanceMicros)
  })
})

test('a probe reads the provider’s speech and records its cost', async () => {
  const probe = await app.api('POST', '/v1/providers/tts/probe', { model: 'tts-1' })
  expect(probe).toMatchObject({ ok: true })
})

test('in test mode the simulator speaks, and rejects a conversation with the model', async () => {
  const client = clientOf(await testKeyOf(app))
  const response = await client.audio.speech.create({ model: 'acme/tts', voice: 'alloy', input: 'Hi' })
  expect(
    Buffer.from(await response.arrayBuffer())
      .subarray(0, 2)
      .toString('hex'),
  ).toBe('fff3')
  const chat = client.chat.completions.create({
    model: 'acme/tts',
    messages: [{ role: 'user', content: 'Hi' }],
  })
  await expect(chat).rejects.toThrow('does not write text. Send the request to /v1/audio/speech.')
})
