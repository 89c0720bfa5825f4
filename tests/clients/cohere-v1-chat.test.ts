import { CohereClient, CohereError, type Cohere } from 'cohere-ai'
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

function clientOf(token: string): CohereClient {
  return new CohereClient({ token, environment: app.gateway })
}

const charged = async (user: User): Promise<bigint> => credit - (await settledBalance(user))

function costOf({ meta }: Cohere.NonStreamedChatResponse): bigint {
  const { inputTokens = 0, outputTokens = 0 } = meta?.billedUnits ?? {}
  expect(meta?.apiVersion?.version).toBe('1')
  expect(inputTokens).toBeGreaterThan(0)
  return BigInt(inputTokens + 5 * outputTokens)
}

const weather: Cohere.Tool = {
  name: 'weather',
  description: 'Returns the weather.',
  parameterDefinitions: { city: { type: 'str', description: 'The city.', required: true } },
}
const callOfWeather = { name: 'weather', parameters: { city: 'Paris' } }
const question = 'What is the weather? [[tool=weather {"city":"Paris"}]]'

interface Collected {
  readonly events: readonly Cohere.StreamedChatResponse[]
  readonly text: string
  readonly end: Cohere.StreamedChatResponse.StreamEnd
}

async function collected(stream: AsyncIterable<Cohere.StreamedChatResponse>): Promise<Collected> {
  const events: Cohere.StreamedChatResponse[] = []
  for await (const event of stream) events.push(event)
  const texts = events.map((event) => (event.eventType === 'text-generation' ? event.text : ''))
  const end = events.at(-1)
  if (end?.eventType !== 'stream-end') throw new Error('the stream has no end')
  return { events, text: texts.join(''), end }
}

describe.each(['cohere', 'chat', 'responses', 'messages', 'generate'])(
  'an account with the format %s',
  (label) => {
    const model = `acme/${label}`

    test('a response has a text, the history and the usage that is charged', async () => {
      const user = await app.newUser({ balanceMicros: credit })
      const chatHistory: Cohere.Message[] = [
        { role: 'USER', message: 'Hi' },
        { role: 'CHATBOT', message: 'Hello, how are you?' },
      ]
      const message = 'Fine [[tokens=7]]'
      const answer = await clientOf(user.key).chat({
        model,
        maxTokens: 300,
        preamble: 'Be brief.',
        chatHistory,
        message,
      })
      expect(answer.finishReason).toBe('COMPLETE')
      expect(answer.text).not.toBe('')
      expect(answer.responseId).not.toBe('')
      expect(answer.meta?.billedUnits?.outputTokens).toBe(7)
      expect(answer.chatHistory).toEqual([
        ...chatHistory,
        { role: 'USER', message },
        { role: 'CHATBOT', message: answer.text },
      ])
      expect(vendor.calls.at(-1)?.text).toContain('Be brief.')
      expect(await charged(user)).toBe(costOf(answer))
    })

    test('a stream has the events of version 1, and its end repeats the text and has the usage that is charged', async () => {
      const user = await app.newUser({ balanceMicros: credit })
      const { data: stream, rawResponse } = await clientOf(user.key)
        .chatStream({ model, maxTokens: 300, message: 'Hello [[tokens=9]]' })
        .withRawResponse()
      expect(rawResponse.headers.get('content-type')).toBe('application/stream+json')
      const { end, events, text } = await collected(stream)
      expect(events[0]).toMatchObject({ eventType: 'stream-start', generationId: end.response.generationId })
      expect(new Set(events.slice(1, -1).map(({ eventType }) => eventType))).toEqual(
        new Set(['text-generation']),
      )
      expect(text).not.toBe('')
      expect(end.finishReason).toBe('COMPLETE')
      expect(end.response.text).toBe(text)
      expect(end.response.meta?.billedUnits?.outputTokens).toBe(9)
      expect(await charged(user)).toBe(costOf(end.response))
    })

    test('a tool is called, and the client returns the tool’s results in a single step or with the returned history', async () => {
      const user = await app.newUser({ balanceMicros: credit })
      const client = clientOf(user.key)
      const ask = { model, maxTokens: 300, tools: [weather] }
      const first = await client.chat({ ...ask, message: question })
      expect(first.finishReason).toBe('COMPLETE')
      expect(first.toolCalls).toEqual([callOfWeather])
      const streamed = await collected(await client.chatStream({ ...ask, message: question }))
      expect(streamed.end.response.toolCalls).toEqual([callOfWeather])
      const chunks = streamed.events.flatMap((event) =>
        event.eventType === 'tool-calls-chunk' ? [event.toolCallDelta] : [],
      )
      expect(chunks[0]).toEqual({ index: 0, name: 'weather' })
      expect(JSON.parse(chunks.map((chunk) => chunk.parameters ?? '').join(''))).toEqual({ city: 'Paris' })
      expect(streamed.events.at(-2)).toMatchObject({
        eventType: 'tool-calls-generation',
        toolCalls: [callOfWeather],
      })
      const toolResults = [{ call: callOfWeather, outputs: [{ sky: 'sunny' }] }]
      const inOneStep = await client.chat({
        ...ask,
        message: 'What is the weather?',
        toolResults,
        forceSingleStep: true,
      })
      expect(vendor.calls.at(-1)?.text).toContain('sunny')
      const withHistory = await client.chat({
        ...ask,
        message: '',
        chatHistory: first.chatHistory ?? [],
        toolResults,
      })
      expect(vendor.calls.at(-1)?.text).toContain('sunny')
      expect(withHistory.chatHistory?.map(({ role }) => role)).toEqual(['USER', 'CHATBOT', 'TOOL', 'CHATBOT'])
      const all = [first, streamed.end.response, inOneStep, withHistory]
      expect(await charged(user)).toBe(all.map(costOf).reduce((sum, cost) => sum + cost))
    })
  },
)

