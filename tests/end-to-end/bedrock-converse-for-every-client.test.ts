/** The simulated runtime of Bedrock checks signatures, and responds with AWS's event stream. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
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
import { awsKeys, fakeBedrock, usualAnswer, type FakeBedrock } from '../support/fake-bedrock-runtime.ts'

const model = 'us.amazon.nova-pro-v1:0'
const path = '/model/us.amazon.nova-pro-v1%3A0/converse'
const credit = 1_000_000_000n
/** Micros per million tokens. The rates differ, so that each token count changes the charge. */
const price = {
  input: '1000000',
  cacheRead: '100000',
  cacheWrite: '3000000',
  output: '5000000',
  serviceTiers: { flex: '500' },
}
const wires = ['chat', 'messages', 'generate', 'responses'] as const
type Wire = (typeof wires)[number]

let server: LocalServer
let app: Application
let runtime: FakeBedrock

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  runtime = await fakeBedrock()
  const account = { kind: 'bedrock', baseUrl: `http://127.0.0.1:${runtime.port}`, price }
  const apiKey = `${awsKeys.accessKeyId}:${awsKeys.secretAccessKey}`
  await connectAccount(app, 'nova', { ...account, model, apiKey })
  await connectAccount(app, 'llama', { ...account, model: 'meta.llama3-1-70b-instruct-v1:0', apiKey })
})
afterAll(async () => {
  await runtime.close()
  await app.provider.close()
  await server.close()
})
beforeEach(() => {
  runtime.answer = usualAnswer
  runtime.calls.length = 0
})

