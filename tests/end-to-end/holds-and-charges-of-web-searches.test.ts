import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  connectAccount,
  makeApplication,
  settledBalance,
  startServer,
  answerOf,
  upstreamKey,
  type Answer,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application

/** An input token costs one micro, an output token two, and a search 10,000. */
const rates = { input: '1000000', output: '2000000', cacheWrite: '1000000', cacheWriteLong: '1000000' }
const searchMicros = 10_000
const resultTokens = 33_000
/** The model reads the prompt again after each use. */
const promptTokens = 1_300
const useMicros = resultTokens + promptTokens + searchMicros
const search = { type: 'web_search_20250305', name: 'web_search' }
const fetching = { type: 'web_fetch_20250910', name: 'web_fetch' }

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  const { baseUrl } = app.provider
  const account = { baseUrl, apiKey: upstreamKey }
  const price = { ...rates, webSearch: String(searchMicros) }
  await connectAccount(app, 'claude', { ...account, kind: 'anthropic', model: 'm-1', price })
  await connectAccount(app, 'gpt', { ...account, kind: 'openai', model: 'gpt-5', price })
  await app.api('PUT', '/v1/bundles/ruled', { displayName: 'Ruled' })
  await app.api('POST', '/v1/bundles/ruled/allow', { models: ['acme/*'] })
  await connectAccount(app, 'unpriced', { ...account, kind: 'anthropic', model: 'm-2', price: rates })
})
beforeEach(async () => {
  app.provider.script({})
  await app.api('PATCH', '/v1/gateway', { providerTools: 'bounded' })
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

const plain = { max_tokens: 100, messages: [{ role: 'user' as const, content: 'Hello' }] }

async function message(key: string, body: object): Promise<Answer> {
  const response = await fetch(`${app.gateway}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'acme/claude', ...plain, ...body }),
  })
  return answerOf(response)
}

async function respond(key: string, body: object): Promise<Answer> {
  const response = await fetch(`${app.gateway}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'acme/gpt', input: 'Hello', max_output_tokens: 100, ...body }),
  })
  return answerOf(response)
}

function answers(searches: number, input: number): void {
  const body = JSON.stringify({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm-1',
    content: [{ type: 'text', text: 'Hello' }],
    stop_reason: 'end_turn',
    usage: {
      input_tokens: input,
      output_tokens: 5,
      server_tool_use: { web_search_requests: searches },
    },
  })
  app.provider.script({ status: 200, headers: { 'content-type': 'application/json' }, body })
}

// oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
const explained = (answer: Answer): Promise<any> =>
  app.api('GET', `/v1/requests/${answer.headers.get('x-request-id')}`)
// oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
const sent = (): any => app.provider.calls.at(-1)?.body
const lostOf = (answer: Answer): string | null => answer.headers.get('x-svc-conversion-lost')

