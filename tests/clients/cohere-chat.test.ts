import { CohereClientV2, CohereError, type Cohere } from 'cohere-ai'
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

const credit = 1_000_000_000n
/** Micros per million tokens, so that an input token costs 1 micro and an output token costs 5 micros. */
const price = { input: '1000000', cacheWrite: '1000000', cacheWriteLong: '1000000', output: '5000000' }

let server: LocalServer
let app: Application
let vendor: Vendor

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server, { bundle: { allow: ['*'] } })
  vendor = await startVendor()
  const { baseUrls } = vendor
  const accounts = {
    cohere: {
      kind: 'cohere',
      baseUrl: `${baseUrls.anthropic}/compatibility/v1`,
      model: 'command-a-plus-05-2026',
    },
    chat: { kind: 'openai_compatible', baseUrl: baseUrls.openai, model: 'llama-4' },
    responses: { kind: 'openai', baseUrl: baseUrls.openai, model: 'gpt-6' },
    messages: { kind: 'anthropic', baseUrl: baseUrls.anthropic, model: 'claude-opus-5' },
    generate: { kind: 'google', baseUrl: baseUrls.google, model: 'gemini-3-flash' },
  }
  for (const [label, account] of Object.entries(accounts))
    // oxlint-disable-next-line no-await-in-loop -- each call needs the one before
    await connectAccount(app, label, { ...account, apiKey: vendor.apiKey, price })
})
afterAll(async () => {
  await vendor.close()
  await app.provider.close()
  await server.close()
})

function clientOf(token: string): CohereClientV2 {
  return new CohereClientV2({ token, environment: app.gateway })
}

const charged = async (user: User): Promise<bigint> => credit - (await settledBalance(user))

function costOf(usage: Cohere.Usage | undefined): bigint {
  const { inputTokens = 0, outputTokens = 0 } = usage?.billedUnits ?? {}
  expect(inputTokens).toBeGreaterThan(0)
  return BigInt(inputTokens + 5 * outputTokens)
}

const weather: Cohere.ToolV2 = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'Returns the weather.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}
const labels = ['cohere', 'chat', 'responses', 'messages', 'generate']

interface Collected {
  readonly text: string
  readonly arguments: string
  readonly name: string
  readonly id: string
  readonly types: readonly string[]
  readonly end: Cohere.ChatMessageEndEventDelta | undefined
}

async function collected(stream: AsyncIterable<Cohere.V2ChatStreamResponse>): Promise<Collected> {
  const events: Cohere.V2ChatStreamResponse[] = []
  for await (const event of stream) events.push(event)
  let [text, args, name, id] = ['', '', '', '']
  let end: Cohere.ChatMessageEndEventDelta | undefined
  for (const event of events) {
    if (event.type === 'content-delta') text += event.delta?.message?.content?.text ?? ''
    if (event.type === 'tool-call-start') {
      name = event.delta?.message?.toolCalls?.function?.name ?? ''
      id = event.delta?.message?.toolCalls?.id ?? ''
    }
    if (event.type === 'tool-call-delta') args += event.delta?.message?.toolCalls?.function?.arguments ?? ''
    if (event.type === 'message-end') end = event.delta
  }
  return { text, arguments: args, name, id, types: events.map(({ type }) => type), end }
}

describe.each(labels)('an account with the format %s', (label) => {
  const model = `acme/${label}`

  test('a response has a text, a finish reason and the usage that is charged', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const answer = await clientOf(user.key).chat({
      model,
      maxTokens: 300,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello [[tokens=7]]' },
      ],
    })
    expect(answer.finishReason).toBe('COMPLETE')
    expect(answer.message.role).toBe('assistant')
    expect(answer.message.content).toMatchObject([{ type: 'text' }])
    expect(answer.usage?.billedUnits?.outputTokens).toBe(7)
    expect(await charged(user)).toBe(costOf(answer.usage))
  })

  test('a stream has the events of Cohere and the usage that is charged', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const stream = await clientOf(user.key).chatStream({
      model,
      maxTokens: 300,
      messages: [{ role: 'user', content: 'Hello [[tokens=9]]' }],
    })
    const { end, text, types } = await collected(stream)
    expect(types.slice(0, 3)).toEqual(['message-start', 'content-start', 'content-delta'])
    expect(types.slice(-2)).toEqual(['content-end', 'message-end'])
    expect(text).not.toBe('')
    expect(end?.finishReason).toBe('COMPLETE')
    expect(await charged(user)).toBe(costOf(end?.usage))
  })

  test('a tool is called, and the result of the call is answered in the next turn', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const client = clientOf(user.key)
    const question = {
      role: 'user',
      content: 'What is the weather? [[tool=weather {"city":"Paris"}]]',
    } as const
    const first = await client.chat({ model, maxTokens: 300, messages: [question], tools: [weather] })
    expect(first.finishReason).toBe('TOOL_CALL')
    const [call] = first.message.toolCalls ?? []
    if (call === undefined) throw new Error('the model called no tool')
    expect(call).toMatchObject({ type: 'function', function: { name: 'weather' } })
    expect(JSON.parse(call.function?.arguments ?? '')).toEqual({ city: 'Paris' })
    const streamed = await collected(
      await client.chatStream({ model, maxTokens: 300, messages: [question], tools: [weather] }),
    )
    expect(streamed.end?.finishReason).toBe('TOOL_CALL')
    expect(streamed.name).toBe('weather')
    expect(streamed.id).not.toBe('')
    expect(JSON.parse(streamed.arguments)).toEqual({ city: 'Paris' })
    const second = await client.chat({
      model,
      maxTokens: 300,
      messages: [
        question,
        { role: 'assistant', toolCalls: [call], toolPlan: 'I will look it up.' },
        {
          role: 'tool',
          toolCallId: call.id,
          content: [{ type: 'document', document: { id: 'd1', data: { weather: 'sunny' } } }],
        },
      ],
      tools: [weather],
    })
    expect(second.finishReason).toBe('COMPLETE')
    expect(vendor.calls.at(-1)?.text).toContain('sunny')
    expect(await charged(user)).toBe(costOf(first.usage) + costOf(streamed.end?.usage) + costOf(second.usage))
  })
})

