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
  type User,
} from '../support/start-product.ts'
import { startVendor, type Vendor } from '../support/simulated-vendor.ts'

let server: LocalServer
let app: Application
let vendor: Vendor

const credit = 100_000_000n
/** Prices in micros per million units. The prices are odd numbers, so that rounding changes the charge. */
const secondRate = 100_000_001n
const tokens = { input: 2_500_001n, audioInput: 6_000_001n, output: 10_000_001n }
const ofSeconds = { input: '0', audioSecond: String(secondRate) }
const ofTokens = Object.fromEntries(Object.entries(tokens).map(([name, rate]) => [name, String(rate)]))

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  vendor = await startVendor()
  const account = { baseUrl: vendor.baseUrls.openai, apiKey: vendor.apiKey }
  const connect = (name: string, kind: string, model: string, price: object, baseUrl = account.baseUrl) =>
    connectAccount(app, name, { ...account, baseUrl, kind, model, price } as never)
  await connect('whisper', 'openai', 'whisper-1', ofSeconds)
  await connect('groq', 'groq', 'whisper-large-v3', ofSeconds)
  await connect('gpt', 'openai', 'gpt-4o-transcribe', ofTokens)
  await connect('down', 'openai', 'whisper-1', ofSeconds, 'http://127.0.0.1:9/v1')
  await connectAccount(app, 'claude', {
    kind: 'anthropic',
    model: 'claude-opus-4-8',
    price: { input: '1', output: '1', cacheWrite: '1', cacheWriteLong: '1' },
    baseUrl: vendor.baseUrls.anthropic,
    apiKey: vendor.apiKey,
  })
  await app.api('PUT', '/v1/routers/acme%2Fhear', {
    policy: 'priority',
    targets: [{ alias: 'acme/down' }, { alias: 'acme/groq' }],
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

/** At 16,000 bytes per second. */
function wav(seconds: number): Buffer {
  const head = Buffer.from(
    '524946460000000057415645666d74201000000001000100401f0000803e0000020010006461746100000000',
    'hex',
  )
  return Buffer.concat([head, randomBytes(seconds * 16_000 - head.length)])
}
const talk = (seconds: number) => toFile(wav(seconds), 'talk.wav')
const prompt = 'Né en été, the fox ran. '.repeat(6)

describe.each(['whisper', 'groq'])('a transcription at a price per second, by the account %s', (name) => {
  test.each(['json', 'verbose_json', 'text', 'srt', 'vtt'] as const)(
    'a transcript in the format %s is returned unchanged, and its seconds are charged',
    async (format) => {
      const user = await app.newUser({ balanceMicros: credit })
      const asked = { model: `acme/${name}`, file: await talk(61), prompt, response_format: format }
      const answer: unknown = await clientOf(user.key).audio.transcriptions.create(asked)
      if (format === 'json' || format === 'verbose_json') expect(answer).toMatchObject({ text: prompt })
      else expect(answer).toContain(prompt)
      const sent = vendor.calls.at(-1)
      expect(sent?.path).toBe('/v1/audio/transcriptions')
      expect(sent?.text).toContain('whisper')
      expect(sent?.text).not.toContain('acme/')
      const charged = rounded(61n * secondRate)
      expect(await settledBalance(user)).toBe(credit - charged)
      const { reserve, status, usage, wire } = await explain(user)
      expect({ status, wire, usage }).toMatchObject({
        status: 'settled',
        wire: 'transcriptions',
        usage: { audioSeconds: 61, audioInput: 0, output: 0, tokenSource: 'provider_reported' },
      })
      expect(BigInt(reserve.worstMicros)).toBe(charged)
    },
  )
})

test('a translation is charged like a transcription', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const asked = { model: 'acme/whisper', file: await talk(10), prompt: 'Hi' }
  expect(await clientOf(user.key).audio.translations.create(asked)).toMatchObject({ text: 'Hi' })
  expect(vendor.calls.at(-1)?.path).toBe('/v1/audio/translations')
  expect(await settledBalance(user)).toBe(credit - rounded(10n * secondRate))
})

const costOf = (usage: { input: number; audioInput: number; output: number }) =>
  rounded(
    BigInt(usage.input) * tokens.input +
      BigInt(usage.audioInput) * tokens.audioInput +
      BigInt(usage.output) * tokens.output,
  )

test('reported tokens are charged up to the hold, and the charge report is in the headers', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const asked = { model: 'acme/gpt', file: await talk(120), prompt }
  const { data, response } = await clientOf(user.key)
    .audio.transcriptions.create(asked, { headers: { 'x-svc-report': '1' } })
    .withResponse()
  const { reserve, usage } = await explain(user)
  expect(usage).toMatchObject({ audioInput: 1_200, tokenSource: 'provider_reported' })
  expect(data.usage).toMatchObject({ output_tokens: usage.output })
  const charged = costOf(usage)
  expect(await settledBalance(user)).toBe(credit - charged)
  expect(response.headers.get('x-svc-charge-micros')).toBe(String(charged))
  expect(BigInt(reserve.worstMicros)).toBeGreaterThan(charged)
})