describe('a web search with a known price', () => {
  test('a web search with a known price is sent with a limit, held for two uses, and charged as reported', async () => {
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    answers(1, 7_510)
    const answer = await message(user.key, { tools: [search] })
    expect([answer.status, lostOf(answer)]).toEqual([200, null])
    expect(sent()).toMatchObject({ tools: [{ ...search, max_uses: 5 }], max_tokens: 100 })
    const { quote, reserve, settle } = await explained(answer)
    expect(quote.tools).toEqual({
      kinds: ['webSearch'],
      uses: 2,
      usesMax: 5,
      tokensPerUse: resultTokens + quote.textTokensMax,
      searchesPerUse: 1,
      feePerUse: String(searchMicros),
    })
    expect(Number(reserve.firstWorstMicros)).toBe(
      quote.textTokensMax + 2 * (quote.tools.tokensPerUse + searchMicros) + 2 * 100,
    )
    expect(quote.worstCase.micros).toBe(reserve.firstWorstMicros)
    expect(settle).toMatchObject({ chargeMicros: String(7_510 + 10 + searchMicros), overHoldMicros: '0' })
    expect(await settledBalance(user)).toBe(1_000_000n - 17_520n)
  })

  test('the first request to a new model name can use a web search', async () => {
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    answers(1, 100)
    // The cached configuration does not contain the new model name.
    await message(user.key, { tools: [search] })
    await app.api('PUT', '/v1/models/acme%2Fnew', { sources: [{ provider: 'claude', model: 'm-1' }] })
    const answer = await message(user.key, { model: 'acme/new', tools: [search] })
    expect([answer.status, lostOf(answer)]).toEqual([200, null])
    expect(sent()).toMatchObject({ tools: [{ ...search, max_uses: 5 }] })
  })

  test('a web search keeps a lower limit of the client, and the hold covers at most this limit', async () => {
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    answers(1, 100)
    const answer = await message(user.key, { tools: [{ ...search, max_uses: 1 }] })
    expect(sent().tools).toEqual([{ ...search, max_uses: 1 }])
    expect((await explained(answer)).quote.tools).toMatchObject({ uses: 1, usesMax: 1 })
  })

  test('if the balance is low, a web search is allowed fewer uses before the output is shortened', async () => {
    const user = await app.newUser({ balanceMicros: BigInt(useMicros + 2_000) })
    answers(1, 100)
    const answer = await message(user.key, { tools: [search] })
    expect([answer.status, answer.headers.get('x-svc-abort-reason')]).toEqual([200, 'tool_uses_clamped'])
    expect(sent()).toMatchObject({ tools: [{ max_uses: 1 }], max_tokens: 100 })
  })

  test('if the balance does not cover one use, a header names the removed web search, and a forced web search returns 402', async () => {
    const user = await app.newUser({ balanceMicros: 20_000n })
    answers(0, 100)
    const answer = await message(user.key, { tools: [search] })
    expect([answer.status, lostOf(answer)]).toEqual([200, 'tools.web_search_20250305'])
    expect(sent()).not.toHaveProperty('tools')
    const forced = await message(user.key, {
      tools: [search],
      tool_choice: { type: 'tool', name: 'web_search' },
    })
    expect([forced.status, forced.body.error.details.error_code]).toEqual([402, 'insufficient_credit'])
  })

  test('under hard_token, at most the hold of a web search is charged, and the cost above the hold is recorded', async () => {
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    answers(5, 400_000)
    const answer = await message(user.key, { tools: [search] })
    const { reserve, settle } = await explained(answer)
    expect(settle.chargeMicros).toBe(reserve.firstWorstMicros)
    expect(BigInt(settle.overHoldMicros)).toBe(450_010n - BigInt(reserve.firstWorstMicros))
    // Five searches cannot cause the reported input, so the doctor reports this request.
    const { findings } = await app.api('GET', '/v1/diagnose')
    const id = answer.headers.get('x-request-id')
    expect(findings).toContainEqual(
      expect.objectContaining({ code: 'input_beyond_bound', message: expect.stringContaining(`${id}`) }),
    )
  })

  test('without a price, a web search is removed, and the error for a forced web search names the missing price', async () => {
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    answers(0, 100)
    const unpriced = { model: 'acme/unpriced', tools: [search] }
    const answer = await message(user.key, unpriced)
    expect([answer.status, lostOf(answer)]).toEqual([200, 'tools.web_search_20250305'])
    const forced = await message(user.key, { ...unpriced, tool_choice: { type: 'any' } })
    expect([forced.status, forced.body.error.message]).toEqual([400, expect.stringContaining('webSearch')])
  })

  test('a web search is removed if the provider’s wire differs from the client’s', async () => {
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    const answer = await message(user.key, { model: app.model, tools: [search] })
    expect([answer.status, lostOf(answer)]).toEqual([200, 'tools.web_search_20250305'])
    expect(sent()).not.toHaveProperty('tools')
  })
})

