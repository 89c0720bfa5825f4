import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  answerOf,
  connectAccount,
  makeApplication,
  startServer,
  testKeyOf,
  upstreamKey,
  type Answer,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application
let key: string

/** An input token costs one micro, an output token two, and a search 7,000. */
const rates = { input: '1000000', output: '2000000', cacheWrite: '1000000' }
const searchMicros = 7_000
const price = { ...rates, webSearch: String(searchMicros) }
const search = { type: 'openrouter:web_search' }
const plugins = [{ id: 'web' }]

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  const account = { baseUrl: app.provider.baseUrl, apiKey: upstreamKey }
  await connectAccount(app, 'router', { ...account, kind: 'openrouter', model: 'openai/m-1', price })
  await connectAccount(app, 'unpriced', { ...account, kind: 'openrouter', model: 'm-2', price: rates })
  await connectAccount(app, 'plain', { ...account, kind: 'openai_compatible', model: 'm-3', price })
  key = (await app.newUser({ balanceMicros: 10_000_000n })).key
})
beforeEach(() => app.provider.script({}))
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

async function chat(body: object): Promise<Answer> {
  const response = await fetch(`${app.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'acme/router',
      messages: [{ role: 'user', content: 'Hello' }],
      max_tokens: 100,
      ...body,
    }),
  })
  return answerOf(response)
}

const usageOf = (searches: number, input: number) => ({
  prompt_tokens: input,
  completion_tokens: 5,
  total_tokens: input + 5,
  server_tool_use_details: { web_search_requests: searches, tool_calls_executed: searches },
})

function answers(searches: number, input: number): void {
  const body = {
    id: 'gen-1',
    object: 'chat.completion',
    model: 'openai/m-1',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hi' } }],
    usage: usageOf(searches, input),
  }
  app.provider.script({
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

// oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
const explained = (answer: Answer): Promise<any> =>
  app.api('GET', `/v1/requests/${answer.headers.get('x-request-id')}`)
// oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
const sent = (): any => app.provider.calls.at(-1)?.body
const lostOf = (answer: Answer): string | null => answer.headers.get('x-svc-conversion-lost')

describe('web searches of OpenRouter', () => {
  test('a search is sent with a limit, held for two uses, and charged as reported', async () => {
    answers(1, 8_174)
    const answer = await chat({ tools: [search] })
    expect([answer.status, lostOf(answer)]).toEqual([200, null])
    expect(sent().tools).toEqual([{ ...search, parameters: { max_uses: 5 } }])
    const { quote, reserve, settle, usage } = await explained(answer)
    expect(quote.tools).toMatchObject({ kinds: ['webSearch'], uses: 2, usesMax: 5, searchesPerUse: 1 })
    expect(Number(reserve.firstWorstMicros)).toBe(
      quote.textTokensMax + 2 * (quote.tools.tokensPerUse + searchMicros) + 200,
    )
    expect(usage.webSearches).toBe(1)
    expect(settle).toMatchObject({ chargeMicros: String(8_174 + 10 + searchMicros), overHoldMicros: '0' })
  })

  test.each([
    [{ parameters: {} }, { parameters: { max_uses: 5 } }],
    [{ parameters: { engine: 'exa' } }, { parameters: { max_uses: 5, engine: 'exa' } }],
    [{ parameters: { max_uses: 2 } }, { parameters: { max_uses: 2 } }],
    [{ parameters: { max_uses: 9 } }, { parameters: { max_uses: 9 } }],
  ])('the limit of uses is written into %j', async (given, expected) => {
    answers(0, 100)
    expect((await chat({ tools: [{ ...search, ...given }] })).status).toBe(200)
    expect(sent().tools).toEqual([{ ...search, ...expected }])
  })

  test('the first hold of a stream covers two searches, and the charge is exact', async () => {
    const chunk = { id: 'gen-1', object: 'chat.completion.chunk', model: 'openai/m-1' }
    const frames = [
      { ...chunk, choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { ...chunk, choices: [], usage: usageOf(2, 20_000) },
    ]
    app.provider.script({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: `${frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('')}data: [DONE]\n\n`,
    })
    const answer = await chat({ tools: [search], stream: true })
    expect(answer.text).toContain('[DONE]')
    const { quote, settle } = await explained(answer)
    expect(quote.tools).toMatchObject({ uses: 2, usesMax: 5 })
    expect(settle).toMatchObject({
      chargeMicros: String(20_000 + 10 + 2 * searchMicros),
      overHoldMicros: '0',
    })
  })

  test('for the web search plugin, one search is held and charged, and any other plugin is rejected with its name', async () => {
    answers(1, 2_315)
    const answer = await chat({ plugins })
    expect([answer.status, sent().plugins]).toEqual([200, plugins])
    const { quote, settle } = await explained(answer)
    expect(quote.tools).toMatchObject({ uses: 1, usesMax: 1 })
    expect(settle).toMatchObject({ chargeMicros: String(2_315 + 10 + searchMicros), overHoldMicros: '0' })
    for (const [body, param] of [
      [{ plugins: [{ id: 'file-parser' }] }, 'plugins.0'],
      [{ plugins: [...plugins, { id: 'fusion' }] }, 'plugins.1'],
      [{ plugins: [...plugins, ...plugins] }, 'plugins.1'],
      [{ plugins, tools: [search] }, 'plugins'],
      [{ plugins: [{ id: 'web', max_results: 11 }] }, 'plugins.0.max_results'],
      [{ tools: [{ ...search, parameters: { max_results: 11 } }] }, 'tools.parameters.max_results'],
    ] as const) {
      const refused = await chat(body)
      expect([refused.status, refused.body.error.param]).toEqual([400, param])
    }
  })

  test.each(['acme/unpriced', 'acme/plain'])('for %s, a header names the removed searches', async (model) => {
    answers(0, 100)
    const answer = await chat({ model, tools: [search] })
    expect([answer.status, lostOf(answer)]).toEqual([200, 'tools.openrouter_web_search'])
    expect(sent()).not.toHaveProperty('tools')
    const plugged = await chat({ model, plugins, temperature: 1 })
    expect([plugged.status, lostOf(plugged)]).toEqual([200, 'plugins.web'])
    expect(sent()).not.toHaveProperty('plugins')
    const forced = await chat({ model, tools: [search], tool_choice: { type: search.type } })
    expect([forced.status, forced.body.error.param]).toEqual([400, 'tool_choice'])
  })

  test('if a search is sent, a tool choice that forces the search is sent too', async () => {
    answers(1, 100)
    expect((await chat({ tools: [search], tool_choice: { type: search.type } })).status).toBe(200)
    expect(sent().tool_choice).toEqual({ type: search.type })
  })

  test('the simulator searches in test mode, with the official client', async () => {
    const openai = new OpenAI({ apiKey: await testKeyOf(app), baseURL: `${app.gateway}/v1`, maxRetries: 0 })
    const answer = await openai.chat.completions.create({
      model: 'acme/router',
      messages: [{ role: 'user', content: '[[search=2 text=Found.]]' }],
      // The official client has no type for OpenRouter's tools.
      tools: [search as unknown as OpenAI.ChatCompletionTool],
    })
    expect(answer.choices[0]?.message.content).toBe('Found.')
    expect(answer.usage).toMatchObject({ server_tool_use_details: { web_search_requests: 2 } })
  })
})