test('a streamed transcription is charged by the usage in its last event', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const asked = { model: 'acme/gpt', file: await talk(30), prompt, stream: true } as const
  const stream = await clientOf(user.key).audio.transcriptions.create(asked, {
    headers: { 'x-svc-report': '1' },
  })
  let text = ''
  let last: unknown
  for await (const event of stream) {
    if (event.type === 'transcript.text.delta') text += event.delta
    last = event
  }
  expect(text).toBe(prompt)
  const { usage } = await explain(user)
  expect(usage).toMatchObject({ audioInput: 300, tokenSource: 'provider_reported' })
  expect(await settledBalance(user)).toBe(credit - costOf(usage))
  expect(last).toMatchObject({
    type: 'transcript.text.done',
    svc: { chargeMicros: String(costOf(usage)) },
    usage: { output_tokens: usage.output },
  })
})

test('a plain-text transcript of a model with token prices is charged by the length that the gateway counted', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const asked = { model: 'acme/gpt', file: await talk(60), prompt, response_format: 'text' } as const
  await clientOf(user.key).audio.transcriptions.create(asked)
  const { usage } = await explain(user)
  expect(usage).toMatchObject({ audioInput: 600, audioSeconds: 60, tokenSource: 'estimated' })
  expect(usage.output).toBeGreaterThan(30)
  expect(await settledBalance(user)).toBe(credit - costOf(usage))
})

test('a file of many megabytes is forwarded unchanged', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const asked = { model: 'acme/whisper', file: await talk(1_200), prompt: 'Hi' }
  await clientOf(user.key).audio.transcriptions.create(asked)
  expect(await settledBalance(user)).toBe(credit - rounded(1_200n * secondRate))
})

test('if the first target fails, a router sends the whole form to the next target', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const answer = await clientOf(user.key).audio.transcriptions.create({
    model: 'acme/hear',
    file: await talk(40),
  })
  expect(answer.text).toBe('Hello there.')
  expect(await settledBalance(user)).toBe(credit - rounded(40n * secondRate))
})

test.each([
  ['whisper-1', 'azure_openai', { input: '0' }, 'audioSecond'],
  ['gpt-4o-mini-transcribe', 'openai', { input: '1', output: '1' }, 'audioInput'],
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
  const failed = clientOf(user.key).audio.transcriptions.create({
    model: `acme/${name}`,
    file: await talk(1),
  })
  await expect(failed).rejects.toMatchObject({ code: 'model_unpriced' })
  await app.api('POST', `/v1/providers/${name}/price`, { model, price: { ...price, [missing]: '5' } })
  expect((await app.api('GET', `/v1/models/${encodeURIComponent(`acme/${name}`)}`)).status).toBe('serving')
})

describe('a request that fails', () => {
  const form = (fields: Readonly<Record<string, string>>, seconds = 1): FormData => {
    const data = new FormData()
    for (const [name, value] of Object.entries(fields)) data.append(name, value)
    if (seconds > 0) data.append('file', new Blob([new Uint8Array(wav(seconds))]), 'a.wav')
    return data
  }
  const whisper = { model: 'acme/whisper' }
  const large = { 'content-type': 'application/json' }
  test.each<[string, FormData | string, Record<string, string>, number, string]>([
    ['JSON', JSON.stringify(whisper), large, 415, 'unsupported_media_type'],
    ['no file', form(whisper, 0), {}, 400, 'invalid_request'],
    ['a stream of Whisper', form({ ...whisper, stream: 'true' }), {}, 400, 'unsupported_for_route'],
    ['a sound elsewhere', form({ ...whisper, url: 'https://a.example' }), {}, 400, 'unsupported_for_route'],
    ['another kind', form({ model: 'acme/claude' }), {}, 400, 'unsupported_for_route'],
    ['the provider', form({ ...whisper, prompt: '[[fail=429]]' }), {}, 429, 'rate_limit_exceeded'],
    ['an error under status 200', form({ ...whisper, prompt: '[[error]]' }), {}, 502, 'upstream_error'],
    ['the balance', form(whisper, 101), {}, 402, 'insufficient_credit'],
  ])('a request that fails because of %s costs nothing', async (_, body, headers, status, code) => {
    const balanceMicros = rounded(100n * secondRate)
    const user = await app.newUser({ balanceMicros })
    const response = await fetch(`${app.gateway}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.key}`, ...headers },
      body,
    })
    expect([response.status, await response.json()]).toMatchObject([status, { error: { code } }])
    expect(await settledBalance(user)).toBe(balanceMicros)
  })
})

test('a probe of a transcription model sends a short silence', async () => {
  expect(await app.api('POST', '/v1/providers/whisper/probe', { model: 'whisper-1' })).toMatchObject({
    ok: true,
  })
  expect(vendor.calls.at(-1)?.headers['content-type']).toContain('multipart/form-data')
})

test('in test mode the simulator transcribes', async () => {
  const client = clientOf(await testKeyOf(app))
  const { text } = await client.audio.transcriptions.create({ model: 'acme/gpt', file: await talk(2) })
  expect(text).toBe('Hello there.')
})