test('web fetch and tool search are sent even without a price, and code execution is removed', async () => {
  const user = await app.newUser({ balanceMicros: 1_000_000n })
  answers(0, 100)
  const tools = [
    fetching,
    { type: 'tool_search_tool_regex_20251119', name: 'tool_search_tool_regex' },
    { type: 'code_execution_20250825', name: 'code_execution' },
    { name: 'f', input_schema: { type: 'object' }, defer_loading: true },
  ]
  const answer = await message(user.key, { model: 'acme/unpriced', tools })
  expect(lostOf(answer)).toBe('tools.code_execution_20250825')
  expect(sent().tools).toEqual([{ ...fetching, max_uses: 5 }, tools[1], tools[3]])
  const { quote } = await explained(answer)
  expect(quote.tools).toMatchObject({ tokensPerUse: 26_000 + quote.textTokensMax, searchesPerUse: 0 })
})

test('a bundle can override the rules of its application, for all tools or by kind', async () => {
  const rule = (providerTools: unknown) => app.api('PATCH', '/v1/bundles/basic', { providerTools })
  const user = await app.newUser({ balanceMicros: 1_000_000n })
  const other = await app.newUser({ balanceMicros: 1_000_000n, bundle: 'ruled' })
  const ask = async (key: string, tools: readonly object[]) => {
    const answer = await message(key, { tools })
    return answer.status === 200 ? (lostOf(answer) ?? 'sent') : answer.body.error.details.error_code
  }
  answers(0, 100)
  await app.api('PATCH', '/v1/gateway', { providerTools: { webFetch: 'refuse' } })
  expect((await rule('drop')).providerTools).toBe('drop')
  expect(await ask(user.key, [search])).toBe('tools.web_search_20250305')
  expect(await ask(user.key, [fetching])).toBe('tools.web_fetch_20250910')
  expect(await ask(other.key, [search])).toBe('sent')
  // If the bundle has no rule for a kind of tool, the application's rule applies.
  await rule({ webSearch: 'refuse' })
  expect(await ask(user.key, [search])).toBe('unsupported_for_route')
  expect(await ask(user.key, [fetching])).toBe('unsupported_for_route')
  await rule({ webFetch: 'bounded' })
  // The gateway may still parse the first request with the rules that it had cached.
  await ask(user.key, [fetching])
  expect(await ask(user.key, [fetching])).toBe('sent')
  const shown = await app.api('GET', '/v1/bundles/basic')
  expect(shown.providerTools).toEqual({ webFetch: 'bounded' })
  expect((await rule(null)).providerTools).toBeNull()
  await ask(user.key, [search])
  expect(await ask(user.key, [search])).toBe('sent')
  expect(await ask(user.key, [fetching])).toBe('unsupported_for_route')
})

