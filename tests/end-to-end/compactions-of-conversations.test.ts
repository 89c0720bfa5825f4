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
} from '../support/start-product.ts'
import { startVendor, type Vendor } from '../support/simulated-vendor.ts'

let server: LocalServer
let app: Application
let vendor: Vendor

const credit = 10_000_000n
const rates = { input: 1_250_001n, output: 10_000_001n }
const price = { input: String(rates.input), cacheWrite: String(rates.input), output: String(rates.output) }

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  vendor = await startVendor()
  const account = { baseUrl: vendor.baseUrls.openai, apiKey: vendor.apiKey, price }
  await connectAccount(app, 'openai', { ...account, kind: 'openai', model: 'gpt-5.4' })
  await connectAccount(app, 'chat', { ...account, kind: 'openai_compatible', model: 'llama' })
})
afterAll(async () => {
  await app.provider.close()
  await vendor.close()
  await server.close()
})

const clientOf = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${app.gateway}/v1`, maxRetries: 0 })
const rounded = (exact: bigint) => (exact + 999_999n) / 1_000_000n
const model = 'acme/openai' as OpenAI.Responses.ResponseCompactParams['model']
const input = [
  { role: 'user' as const, content: 'What is the weather in Rome? '.repeat(50) },
  { role: 'assistant' as const, content: 'Sunny. '.repeat(200) },
]

test('the official client compacts a conversation and continues it, and both requests are charged exactly', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const client = clientOf(user.key)
  const compacted = await client.responses.compact({ model, input })
  expect(compacted.object).toBe('response.compaction')
  expect(compacted.output.map(({ type }) => type)).toContain('compaction')
  expect(vendor.calls.at(-1)).toMatchObject({
    path: '/v1/responses/compact',
    body: { model: 'gpt-5.4', input },
  })
  const { input_tokens: read, output_tokens: written } = compacted.usage
  const charged = rounded(BigInt(read) * rates.input + BigInt(written) * rates.output)
  expect(await settledBalance(user)).toBe(credit - charged)
  const [request] = await user.requests()
  expect(request).toMatchObject({ wire: 'compact', status: 'settled', chargeMicros: String(charged) })
  const { quote, reserve, usage } = await app.api('GET', `/v1/requests/${request.id}`)
  expect(quote.uses).toEqual({ output: 16_384 })
  expect(usage.tokenSource).toBe('provider_reported')
  expect(BigInt(reserve.worstMicros)).toBeGreaterThan(charged)

  const next = await client.responses.create({
    model: 'acme/openai',
    input: [
      ...(compacted.output as OpenAI.Responses.ResponseInputItem[]),
      { role: 'user', content: 'And now?' },
    ],
  })
  expect(next.status).toBe('completed')
})

test('only the owner of a stored response can compact the response, and the hold includes its length', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const other = await app.newUser({ balanceMicros: credit })
  const first = await clientOf(user.key).responses.create({
    model: 'acme/openai',
    input: 'word '.repeat(300),
  })
  const compacted = await clientOf(user.key).responses.compact({ model, previous_response_id: first.id })
  const used = (first.usage?.input_tokens ?? 0) + (first.usage?.output_tokens ?? 0)
  expect(compacted.usage.input_tokens).toBeGreaterThan(300)
  const [request] = await user.requests()
  const { quote } = await app.api('GET', `/v1/requests/${request.id}`)
  expect(quote.textTokensMax).toBeGreaterThanOrEqual(compacted.usage.input_tokens)
  // The hold for the input includes 256 tokens for OpenAI's own instructions.
  expect(quote.textTokensMax).toBeLessThan(used + 256 + 300)
  const calls = vendor.calls.length
  const stolen = clientOf(other.key).responses.compact({ model, previous_response_id: first.id })
  await expect(stolen).rejects.toMatchObject({
    status: 404,
    code: 'response_not_found',
    param: 'previous_response_id',
  })
  expect(vendor.calls).toHaveLength(calls)
  expect(await settledBalance(other)).toBe(credit)
})

describe('a request that fails', () => {
  const usual = { model: 'acme/openai', input: 'Hi' }
  test.each<[string, object, number, string]>([
    ['no input', { model: 'acme/openai' }, 400, 'invalid_request'],
    ['a stream', { ...usual, stream: true }, 400, 'unsupported_for_route'],
    ['another kind', { ...usual, model: 'acme/chat' }, 400, 'unsupported_for_route'],
    ['the provider', { ...usual, input: '[[fail=429]]' }, 429, 'rate_limit_exceeded'],
    ['the balance', { ...usual, input: 'word '.repeat(20_000) }, 402, 'insufficient_credit'],
  ])('a request that fails because of %s costs nothing', async (_, body, status, code) => {
    const balanceMicros = 170_000n
    const user = await app.newUser({ balanceMicros })
    const response = await fetch(`${app.gateway}/v1/responses/compact`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect([response.status, await response.json()]).toMatchObject([status, { error: { code } }])
    expect(await settledBalance(user)).toBe(balanceMicros)
  })
})

test.each([false, true])(
  'the hold and the charge of a response that compacts its context include the compaction (stream %s)',
  async (stream) => {
    const user = await app.newUser({ balanceMicros: credit })
    const context_management = [{ type: 'compaction', compact_threshold: 1_000 }]
    const send = (asked: object): Promise<Response> =>
      fetch(`${app.gateway}/v1/responses`, {
        method: 'POST',
        headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ input: 'Hi [[tokens=40]]', context_management, stream, ...asked }),
      })
    const answer = await send({ model: 'acme/openai', max_output_tokens: 100 })
    expect([answer.status, await answer.text()]).toMatchObject([200, expect.stringContaining('output_text')])
    expect(vendor.calls.at(-1)?.body).toMatchObject({ context_management })
    const [request] = await user.requests()
    const { quote, reserve, usage } = await app.api('GET', `/v1/requests/${request.id}`)
    expect(quote.uses).toEqual({ output: 16_384 })
    const held = BigInt(quote.textTokensMax) * rates.input + (100n + 16_384n) * rates.output
    expect(reserve.firstWorstMicros).toBe(String(rounded(held)))
    const charged = rounded(BigInt(usage.input) * rates.input + BigInt(usage.output) * rates.output)
    expect(await settledBalance(user)).toBe(credit - charged)
    const converted = await send({ model: 'acme/chat' })
    expect(converted.headers.get('x-svc-conversion-lost')).toContain('context_management')
    await converted.text()
  },
)

test('in test mode, the simulator compacts conversations', async () => {
  const compacted = await clientOf(await testKeyOf(app)).responses.compact({ model, input: 'Hello' })
  expect(compacted.output.at(-1)?.type).toBe('compaction')
})
