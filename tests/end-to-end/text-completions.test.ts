import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { settledBalance, testKeyOf, type Application } from '../support/start-product.ts'
import { vendorWorld, type VendorWorld } from '../support/start-application-with-vendor.ts'
import type { Vendor } from '../support/simulated-vendor.ts'

let world: VendorWorld
let app: Application
let vendor: Vendor

const credit = 1_000_000n
/** An input token costs one micro, and an output token two. */
const price = { input: '1000000', output: '2000000', cacheWrite: '1000000', cacheWriteLong: '1000000' }

const accounts = {
  base: { kind: 'openai_compatible', model: 'base-1', price },
  instruct: { kind: 'openai', model: 'gpt-3.5-turbo-instruct', price },
  claude: { kind: 'anthropic', model: 'claude-opus-4-8', price },
} as const

beforeAll(async () => {
  world = await vendorWorld(accounts)
  ;({ app, vendor } = world)
})
afterAll(() => world.close())

const clientOf = (apiKey: string) => world.openai(apiKey)

test.each(['base', 'instruct'])(
  'the official client completes prompts, and the model %s is charged for input and output',
  async (name) => {
    const user = await app.newUser({ balanceMicros: credit })
    const answer = await clientOf(user.key).completions.create({
      model: `acme/${name}`,
      prompt: ['[[tokens=12]] Once', 'Twice'],
      max_tokens: 40,
      n: 2,
    })
    expect(answer).toMatchObject({ object: 'text_completion', model: `acme/${name}` })
    expect(answer.choices.map(({ finish_reason: reason, index }) => [index, reason])).toEqual(
      [0, 1, 2, 3].map((index) => [index, 'stop']),
    )
    expect(vendor.calls.at(-1)).toMatchObject({ wire: 'completions', body: { n: 2, max_tokens: 40 } })
    const { completion_tokens: output = 0, prompt_tokens: input = 0 } = answer.usage ?? {}
    expect([input > 0, output]).toEqual([true, 48])
    const [request] = await user.requests()
    expect(request).toMatchObject({
      wire: 'completions',
      status: 'settled',
      inputTokens: input,
      outputTokens: 48,
    })
    expect(await settledBalance(user)).toBe(credit - BigInt(input + 2 * output))
    const { quote, usage } = await app.api('GET', `/v1/requests/${request.id}`)
    expect(quote.choices).toBe(4)
    expect(usage).toMatchObject({
      tokenSource: 'provider_reported',
      inWireTerms: { prompt_tokens: input, completion_tokens: 48 },
    })
  },
)

test('a stream arrives in parts, without the usage chunk that only the gateway requested', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const stream = await clientOf(user.key).completions.create({
    model: 'acme/base',
    prompt: '[[tokens=30]] Once upon a time',
    max_tokens: 40,
    stream: true,
  })
  const chunks = await Array.fromAsync(stream)
  expect(chunks.map(({ choices: [choice] }) => choice?.text).join('').length).toBeGreaterThan(30)
  expect(chunks.length).toBeGreaterThan(30)
  expect(chunks.some(({ usage }) => usage !== null && usage !== undefined)).toBe(false)
  expect(new Set(chunks.map(({ model }) => model))).toEqual(new Set(['acme/base']))
  const [request] = await user.requests()
  expect(request).toMatchObject({ wire: 'completions', streamed: true, outputTokens: 30 })
  expect(await settledBalance(user)).toBe(credit - BigInt(request.inputTokens + 60))
})

test('a stream without usage is charged by its text, and a client that requests the usage receives it', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const ask = (prompt: string) =>
    clientOf(user.key).completions.create({
      model: 'acme/base',
      prompt,
      max_tokens: 400,
      stream: true,
      stream_options: { include_usage: true },
    })
  const counted = await Array.fromAsync(await ask('[[tokens=300 no-usage]] Count'))
  expect(counted.some(({ usage }) => (usage ?? null) !== null)).toBe(false)
  const [request] = await user.requests()
  expect(request.outputTokens).toBeGreaterThan(150)
  expect(request.outputTokens).toBeLessThanOrEqual(400)
  const told = await Array.fromAsync(await ask('[[tokens=30]] Count'))
  expect(told.at(-1)?.usage).toMatchObject({ completion_tokens: 30 })
})

test('if a stream is requested with a charge report, its usage chunk contains the charge', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const response = await fetch(`${app.gateway}/v1/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json', 'x-svc-report': '1' },
    body: JSON.stringify({ model: 'acme/base', prompt: '[[tokens=9]] Hi', max_tokens: 20, stream: true }),
  })
  const text = await response.text()
  const [request] = await user.requests()
  expect(text).toContain(`"svc":{"chargeMicros":"${request.chargeMicros}"`)
  expect(text.match(/"svc"/g)).toHaveLength(1)
})

test('under the policy hard_token, a low balance shortens the answer, and the charge never exceeds the balance', async () => {
  const user = await app.newUser({ balanceMicros: 200n })
  const answer = await clientOf(user.key).completions.create({
    model: 'acme/base',
    prompt: '[[tokens=500]] Long',
    max_tokens: 1_000,
  })
  expect(answer.choices[0]?.finish_reason).toBe('length')
  expect(vendor.calls.at(-1)?.body).toMatchObject({ max_tokens: answer.usage?.completion_tokens })
  expect(await settledBalance(user)).toBeGreaterThanOrEqual(0n)
})

describe('a request that fails', () => {
  test.each<[string, object, string, string]>([
    ['a prompt of another type', { model: 'acme/base', prompt: {} }, 'invalid_request', 'prompt'],
    ['no model', { prompt: 'Hi' }, 'invalid_request', 'model'],
    [
      'too many texts',
      { model: 'acme/base', prompt: ['a', 'b'], n: 100 },
      'invalid_request',
      'Request at most 128',
    ],
    [
      'echo in a stream',
      { model: 'acme/base', prompt: 'Hi', echo: true, stream: true },
      'unsupported_for_route',
      'echo',
    ],
    [
      'an account of another kind',
      { model: 'acme/claude', prompt: 'Hi' },
      'unsupported_for_route',
      '/v1/chat/completions',
    ],
  ])('a request that is rejected because of %s costs nothing', async (_, body, code, words) => {
    const user = await app.newUser({ balanceMicros: credit })
    const response = await fetch(`${app.gateway}/v1/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const { error } = (await response.json()) as { error: { code: string; message: string } }
    expect([response.status, error.code]).toEqual([400, code])
    expect(error.message).toContain(words)
    expect(await settledBalance(user)).toBe(credit)
  })

  test('a request that the gateway rules reject costs nothing', async () => {
    await app.api('PATCH', '/v1/gateway', { wires: ['chat'] })
    const user = await app.newUser({ balanceMicros: credit })
    const refused = clientOf(user.key).completions.create({ model: 'acme/base', prompt: 'Hi' })
    await expect(refused).rejects.toMatchObject({
      status: 404,
      message: expect.stringContaining('The application accepts chat.'),
    })
    await app.api('PATCH', '/v1/gateway', { wires: null })
    expect(await settledBalance(user)).toBe(credit)
  })
})

test('in test mode the simulator completes the prompt, non-streaming and streamed', async () => {
  const client = clientOf(await testKeyOf(app))
  const ask = { model: 'acme/instruct', prompt: '[[tokens=8]] Hi', max_tokens: 20 }
  const whole = await client.completions.create({ ...ask, echo: true })
  expect(whole.choices[0]?.text).toMatch(/^\[\[tokens=8\]\] Hi./)
  const chunks = await Array.fromAsync(await client.completions.create({ ...ask, stream: true }))
  expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop')
})