describe('an application’s maximum of uses', () => {
  test('an application’s maximum of uses replaces the default, and lowers higher limits of the client', async () => {
    await app.api('PATCH', '/v1/gateway', { providerTools: { webSearch: 3, webFetch: 7 } })
    const user = await app.newUser({ balanceMicros: 10_000_000n })
    answers(1, 100)
    const tools = [
      search,
      { ...search, name: 'wide', max_uses: 50 },
      { ...search, name: 'narrow', max_uses: 2 },
      { ...fetching, max_uses: 9 },
    ]
    const answer = await message(user.key, { tools })
    expect([answer.status, lostOf(answer), answer.headers.get('x-svc-abort-reason')]).toEqual([
      200,
      null,
      null,
    ])
    expect(sent().tools.map((tool: { max_uses: number }) => tool.max_uses)).toEqual([3, 3, 2, 7])
    expect((await explained(answer)).quote.tools).toMatchObject({ uses: 2, usesMax: 7 })
  })

  test('a limit that applies to all tools together is the lowest of the application’s maximums', async () => {
    await app.api('PATCH', '/v1/gateway', { providerTools: { webSearch: 8, mcp: 20 } })
    const user = await app.newUser({ balanceMicros: 10_000_000n })
    const search2 = { type: 'web_search' }
    const mcp = { type: 'mcp', server_label: 'x', server_url: 'https://x.example' }
    const limitOf = async (body: object): Promise<unknown> => {
      await respond(user.key, body)
      return sent().max_tool_calls
    }
    expect(await limitOf({ tools: [search2] })).toBe(8)
    expect(await limitOf({ tools: [search2, mcp] })).toBe(8)
    expect(await limitOf({ tools: [mcp] })).toBe(20)
    expect(await limitOf({ tools: [mcp], max_tool_calls: 50 })).toBe(20)
    expect(await limitOf({ tools: [mcp], max_tool_calls: 4 })).toBe(4)
  })

  test('a low balance lowers the application’s maximum of uses, and a bundle can set another maximum', async () => {
    await app.api('PATCH', '/v1/gateway', { providerTools: { webSearch: 3 } })
    const short = await app.newUser({ balanceMicros: BigInt(useMicros + 5_000) })
    answers(1, 100)
    const answer = await message(short.key, { tools: [search] })
    expect([answer.headers.get('x-svc-abort-reason'), sent().tools[0].max_uses]).toEqual([
      'tool_uses_clamped',
      1,
    ])
    await app.api('PATCH', '/v1/bundles/ruled', { providerTools: { webSearch: 12 } })
    const user = await app.newUser({ bundle: 'ruled', balanceMicros: 10_000_000n })
    await message(user.key, { tools: [search] })
    expect(sent().tools[0].max_uses).toBe(12)
    await app.api('PATCH', '/v1/bundles/ruled', { providerTools: null })
  })
})

describe('the first request after a change of the rules', () => {
  const large = { role: 'user', content: 'word '.repeat(80_000) }
  const drop = { webSearch: 'drop' }

  test.each([
    ['a small body', {}],
    ['a large body', { messages: [large] }],
  ])('the first request after a change of the rules follows the new rules, with %s', async (_what, body) => {
    const user = await app.newUser({ balanceMicros: 100_000_000n })
    answers(0, 100)
    const sentAfter = async (rules: unknown): Promise<unknown> => {
      await app.api('PATCH', '/v1/gateway', { providerTools: rules })
      const answer = await message(user.key, { tools: [search, fetching], ...body })
      expect(answer.status).toBe(200)
      return sent().tools?.map(({ name, max_uses: uses }: { name: string; max_uses: number }) => [name, uses])
    }
    expect(await sentAfter('drop')).toEqual(undefined)
    expect(await sentAfter({ webSearch: 3, webFetch: 'drop' })).toEqual([['web_search', 3]])
    expect(await sentAfter(drop)).toEqual([['web_fetch', 5]])
    expect(await sentAfter('bounded')).toEqual([
      ['web_search', 5],
      ['web_fetch', 5],
    ])
    expect(await sentAfter('drop')).toEqual(undefined)
  })

  test('if a change of the rules allows a tool, the next request may force the model to use it', async () => {
    const user = await app.newUser({ balanceMicros: 100_000_000n })
    answers(0, 100)
    const forced = { tools: [search], tool_choice: { type: 'tool', name: 'web_search' } }
    await app.api('PATCH', '/v1/gateway', { providerTools: drop })
    expect((await message(user.key, forced)).status).toBe(400)
    await app.api('PATCH', '/v1/gateway', { providerTools: 'bounded' })
    expect((await message(user.key, forced)).status).toBe(200)
  })
})

test('an application can drop or reject a kind of tool', async () => {
  const user = await app.newUser({ balanceMicros: 1_000_000n })
  answers(0, 100)
  await app.api('PATCH', '/v1/gateway', { providerTools: { webSearch: 'drop', webFetch: 'refuse' } })
  const dropped = await message(user.key, { tools: [search] })
  expect([dropped.status, lostOf(dropped)]).toEqual([200, 'tools.web_search_20250305'])
  const refused = await message(user.key, { tools: [search, fetching] })
  expect(refused.body.error.details).toMatchObject({
    error_code: 'unsupported_for_route',
    param: expect.stringMatching(/^tools\.web(?:_f|F)etch/),
  })
})