test('a request to an account of Cohere is sent to the path of Cohere’s chat, with all fields of the request', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  await clientOf(user.key).chat({
    model: 'acme/cohere',
    messages: [{ role: 'user', content: 'Hello' }],
    documents: [{ id: 'd1', data: { text: 'Facts.' } }],
    citationOptions: { mode: 'ACCURATE' },
    safetyMode: 'STRICT',
    p: 0.5,
  })
  expect(vendor.calls.at(-1)).toMatchObject({
    path: '/v2/chat',
    body: {
      model: 'command-a-plus-05-2026',
      documents: [{ id: 'd1', data: { text: 'Facts.' } }],
      citation_options: { mode: 'ACCURATE' },
      safety_mode: 'STRICT',
      p: 0.5,
    },
  })
})

test('fields that another provider does not get are listed in the header', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const { rawResponse } = await clientOf(user.key)
    .chat({
      model: 'acme/chat',
      messages: [{ role: 'user', content: 'Hello' }],
      documents: ['Facts.'],
      safetyMode: 'STRICT',
    })
    .withRawResponse()
  expect(rawResponse.headers.get('x-svc-conversion-lost')).toBe('documents,safety_mode,documents.citations')
})

test('the client throws its own error class, with the message and the code of the gateway', async () => {
  const { key } = await app.newUser()
  const messages: Cohere.ChatMessages = [{ role: 'user', content: 'Hello' }]
  const poor = await clientOf(key)
    .chat({ model: 'acme/cohere', messages }, { maxRetries: 0 })
    .catch((cause: unknown) => cause)
  expect(poor).toBeInstanceOf(CohereError)
  expect(poor).toMatchObject({ statusCode: 402, body: { code: 'insufficient_credit' } })
  const rich = await app.newUser({ balanceMicros: credit })
  const unknown = await clientOf(rich.key)
    .chat({ model: 'acme/none', messages }, { maxRetries: 0 })
    .catch((cause: unknown) => cause)
  expect(unknown).toMatchObject({ statusCode: 404, body: { code: 'model_not_found' } })
})

async function eventsBeforeError(
  stream: AsyncIterable<Cohere.V2ChatStreamResponse>,
): Promise<readonly Cohere.V2ChatStreamResponse[]> {
  const events: Cohere.V2ChatStreamResponse[] = []
  await expect(
    (async () => {
      for await (const event of stream) events.push(event)
    })(),
  ).rejects.toThrow(SyntaxError)
  return events
}

test('if a provider ends a stream with an error, the last event has the finish reason ERROR, and the client throws', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const stream = await clientOf(user.key).chatStream({
    model: 'acme/cohere',
    maxTokens: 300,
    messages: [{ role: 'user', content: 'Hello [[tokens=40 error]]' }],
  })
  const events = await eventsBeforeError(stream)
  expect(events.at(-1)).toMatchObject({ type: 'message-end', delta: { finishReason: 'ERROR' } })
  expect(events.some(({ type }) => type === 'content-delta')).toBe(true)
  expect(await charged(user)).toBeGreaterThan(0n)
})

test('if a stream reaches its spending limit, the client throws, and at most the balance is charged', async () => {
  const balanceMicros = 3_000n
  const user = await app.newUser({ balanceMicros })
  const stream = await clientOf(user.key).chatStream({
    model: 'acme/cohere',
    messages: [{ role: 'user', content: 'Hello [[tokens=3000 ignore-max]]' }],
  })
  const end = (await eventsBeforeError(stream)).at(-1)
  if (end?.type !== 'message-end') throw new Error('the stream has no end')
  expect(end.delta?.error).toContain('spend_limit_exceeded')
  expect(end.delta?.usage?.billedUnits?.outputTokens).toBeGreaterThan(100)
  const left = await settledBalance(user)
  expect(left).toBeGreaterThanOrEqual(0n)
  expect(left).toBeLessThan(100n)
})

test('in test mode, the simulator answers without an account', async () => {
  const client = clientOf(await testKeyOf(app))
  const { length } = vendor.calls
  const answer = await client.chat({
    model: 'acme/cohere',
    maxTokens: 300,
    messages: [{ role: 'user', content: 'Hello [[tokens=5]]' }],
  })
  expect(answer.usage?.billedUnits?.outputTokens).toBe(5)
  expect(vendor.calls).toHaveLength(length)
})
