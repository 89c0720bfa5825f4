import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  answerOf,
  connectAccount,
  eventually,
  makeApplication,
  startServer,
  upstreamKey,
  type Answer,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application

/** An input token costs one micro, an output token two, and a file search 2,500. */
const rates = { input: '1000000', output: '2000000', cacheWrite: '1000000', cacheWriteLong: '1000000' }
const searchMicros = 2_500
const search = { type: 'file_search', vector_store_ids: ['vs_6931d72a43048191'] }
const searched = (id: string) => ({
  id,
  type: 'file_search_call',
  status: 'completed',
  queries: ['capital of France'],
  results: [{ file_id: 'file-1', filename: 'a.txt', score: 0.9, text: 'Paris is the capital.' }],
})
const citation = { type: 'file_citation', file_id: 'file-1', filename: 'a.txt', index: 5 }
const part = { type: 'output_text', text: 'Paris', annotations: [citation], logprobs: [] }
const said = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [part] }

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  const account = { baseUrl: app.provider.baseUrl, apiKey: upstreamKey, kind: 'openai', model: 'gpt-5' }
  await connectAccount(app, 'gpt', { ...account, price: { ...rates, fileSearch: String(searchMicros) } })
  await connectAccount(app, 'unpriced', { ...account, price: rates })
})
beforeEach(async () => {
  app.provider.script({})
  await rule({ fileSearch: 'bounded' })
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

const rule = (providerTools: unknown) => app.api('PATCH', '/v1/gateway', { providerTools })
const newUser = (balanceMicros = 10_000_000n): Promise<User> => app.newUser({ balanceMicros })

async function respond(key: string, body: object): Promise<Answer> {
  const response = await fetch(`${app.gateway}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'acme/gpt',
      input: 'Hello',
      max_output_tokens: 100,
      tools: [search],
      ...body,
    }),
  })
  return answerOf(response)
}

const responseOf = (output: readonly object[], input: number, fields: object = {}) => ({
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'gpt-5',
  store: true,
  output,
  usage: { input_tokens: input, output_tokens: 5, total_tokens: input + 5 },
  ...fields,
})

function answers(output: readonly object[], input: number, fields: object = {}): void {
  const body = JSON.stringify(responseOf(output, input, fields))
  app.provider.script({ status: 200, headers: { 'content-type': 'application/json' }, body })
}

function streams(uses: number, input: number): void {
  const calls = Array.from({ length: uses }, (_, i) => searched(`fs_${i}`))
  const frames = [
    ...calls.flatMap((item, output_index) => [
      { type: 'response.file_search_call.in_progress', output_index, item_id: item.id },
      { type: 'response.file_search_call.completed', output_index, item_id: item.id },
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.output_text.delta', output_index: uses, item_id: 'msg_1', delta: 'Paris' },
    { type: 'response.output_item.done', output_index: uses, item: said },
    { type: 'response.completed', response: responseOf([...calls, said], input) },
  ]
  app.provider.script({
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join(''),
  })
}

// oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
const explained = (answer: Answer): Promise<any> =>
  app.api('GET', `/v1/requests/${answer.headers.get('x-request-id')}`)
// oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
const sent = (): any => app.provider.calls.at(-1)?.body
const lostOf = (answer: Answer): string | null => answer.headers.get('x-svc-conversion-lost')

describe('a file search of OpenAI', () => {
  test('a file search is sent, holds the price of every search, and is charged by the calls in the output', async () => {
    const user = await newUser()
    answers([searched('fs_1'), searched('fs_2'), said], 1_188)
    const answer = await respond(user.key, {})
    expect([answer.status, lostOf(answer)]).toEqual([200, null])
    expect(sent()).toMatchObject({ tools: [search], max_tool_calls: 5 })
    const { quote, reserve, settle, usage } = await explained(answer)
    expect(quote).toMatchObject({
      tools: { kinds: ['fileSearch'], uses: 2, usesMax: 5 },
      uses: { fileSearches: 5 },
    })
    expect(quote.tools.tokensPerUse).toBe(2_000 + quote.textTokensMax)
    expect(Number(reserve.firstWorstMicros)).toBe(
      quote.textTokensMax + 2 * quote.tools.tokensPerUse + 5 * searchMicros + 200,
    )
    expect(usage.fileSearches).toBe(2)
    expect(settle).toMatchObject({ chargeMicros: String(1_198 + 2 * searchMicros), overHoldMicros: '0' })
  })

  test('the hold covers no more searches than the client’s limit', async () => {
    const user = await newUser()
    answers([said], 500)
    const answer = await respond(user.key, { max_tool_calls: 1 })
    const { quote, settle, usage } = await explained(answer)
    expect([sent().max_tool_calls, quote.uses]).toEqual([1, { fileSearches: 1 }])
    expect([settle.chargeMicros, usage.fileSearches ?? 0]).toEqual(['510', 0])
  })

  test('a stream first holds one use, extends its hold with each use, and is charged exactly', async () => {
    const user = await newUser()
    streams(3, 9_000)
    const answer = await respond(user.key, { stream: true })
    expect(answer.status).toBe(200)
    const { quote, reserve, settle, usage } = await explained(answer)
    expect(quote.tools).toMatchObject({ uses: 1, usesMax: 5 })
    expect(Number(reserve.extendedMicros)).toBeGreaterThanOrEqual(2 * quote.tools.tokensPerUse)
    expect(usage.fileSearches).toBe(3)
    expect(settle).toMatchObject({ chargeMicros: String(9_010 + 3 * searchMicros), overHoldMicros: '0' })
  })

  test('a low balance lowers the number of allowed uses, and the hold covers only these uses', async () => {
    // The balance covers one use (about 2,200 tokens twice, and one search), but not two.
    const user = await newUser(9_000n)
    answers([searched('fs_1'), said], 1_188)
    const answer = await respond(user.key, {})
    expect([answer.status, sent().max_tool_calls, lostOf(answer)]).toEqual([200, 1, null])
    const { settle } = await explained(answer)
    expect(settle).toMatchObject({ chargeMicros: String(1_198 + searchMicros), overHoldMicros: '0' })
  })

  test('a background response is charged for its searches', async () => {
    const user = await newUser()
    answers([], 0, { status: 'queued', background: true, usage: null })
    const answer = await respond(user.key, { background: true })
    expect(answer.status, answer.text).toBe(200)
    answers([searched('fs_1'), said], 1_188, { background: true })
    const { settle, usage } = await eventually(async () => {
      const found = await explained(answer)
      expect(found.settle).not.toBeNull()
      return found
    })
    expect([usage.fileSearches, settle.chargeMicros]).toEqual([1, String(1_198 + searchMicros)])
  })

  test('earlier searches and citations in the conversation count as content', async () => {
    const user = await newUser()
    answers([said], 1_000)
    const short = await explained(await respond(user.key, { tools: [] }))
    answers([said], 400)
    const ask = { type: 'message', role: 'user', content: 'And its river?' }
    const answer = await respond(user.key, { tools: [], input: [searched('fs_1'), said, ask] })
    expect([answer.status, lostOf(answer)]).toEqual([200, null])
    expect(sent().input).toEqual([searched('fs_1'), said, ask])
    const { quote, settle, usage } = await explained(answer)
    expect(quote.textTokensMax).toBeGreaterThan(short.quote.textTokensMax + 100)
    expect([usage.fileSearches ?? 0, settle.chargeMicros]).toEqual([0, '410'])
  })
})

test('a file search is removed unless the application allows this kind of tool and its price is known', async () => {
  const user = await newUser()
  for (const [providerTools, model] of [
    ['bounded', 'acme/gpt'],
    [{ webSearch: 'bounded' }, 'acme/gpt'],
    [{ fileSearch: 'drop' }, 'acme/gpt'],
    [{ fileSearch: 'bounded' }, 'acme/unpriced'],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one setting after another
    await rule(providerTools)
    answers([said], 100)
    // oxlint-disable-next-line no-await-in-loop -- as above
    const answer = await respond(user.key, { model })
    expect([answer.status, lostOf(answer)], JSON.stringify(providerTools)).toEqual([200, 'tools.file_search'])
    expect(sent()).not.toHaveProperty('tools')
  }
  const tool_choice = { type: 'file_search' }
  const forced = await respond(user.key, { model: 'acme/unpriced', tool_choice })
  expect(forced.status).toBe(400)
  answers([searched('fs_1'), said], 100)
  expect((await respond(user.key, { tool_choice })).status).toBe(200)
  expect(sent().tool_choice).toEqual(tool_choice)
})
