import { afterAll, beforeAll, describe, expect, test } from 'vitest'
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

/** An input token costs one micro, an output token two, and a search 10,000. */
const rates = { input: '1000000', output: '2000000' }
const searchMicros = 10_000
const json = { 'content-type': 'application/json' }

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  const account = { baseUrl: app.provider.baseUrl, apiKey: upstreamKey, kind: 'google' as const }
  const price = { ...rates, webSearch: String(searchMicros) }
  await connectAccount(app, 'gemini', { ...account, model: 'gemini-3-pro', price })
  await connectAccount(app, 'unpriced', { ...account, model: 'gemini-x', price: rates })
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

const plain = {
  contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
  generationConfig: { maxOutputTokens: 100 },
}

async function generate(key: string, model: string, body: object): Promise<Answer> {
  const response = await fetch(`${app.gateway}/v1beta/models/${model}:generateContent`, {
    method: 'POST',
    headers: { 'x-goog-api-key': key, ...json },
    body: JSON.stringify({ ...plain, ...body }),
  })
  return answerOf(response)
}

function answers(groundingMetadata: object, toolUsePromptTokenCount: number, isStream = false): void {
  const body = JSON.stringify({
    candidates: [
      { content: { parts: [{ text: 'Rome' }], role: 'model' }, finishReason: 'STOP', groundingMetadata },
    ],
    usageMetadata: {
      promptTokenCount: 10,
      candidatesTokenCount: 5,
      toolUsePromptTokenCount,
      totalTokenCount: 15 + toolUsePromptTokenCount,
    },
    modelVersion: 'gemini-3-pro',
  })
  const stream = { 'content-type': 'text/event-stream' }
  app.provider.script(
    isStream
      ? { status: 200, headers: stream, body: `data: ${body}\r\n\r\n` }
      : { status: 200, headers: json, body },
  )
}

// oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
const explained = (answer: Answer): Promise<any> =>
  app.api('GET', `/v1/requests/${answer.headers.get('x-request-id')}`)
// oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
const sent = (): any => app.provider.calls.at(-1)?.body
const lostOf = (answer: Answer): string | null => answer.headers.get('x-svc-conversion-lost')

describe('a Google search with a known price', () => {
  test('a Google search with a known price is sent, held for five uses, and charged for each query', async () => {
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    answers({ webSearchQueries: ['a', 'b', 'c'] }, 600)
    const tools = [{ googleSearch: {} }]
    const answer = await generate(user.key, 'acme/gemini', { tools })
    expect([answer.status, lostOf(answer)]).toEqual([200, null])
    expect(sent().tools).toEqual(tools)
    const { quote, reserve, settle } = await explained(answer)
    expect(quote.tools).toMatchObject({ kinds: ['webSearch'], uses: 5, usesMax: 5, searchesPerUse: 1 })
    expect(Number(reserve.firstWorstMicros)).toBe(quote.textTokensMax + 5 * (33_000 + searchMicros) + 200)
    expect(settle).toMatchObject({ chargeMicros: String(610 + 10 + 3 * searchMicros), overHoldMicros: '0' })
    expect(await settledBalance(user)).toBe(1_000_000n - 30_620n)
  })

  test('a Google search is removed if the balance does not cover even one use', async () => {
    const user = await app.newUser({ balanceMicros: 20_000n })
    answers({}, 0)
    const answer = await generate(user.key, 'acme/gemini', { tools: [{ google_search: {} }] })
    expect([answer.status, lostOf(answer)]).toEqual([200, 'tools.googleSearch'])
    expect(sent()).not.toHaveProperty('tools')
  })

  test('a Google search is never charged above the hold under hard_token', async () => {
    const user = await app.newUser({ balanceMicros: 60_000n })
    answers({ webSearchQueries: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] }, 100_000)
    const answer = await generate(user.key, 'acme/gemini', { tools: [{ googleSearch: {} }] })
    expect(answer.headers.get('x-svc-abort-reason')).toBe('tool_uses_clamped')
    const { reserve, settle } = await explained(answer)
    expect(settle.chargeMicros).toBe(reserve.firstWorstMicros)
    expect(BigInt(settle.overHoldMicros)).toBeGreaterThan(0n)
  })
})

test('a file search is sent only if the application allows this kind of tool, and the hold covers all its uses', async () => {
  const user = await app.newUser({ balanceMicros: 1_000_000n })
  const tools = [{ fileSearch: { fileSearchStoreNames: ['fileSearchStores/manuals'] } }]
  for (const providerTools of ['bounded', {}, { webSearch: 'bounded' }, 'drop']) {
    // oxlint-disable-next-line no-await-in-loop -- one setting after another
    await app.api('PATCH', '/v1/gateway', { providerTools })
    answers({}, 0)
    // oxlint-disable-next-line no-await-in-loop -- as above
    const answer = await generate(user.key, 'acme/unpriced', { tools })
    expect([answer.status, lostOf(answer)], JSON.stringify(providerTools)).toEqual([200, 'tools.fileSearch'])
    expect(sent()).not.toHaveProperty('tools')
  }
  await app.api('PATCH', '/v1/gateway', { providerTools: { fileSearch: 'bounded' } })
  for (const [method, isStream] of [
    ['generateContent', false],
    ['streamGenerateContent?alt=sse', true],
  ] as const) {
    answers({}, 1_436, isStream)
    // oxlint-disable-next-line no-await-in-loop -- as above
    const response = await fetch(`${app.gateway}/v1beta/models/acme/unpriced:${method}`, {
      method: 'POST',
      headers: { 'x-goog-api-key': user.key, ...json },
      body: JSON.stringify({ ...plain, tools }),
    })
    // oxlint-disable-next-line no-await-in-loop -- as above
    const answer = await answerOf(response)
    expect([answer.status, lostOf(answer), sent().tools]).toEqual([200, null, tools])
    // oxlint-disable-next-line no-await-in-loop -- as above
    const { quote } = await explained(answer)
    expect(quote.tools).toMatchObject({ kinds: ['fileSearch'], uses: 5, usesMax: 5, tokensPerUse: 2_000 })
  }
  await app.api('PATCH', '/v1/gateway', { providerTools: 'bounded' })
})

test('without prices for tools, the tools that run code and fetch pages are sent, and a file search is removed', async () => {
  const user = await app.newUser({ balanceMicros: 1_000_000n })
  answers({}, 700)
  const tools = [{ codeExecution: {} }, { urlContext: {} }, { fileSearch: {} }]
  const answer = await generate(user.key, 'acme/unpriced', { tools })
  expect([answer.status, lostOf(answer)]).toEqual([200, 'tools.fileSearch'])
  expect(sent().tools).toEqual(tools.slice(0, 2))
  const { quote, settle } = await explained(answer)
  expect(quote.tools).toMatchObject({ tokensPerUse: 26_000, searchesPerUse: 0 })
  expect(settle.chargeMicros).toBe(String(710 + 10))
})