test('an account of Cohere gets the request in the format of version 2', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const { rawResponse } = await clientOf(user.key)
    .chat({
      model: 'acme/cohere',
      message: 'Hello',
      documents: [{ title: 'Penguins', text: 'Facts.' }],
      citationQuality: 'ACCURATE',
      promptTruncation: 'AUTO',
      p: 0.5,
    })
    .withRawResponse()
  expect(vendor.calls.at(-1)).toMatchObject({
    path: '/v2/chat',
    body: {
      model: 'command-a-plus-05-2026',
      messages: [{ role: 'user', content: 'Hello' }],
      documents: [{ id: 'doc_0', data: { title: 'Penguins', text: 'Facts.' } }],
      citation_options: { mode: 'ACCURATE' },
      p: 0.5,
    },
  })
  expect(rawResponse.headers.get('x-svc-conversion-lost')).toBe('prompt_truncation')
})

test('a request that is parsed in steps because of its size keeps its history', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const earlier: Cohere.Message[] = [{ role: 'USER', message: 'word '.repeat(80_000) }]
  const answer = await clientOf(user.key).chat({
    model: 'acme/messages',
    maxTokens: 300,
    chatHistory: [...earlier, { role: 'CHATBOT', message: 'Read.' }],
    message: 'Hello [[tokens=5]]',
  })
  expect(answer.chatHistory?.map(({ role }) => role)).toEqual(['USER', 'CHATBOT', 'USER', 'CHATBOT'])
  expect(await charged(user)).toBe(costOf(answer))
})

test('the client throws its own error class, with the message and the code of the gateway', async () => {
  const { key } = await app.newUser()
  const poor = await clientOf(key)
    .chat({ model: 'acme/cohere', message: 'Hello' }, { maxRetries: 0 })
    .catch((cause: unknown) => cause)
  expect(poor).toBeInstanceOf(CohereError)
  expect(poor).toMatchObject({ statusCode: 402, body: { code: 'insufficient_credit' } })
  const searching = await clientOf(key)
    .chat({ model: 'acme/cohere', message: 'Hello', connectors: [{ id: 'web-search' }] }, { maxRetries: 0 })
    .catch((cause: unknown) => cause)
  expect(searching).toMatchObject({
    statusCode: 400,
    body: { code: 'unsupported_for_route', param: 'connectors' },
  })
})

async function endBeforeError(
  stream: AsyncIterable<Cohere.StreamedChatResponse>,
): Promise<Cohere.StreamedChatResponse.StreamEnd> {
  let end: Cohere.StreamedChatResponse | undefined
  await expect(
    (async () => {
      for await (const event of stream) end = event
    })(),
  ).rejects.toThrow(SyntaxError)
  if (end?.eventType !== 'stream-end') throw new Error('the stream has no end')
  return end
}

test('if a provider ends a stream with an error, the last event has the finish reason ERROR, and the client throws', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const stream = await clientOf(user.key).chatStream({
    model: 'acme/cohere',
    maxTokens: 300,
    message: 'Hello [[tokens=40 error]]',
  })
  const end = await endBeforeError(stream)
  expect(end.finishReason).toBe('ERROR')
  expect(end.response.text).not.toBe('')
  expect(await charged(user)).toBeGreaterThan(0n)
})

test('if a stream reaches its spending limit, the client throws, and at most the balance is charged', async () => {
  const user = await app.newUser({ balanceMicros: 3_000n })
  const stream = await clientOf(user.key).chatStream({
    model: 'acme/cohere',
    message: 'Hello [[tokens=3000 ignore-max]]',
  })
  const end = await endBeforeError(stream)
  expect(end).toMatchObject({ error: expect.stringContaining('spend_limit_exceeded') })
  expect(end.response.meta?.billedUnits?.outputTokens).toBeGreaterThan(100)
  const left = await settledBalance(user)
  expect(left).toBeGreaterThanOrEqual(0n)
  expect(left).toBeLessThan(100n)
})

test('the last event of a stream has the report of the charge', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const stream = await clientOf(user.key).chatStream(
    { model: 'acme/cohere', maxTokens: 300, message: 'Hello [[tokens=9]]' },
    { headers: { 'x-svc-report': '1' } },
  )
  const { end } = await collected(stream)
  expect(end).toMatchObject({ svc: { chargeMicros: String(costOf(end.response)) } })
})

test('in test mode, the simulator answers without an account', async () => {
  const client = clientOf(await testKeyOf(app))
  const { length } = vendor.calls
  const answer = await client.chat({ model: 'acme/cohere', maxTokens: 300, message: 'Hello [[tokens=5]]' })
  expect(answer.meta?.billedUnits?.outputTokens).toBe(5)
  expect(vendor.calls).toHaveLength(length)
})