function requestOf(wire: Wire, label: string, isStream: boolean, text = 'Hello', max: number | null = 300) {
  const name = `acme/${label}`
  const turns = [{ role: 'user', content: text }]
  const stream = isStream && { stream: true }
  switch (wire) {
    case 'chat': {
      const body = { model: name, messages: turns, ...stream, ...(max !== null && { max_tokens: max }) }
      return { path: '/v1/chat/completions', body }
    }
    case 'messages':
      return {
        path: '/v1/messages',
        body: { model: name, messages: turns, max_tokens: max ?? 300, ...stream },
      }
    case 'responses': {
      const body = { model: name, input: text, ...stream, ...(max !== null && { max_output_tokens: max }) }
      return { path: '/v1/responses', body }
    }
    case 'generate':
      return {
        path: `/v1beta/models/${name}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
        body: {
          contents: [{ role: 'user', parts: [{ text }] }],
          ...(max !== null && { generationConfig: { maxOutputTokens: max } }),
        },
      }
    default:
      return wire satisfies never
  }
}

async function send({ key }: Pick<User, 'key'>, asked: { path: string; body: object }) {
  const response = await fetch(app.gateway + asked.path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(asked.body),
  })
  const text = await response.text()
  const id = response.headers.get('x-request-id')
  return {
    status: response.status,
    text,
    lost: response.headers.get('x-svc-conversion-lost'),
    record: await app.api('GET', `/v1/requests/${id}`),
  }
}

const shapes = wires.flatMap((wire) => [false, true].map((isStream) => [wire, isStream] as const))

describe.each(shapes)('a client of %s (stream %s)', (wire, isStream) => {
  test('the client gets the answer, and is charged exactly, with cache reads and writes', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const usage = {
      inputTokens: 12,
      outputTokens: 7,
      totalTokens: 159,
      cacheReadInputTokens: 100,
      cacheWriteInputTokens: 40,
    }
    runtime.answer = { ...usualAnswer, usage }
    const { record, status, text } = await send(user, requestOf(wire, 'nova', isStream))
    expect([status, runtime.calls]).toMatchObject([
      200,
      [{ path: isStream ? `${path}-stream` : path, isSigned: true }],
    ])
    expect(runtime.calls[0]?.body).toEqual({
      messages: [{ role: 'user', content: [{ text: 'Hello' }] }],
      inferenceConfig: { maxTokens: 300 },
    })
    expect(text).toContain('Hi ☃')
    expect(text).not.toMatch(/amazon|nova-pro|abcdefgh|latencyMs/)
    expect(record.usage).toMatchObject({
      input: 12,
      cacheRead: 100,
      cacheWrite: 40,
      output: 7,
      tokenSource: 'provider_reported',
    })
    // The charge for input, cache reads, cache writes and output: 12 x 1 + 100 x 0.1 + 40 x 3 + 7 x 5 micros.
    expect(credit - (await settledBalance(user))).toBe(12n + 10n + 120n + 35n)
  })

  test('the charge uses the price of the service tier that the provider reports', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    runtime.answer = { ...usualAnswer, serviceTier: { type: 'flex' } }
    await send(user, requestOf(wire, 'nova', isStream))
    // The tier `flex` costs half: half of 12 x 1 + 5 x 5 micros, rounded up.
    expect(credit - (await settledBalance(user))).toBe(19n)
  })

  test('the client gets a tool call with its arguments', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const toolUse = { toolUseId: 'tooluse_1', name: 'weather', input: { city: 'Bonn' } }
    runtime.answer = {
      ...usualAnswer,
      content: [{ text: 'Let me see' }, { toolUse }],
      stopReason: 'tool_use',
    }
    const { status, text } = await send(user, requestOf(wire, 'nova', isStream))
    expect(status).toBe(200)
    expect(text).toContain('weather')
    // The arguments of the tool call arrive in two pieces.
    expect(text).toMatch(/ity\\*":\\*"Bonn/)
    expect(credit - (await settledBalance(user))).toBe(37n)
  })
})

test.each(wires)(
  'a stream for %s is an error if it ends early or in the middle of a message, or if it is corrupt',
  async (wire) => {
    for (const end of ['early', 'cut', 'corrupt', 'exception'] as const) {
      runtime.answer = { ...usualAnswer, content: [{ text: 'word '.repeat(200) }], end }
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const user = await app.newUser({ balanceMicros: credit })
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const { record, text } = await send(user, requestOf(wire, 'nova', true))
      expect(text, end).toContain('error')
      expect(record.status, end).toBe('settled')
      const charge = BigInt(record.settle.chargeMicros)
      // About 200 words reached the client, at 5 micros each.
      expect(charge).toBeGreaterThan(500n)
      expect(charge).toBeLessThan(1_800n)
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(credit - (await settledBalance(user))).toBe(charge)
    }
  },
)

test('the hold of a stream without a maximum is extended, and the charge is exact', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const usage = { inputTokens: 12, outputTokens: 7_000, totalTokens: 7_012 }
  runtime.answer = { ...usualAnswer, content: [{ text: 'word '.repeat(7_000) }], usage }
  const { record } = await send(user, requestOf('chat', 'nova', true, 'Go on', null))
  expect(runtime.calls[0]?.body).not.toHaveProperty('inferenceConfig')
  expect(record.usage).toMatchObject({ output: 7_000, tokenSource: 'provider_reported' })
  expect(BigInt(record.reserve.worstMicros)).toBeGreaterThan(BigInt(record.reserve.firstWorstMicros))
  expect(record.settle.overHoldMicros).toBe('0')
  expect(credit - (await settledBalance(user))).toBe(12n + 35_000n)
})

test('if the provider reports no usage, the gateway’s own count is charged', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  runtime.answer = { ...usualAnswer, usage: null }
  for (const isStream of [false, true]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const { record, status } = await send(user, requestOf('messages', 'nova', isStream))
    expect([status, record.usage.tokenSource]).toEqual([200, expect.not.stringContaining('provider')])
    expect(record.usage.output).toBeGreaterThan(0)
  }
})

test('reasoning is shown to a client that requests it, and its signature is not kept', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const reasoningText = { text: 'I think', signature: 'secret-signature' }
  runtime.answer = { ...usualAnswer, content: [{ reasoningContent: { reasoningText } }, { text: 'Hi' }] }
  for (const isStream of [false, true]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const { text } = await send(user, requestOf('responses', 'llama', isStream))
    expect(text).toContain('Hi')
    expect(text).not.toContain('secret-signature')
  }
})

test('the gateway applies stop sequences itself if the model accepts none', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  runtime.answer = { ...usualAnswer, content: [{ text: 'One, two, STOP, three' }] }
  for (const isStream of [false, true]) {
    const { body, path: at } = requestOf('chat', 'llama', isStream)
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const { lost, text } = await send(user, { path: at, body: { ...body, stop: ['STOP'] } })
    expect(text).toContain('two')
    expect(text).not.toMatch(/STOP|three/)
    expect(lost).toBeNull()
  }
  expect(JSON.stringify(runtime.calls.map(({ body }) => body))).not.toContain('STOP')
})

test('a rejected request shows neither the account nor the model', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const { body } = requestOf('chat', 'nova', false)
  const { lost } = await send(user, { path: '/v1/chat/completions', body: { ...body, seed: 1, top_k: 5 } })
  expect(lost).toContain('seed')
  const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }
  const messages = [{ role: 'user', content: [image] }]
  const refused = await send(user, { path: '/v1/chat/completions', body: { ...body, messages } })
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('unsupported_for_route')])
  expect(runtime.calls).toHaveLength(1)
})

test('the account is probed with Converse, and test mode needs no account', async () => {
  const probed = await app.api('POST', '/v1/providers/nova/probe', { model })
  expect(probed).toMatchObject({ ok: true, inputTokens: 12, outputTokens: 5 })
  expect(runtime.calls.map((call) => call.path)).toEqual([path])
  const key = await testKeyOf(app)
  for (const [wire, isStream] of shapes) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const { body, path: at } = requestOf(wire, 'nova', isStream)
    const response = await fetch(app.gateway + at, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    expect([response.status, (await response.text()).length > 0]).toEqual([200, true])
  }
  expect(runtime.calls).toHaveLength(1)
})

test('the gateway estimates the token count itself', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const response = await fetch(`${app.gateway}/v1/messages/count_tokens`, {
    method: 'POST',
    headers: { 'x-api-key': user.key, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'acme/nova', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  expect(response.headers.get('x-svc-token-count')).toBe('estimated')
  expect(runtime.calls).toEqual([])
})
