import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
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

const rates = { input: '1000000', output: '2000000' }
const searchMicros = 10_000
const tokensPerUse = 33_000
const useMicros = tokensPerUse + searchMicros

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  const account = { baseUrl: app.provider.baseUrl, apiKey: upstreamKey, kind: 'openai_compatible' }
  const price = { ...rates, webSearch: String(searchMicros) }
  await connectAccount(app, 'single', { ...account, model: 'sonar-pro', price })
  await connectAccount(app, 'groq', { ...account, kind: 'groq', model: 'groq/compound', price })
  await connectAccount(app, 'several', { ...account, model: 'groq/compound', price })
  await connectAccount(app, 'research', { ...account, model: 'sonar-deep-research', price })
  await connectAccount(app, 'openai', { ...account, model: 'gpt-4o-search-preview', price })
  await connectAccount(app, 'plain', { ...account, model: 'llama', price: rates })
  await connectAccount(app, 'unpriced', { ...account, model: 'openai/gpt-5:online', price: rates })
})
beforeEach(async () => {
  app.provider.script({})
  await app.api('PATCH', '/v1/gateway', { providerTools: 'bounded' })
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

async function chat(key: string, label: string, more: object = {}): Promise<Answer> {
  const response = await fetch(`${app.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: `acme/${label}`,
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Hello' }],
      ...more,
    }),
  })
  return answerOf(response)
}

const usageOf = (input: number, more: object = {}): object => ({
  prompt_tokens: input,
  completion_tokens: 5,
  total_tokens: input + 5,
  ...more,
})

function answers(usage: object, message: object = {}, model = 'm'): void {
  const body = JSON.stringify({
    id: 'c',
    object: 'chat.completion',
    model,
    choices: [
      { index: 0, message: { role: 'assistant', content: 'Hello', ...message }, finish_reason: 'stop' },
    ],
    usage,
  })
  app.provider.script({ status: 200, headers: { 'content-type': 'application/json' }, body })
}

function streams(usage: object, deltas: readonly object[] = [], model = 'm'): void {
  const frames = [
    ...deltas.map((delta) => ({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta }] })),
    { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'Hello' } }] },
    {
      id: 'c',
      object: 'chat.completion.chunk',
      model,
      choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
      usage,
    },
  ]
  const body = [...frames.map((frame) => JSON.stringify(frame)), '[DONE]'].map((data) => `data: ${data}\n\n`)
  app.provider.script({ status: 200, headers: { 'content-type': 'text/event-stream' }, body: body.join('') })
}

// oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
const explained = (answer: Answer): Promise<any> =>
  app.api('GET', `/v1/requests/${answer.headers.get('x-request-id')}`)

describe('a model that searches on its own', () => {
  test.each([
    ['single', 2, 1],
    ['several', 10, 10],
  ])(
    'the hold for a non-streaming response of the model %s covers %i searches, and %i searches are charged if no number is reported',
    async (label, uses, searches) => {
      const user = await app.newUser({ balanceMicros: 1_000_000n })
      answers(usageOf(5_296))
      const answer = await chat(user.key, label)
      expect(answer.status).toBe(200)
      const { quote, reserve, settle } = await explained(answer)
      expect(quote.tools).toEqual({
        kinds: ['webSearch'],
        uses,
        usesMax: Math.max(uses, 5),
        tokensPerUse,
        searchesPerUse: 1,
        feePerUse: String(searchMicros),
      })
      expect(Number(reserve.firstWorstMicros)).toBe(quote.textTokensMax + uses * useMicros + 2 * 100)
      const charge = 5_296 + 10 + searches * searchMicros
      expect(settle).toMatchObject({ chargeMicros: String(charge), overHoldMicros: '0' })
      expect(await settledBalance(user)).toBe(1_000_000n - BigInt(charge))
    },
  )

  test.each([{ num_search_queries: 3 }, { server_tool_use: { web_search_requests: 3 } }])(
    'for a model that searches on its own, the searches that the provider reports are charged: %j',
    async (reported) => {
      const user = await app.newUser({ balanceMicros: 1_000_000n })
      answers(usageOf(100, reported))
      const { settle } = await explained(await chat(user.key, 'several'))
      expect(settle.chargeMicros).toBe(String(100 + 10 + 3 * searchMicros))
    },
  )

  const research = { num_search_queries: 18, citation_tokens: 20_016, reasoning_tokens: 73_997 }

  test.each([
    ['a non-streaming response', false],
    ['a stream', true],
  ])('pages that Perplexity has read for its research are charged as input: %s', async (_what, stream) => {
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    if (stream) streams(usageOf(33, research), [], 'sonar-deep-research')
    else answers(usageOf(33, research), {}, 'sonar-deep-research')
    const { settle } = await explained(await chat(user.key, 'research', { stream }))
    const charge = 33 + 20_016 + 10 + 18 * searchMicros
    expect(settle).toMatchObject({ chargeMicros: String(charge), overHoldMicros: '0' })
  })

  test('pages that the provider does not bill are not charged', async () => {
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    answers(usageOf(33, { num_search_queries: 1, citation_tokens: 500 }), {}, 'sonar-pro')
    const { settle } = await explained(await chat(user.key, 'single'))
    expect(settle.chargeMicros).toBe(String(33 + 10 + searchMicros))
  })

  const ran = (index: number, type: string, more: object = {}): object => ({
    index,
    type,
    arguments: '{}',
    ...more,
  })

  test('if a response of Groq lists the tools that were used, the searches among them are charged', async () => {
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    const executed = [
      ran(0, 'search'),
      ran(1, 'visit'),
      ran(2, 'python'),
      ran(3, 'search', { search_results: {} }),
    ]
    answers(usageOf(100), { executed_tools: executed })
    const { settle } = await explained(await chat(user.key, 'several'))
    expect(settle.chargeMicros).toBe(String(100 + 10 + 2 * searchMicros))
  })

  test('if a response of Groq lists no searches, no search is charged', async () => {
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    answers(usageOf(100), { executed_tools: [ran(0, 'python')] })
    const { settle } = await explained(await chat(user.key, 'groq'))
    expect(settle.chargeMicros).toBe('110')
    streams(usageOf(100))
    const streamed = await explained(await chat(user.key, 'groq', { stream: true }))
    expect(streamed.settle.chargeMicros).toBe('110')
  })

  test('a search that a stream of Groq lists before and after its output is charged once', async () => {
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    const deltas = [0, 0, 1, 1].map((index, at) => ({
      executed_tools: [ran(index, 'search', at % 2 === 0 ? {} : { output: 'Found', search_results: {} })],
    }))
    streams(usageOf(100), deltas)
    const { settle } = await explained(await chat(user.key, 'several', { stream: true }))
    expect(settle.chargeMicros).toBe(String(100 + 10 + 2 * searchMicros))
  })

  test('a client of another wire is charged for the same searches', async () => {
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    answers(usageOf(100), { executed_tools: [ran(0, 'search'), ran(1, 'search'), ran(2, 'search')] })
    const response = await fetch(`${app.gateway}/v1/messages`, {
      method: 'POST',
      headers: {
        'x-api-key': user.key,
        'anthropic-version': '2023-06-01',
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        model: 'acme/several',
        max_tokens: 100,
        messages: [{ role: 'user', content: 'Hello' }],
      }),
    })
    const { settle } = await explained(await answerOf(response))
    expect(settle.chargeMicros).toBe(String(100 + 10 + 3 * searchMicros))
  })

  test('a stream of a searching model first holds one search, and extends the hold to the reported usage', async () => {
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    streams(usageOf(90_000, { num_search_queries: 3 }))
    const answer = await chat(user.key, 'several', { stream: true })
    const { quote, reserve, settle } = await explained(answer)
    expect(quote.tools).toMatchObject({ uses: 1, usesMax: 10 })
    expect(Number(reserve.firstWorstMicros)).toBe(quote.textTokensMax + useMicros + 2 * 100)
    const charge = 90_000 + 10 + 3 * searchMicros
    expect(settle).toMatchObject({ chargeMicros: String(charge), overHoldMicros: '0' })
    expect(await settledBalance(user)).toBe(1_000_000n - BigInt(charge))
  })

  test('if the balance is low, a searching model holds fewer searches, and hard_token never charges more than the hold', async () => {
    const user = await app.newUser({ balanceMicros: BigInt(useMicros + 2_000) })
    answers(usageOf(400_000))
    const answer = await chat(user.key, 'single')
    expect([answer.status, answer.headers.get('x-svc-abort-reason')]).toEqual([200, 'tool_uses_clamped'])
    const { reserve, settle } = await explained(answer)
    expect(settle.chargeMicros).toBe(reserve.firstWorstMicros)
    expect(BigInt(settle.overHoldMicros)).toBe(410_010n - BigInt(reserve.firstWorstMicros))
    expect(await settledBalance(user)).toBeGreaterThanOrEqual(0n)
  })

  test('for a searching model, at most the application’s maximum of uses is held and charged', async () => {
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    await app.api('PATCH', '/v1/gateway', { providerTools: { webSearch: 3 } })
    answers(usageOf(100))
    const { quote, settle } = await explained(await chat(user.key, 'several'))
    expect(quote.tools).toMatchObject({ uses: 3, usesMax: 3 })
    expect(settle.chargeMicros).toBe(String(100 + 10 + 3 * searchMicros))
  })

  test('if the balance does not cover one search, a request to a searching model returns 402 before the provider is called', async () => {
    const user = await app.newUser({ balanceMicros: 20_000n })
    const before = app.provider.calls.length
    const answer = await chat(user.key, 'single')
    expect([answer.status, answer.body.error.code]).toEqual([402, 'insufficient_credit'])
    expect(app.provider.calls.length).toBe(before)
  })

  const low = { search_context_size: 'low', user_location: { type: 'approximate', country: 'FR' } }
  const high = { search_context_size: 'high' }
  test.each([
    ['single', {}, null],
    ['single', low, null],
    ['openai', high, null],
    ['single', high, 'web_search_options.search_context_size'],
    ['single', { search_context_size: 1 }, 'web_search_options.search_context_size'],
    ['plain', low, 'web_search_options'],
    ['groq', null, null],
    ['plain', false, null],
  ])('for %s, the search settings %j are forwarded, or rejected by name', async (label, options, param) => {
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    const before = app.provider.calls.length
    answers(usageOf(100))
    const { body, status } = await chat(user.key, label, { web_search_options: options })
    if (param === null) {
      expect(status).toBe(200)
      expect(app.provider.calls.at(-1)?.body).toMatchObject({ web_search_options: options })
    } else {
      expect(body.error).toMatchObject({ code: 'unsupported_for_route', param })
      expect(app.provider.calls.length).toBe(before)
    }
  })

  test('a searching model without a price for searches is rejected, and the error names the missing rate', async () => {
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    const before = app.provider.calls.length
    const { body } = await chat(user.key, 'unpriced')
    expect(body.error).toMatchObject({
      message: expect.stringContaining('webSearch'),
      code: 'model_unpriced',
    })
    expect(app.provider.calls.length).toBe(before)
  })

  test('a router skips a searching model if the application drops all provider tools, and the next target serves the request', async () => {
    const targets = [{ alias: 'acme/single' }, { alias: 'acme/plain' }]
    await app.api('PUT', '/v1/routers/acme%2Fauto', { policy: 'priority', targets })
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    answers(usageOf(100))
    const servedBy = async (rule: string): Promise<readonly unknown[]> => {
      await app.api('PATCH', '/v1/gateway', { providerTools: { webSearch: rule } })
      const answer = await chat(user.key, 'auto')
      const { route, settle } = await explained(answer)
      const searching = route.candidates.find(({ model }: { model: string }) => model === 'sonar-pro')
      return [answer.status, route.model, searching.skipped, settle.chargeMicros]
    }
    expect(await servedBy('bounded')).toEqual([200, 'sonar-pro', null, String(110 + searchMicros)])
    const reason = expect.stringContaining('searches the web by itself')
    expect(await servedBy('drop')).toEqual([200, 'llama', reason, '110'])
    expect(app.provider.calls.at(-1)?.body).toMatchObject({ model: 'llama' })
  })

  test.each(['drop', 'refuse'])(
    'if the application sets %s, a searching model is rejected by name',
    async (rule) => {
      const user = await app.newUser({ balanceMicros: 1_000_000n })
      await app.api('PATCH', '/v1/gateway', { providerTools: { webSearch: rule } })
      const { body } = await chat(user.key, 'single')
      expect(body.error).toMatchObject({
        message: expect.stringContaining('searches the web by itself'),
        code: 'unsupported_for_route',
        param: 'model',
      })
    },
  )
})
