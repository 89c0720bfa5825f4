import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import Anthropic from '@anthropic-ai/sdk'
import { generateText } from 'ai'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  connectAccount,
  control,
  eventually,
  makeApplication,
  startServer,
  testKeyOf,
  upstreamKey,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application
let testKey: string

/** The hold for one search without its prompt: 33,000 tokens at one micro each, and the fee. */
const useMicros = 33_000 + 10_000

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  const rates = { input: '1000000', output: '2000000', cacheWrite: '1000000', cacheWriteLong: '1000000' }
  const price = { ...rates, webSearch: '10000', codeSession: '4000' }
  const account = { baseUrl: app.provider.baseUrl, apiKey: upstreamKey, price }
  await connectAccount(app, 'claude', { ...account, kind: 'anthropic', model: 'm-1' })
  await connectAccount(app, 'gpt', { ...account, kind: 'openai', model: 'm-2' })
  testKey = await testKeyOf(app)
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

// oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
async function explained({ headers }: Response): Promise<any> {
  const path = `/v1/requests/${headers.get('x-request-id')}`
  return (await control(server, 'GET', path, undefined, { 'x-svc-app': app.slug, 'x-svc-mode': 'test' })).body
}

describe('the simulator, with the official clients', () => {
  const words = '[[search=3 text=Found it.]]'

  test('the simulator runs searches on the messages wire, non-streaming and streamed, and the conversation continues', async () => {
    const anthropic = new Anthropic({ apiKey: testKey, baseURL: app.gateway, maxRetries: 0 })
    const tools = [{ type: 'web_search_20250305' as const, name: 'web_search' as const }]
    const asked = { model: 'acme/claude', max_tokens: 100, tools }
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: words }]
    const whole = await anthropic.messages.create({ ...asked, messages })
    expect(whole.usage.server_tool_use?.web_search_requests).toBe(3)
    expect(whole.content.map(({ type }) => type)).toEqual([
      ...Array.from({ length: 3 }, () => ['server_tool_use', 'web_search_tool_result']).flat(),
      'text',
    ])
    const streaming = anthropic.messages.stream({ ...asked, messages })
    const { data, response } = await streaming.withResponse()
    const streamed = await data.finalMessage()
    expect(streamed.content).toEqual(
      whole.content.map((block) => expect.objectContaining({ type: block.type })),
    )
    expect(streamed.usage.server_tool_use?.web_search_requests).toBe(3)
    const { quote, reserve, settle, usage } = await explained(response)
    // The hold first covered one search, and was extended for each further search.
    expect(quote.tools).toMatchObject({ uses: 1, usesMax: 5 })
    expect(Number(reserve.extendedMicros)).toBe(2 * (quote.tools.tokensPerUse + 10_000))
    expect(usage.webSearches).toBe(3)
    expect(settle).toMatchObject({ isOverHold: false, overHoldMicros: '0', isDisputed: null })
    const next = await anthropic.messages.create({
      ...asked,
      messages: [
        ...messages,
        { role: 'assistant', content: whole.content },
        { role: 'user', content: 'Thanks' },
      ],
    })
    expect(next.usage.server_tool_use ?? null).toBeNull()
  })

  test('the simulator runs code in a container and calls tools of an MCP server, and the conversation continues', async () => {
    const anthropic = new Anthropic({ apiKey: testKey, baseURL: app.gateway, maxRetries: 0 })
    const code = { type: 'code_execution_20260120' as const, name: 'code_execution' as const }
    const messages: Anthropic.Beta.BetaMessageParam[] = [{ role: 'user', content: '[[run=2 text=Done.]]' }]
    const asked = { model: 'acme/claude', max_tokens: 100, tools: [code] }
    const { data: whole, response } = await anthropic.beta.messages
      .create({ ...asked, messages })
      .withResponse()
    expect(whole.content.map(({ type }) => type)).toEqual([
      ...Array.from({ length: 2 }, () => ['server_tool_use', 'bash_code_execution_tool_result']).flat(),
      'text',
    ])
    const first = await explained(response)
    expect(first.usage.codeSessions).toBe(1)
    expect(first.settle).toMatchObject({ isOverHold: false, overHoldMicros: '0' })
    const next = await anthropic.beta.messages
      .stream({
        ...asked,
        container: whole.container?.id ?? null,
        messages: [
          ...messages,
          { role: 'assistant', content: whole.content },
          { role: 'user', content: 'Thanks [[run=1 text=Welcome.]]' },
        ],
      })
      .finalMessage()
    expect(next.container?.id).toBe(whole.container?.id)
    const served = await anthropic.beta.messages.create({
      model: 'acme/claude',
      max_tokens: 100,
      messages,
      mcp_servers: [{ type: 'url', name: 'wiki', url: 'https://wiki.example/mcp' }],
      tools: [{ type: 'mcp_toolset', mcp_server_name: 'wiki' }],
    })
    expect(served.content.map(({ type }) => type).slice(0, 2)).toEqual(['mcp_tool_use', 'mcp_tool_result'])
  })

  test('the simulator runs searches on the responses wire, non-streaming and streamed', async () => {
    const openai = new OpenAI({ apiKey: testKey, baseURL: `${app.gateway}/v1`, maxRetries: 0 })
    const asked = { model: 'acme/gpt', input: words, tools: [{ type: 'web_search' as const }] }
    const { data: whole, response: head } = await openai.responses.create(asked).withResponse()
    expect(whole.output.map(({ type }) => type)).toEqual([
      'web_search_call',
      'web_search_call',
      'web_search_call',
      'message',
    ])
    expect(whole.output_text).toBe('Found it.')
    expect(whole.max_tool_calls).toBe(5)
    const first = await explained(head)
    expect(first.usage.webSearches).toBe(3)
    const streaming = openai.responses.stream(asked)
    const final = await streaming.finalResponse()
    expect(final.output_text).toBe('Found it.')
  })

  test('the simulator runs code on the responses wire, and the client uses the same container again and lists its files', async () => {
    const openai = new OpenAI({ apiKey: testKey, baseURL: `${app.gateway}/v1`, maxRetries: 0 })
    const toolIn = (container: string | { type: 'auto' }) => ({
      type: 'code_interpreter' as const,
      container,
    })
    const asked = { model: 'acme/gpt', input: '[[run=2 text=Done.]]', tools: [toolIn({ type: 'auto' })] }
    const { data: whole, response } = await openai.responses.create(asked).withResponse()
    expect(whole.output.map(({ type }) => type)).toEqual([
      'code_interpreter_call',
      'code_interpreter_call',
      'message',
    ])
    const [call] = whole.output
    if (call?.type !== 'code_interpreter_call') throw new Error('no call of code')
    const { container_id: id } = call
    const first = await explained(response)
    expect(first.usage.codeSessions).toBe(1)
    expect(first.settle).toMatchObject({ isOverHold: false, overHoldMicros: '0' })
    const final = await openai.responses
      .stream({
        ...asked,
        tools: [toolIn(id)],
        input: [call, { role: 'user', content: 'Again [[run=1 text=Welcome.]]' }],
      })
      .finalResponse()
    expect(final.output[0]).toMatchObject({ type: 'code_interpreter_call', container_id: id })
    expect((await openai.containers.retrieve(id)).id).toBe(id)
    expect((await openai.containers.files.list(id)).data).toEqual([])
    await expect(openai.containers.files.content.retrieve('cfile_1', { container_id: id })).rejects.toThrow(
      /404/,
    )
  })

  test('the AI SDK uses the tools that each provider runs', async () => {
    const openai = createOpenAI({ apiKey: testKey, baseURL: `${app.gateway}/v1` })
    const anthropic = createAnthropic({ apiKey: testKey, baseURL: `${app.gateway}/v1` })
    const gpt = openai.responses('acme/gpt')
    const claude = anthropic('acme/claude')
    const runs = '[[run=1 text=Done.]]'
    const searched = [
      await generateText({ model: gpt, prompt: words, tools: { web_search: openai.tools.webSearch() } }),
      await generateText({
        model: claude,
        prompt: words,
        maxOutputTokens: 100,
        tools: { web_search: anthropic.tools.webSearch_20250305({ maxUses: 5 }) },
      }),
    ]
    for (const { text, toolCalls } of searched) {
      expect(text).toBe('Found it.')
      expect(toolCalls.filter(({ providerExecuted }) => providerExecuted === true)).toHaveLength(3)
    }
    const ran = [
      await generateText({
        model: gpt,
        prompt: runs,
        tools: { code_interpreter: openai.tools.codeInterpreter() },
      }),
      await generateText({
        model: claude,
        prompt: runs,
        maxOutputTokens: 100,
        tools: { code_execution: anthropic.tools.codeExecution_20260120() },
      }),
    ]
    for (const { text, toolCalls } of ran) {
      expect(text).toBe('Done.')
      expect(toolCalls.map(({ providerExecuted }) => providerExecuted)).toEqual([true])
    }
  })

  test('the searches stop at the maximum that the client set', async () => {
    const openai = new OpenAI({ apiKey: testKey, baseURL: `${app.gateway}/v1`, maxRetries: 0 })
    const { output } = await openai.responses.create({
      model: 'acme/gpt',
      input: words,
      tools: [{ type: 'web_search' }],
      tool_choice: { type: 'web_search_preview' },
      max_tool_calls: 1,
    })
    expect(output.map(({ type }) => type)).toEqual(['web_search_call', 'message'])
  })
})

test('a stream is cut when the end user cannot pay for the next search, and the charge is at most the hold', async () => {
  const headers = { 'x-svc-app': app.slug, 'x-svc-mode': 'test' }
  const minted = await control(server, 'POST', '/v1/keys', { endUserId: 'poor' }, headers)
  const credit = { endUsers: ['poor'], amountUnits: String(2 * useMicros), reason: 'test' }
  await control(server, 'POST', '/v1/grants', credit, headers)
  const anthropic = new Anthropic({ apiKey: minted.body.key, baseURL: app.gateway, maxRetries: 0 })
  const asked = {
    model: 'acme/claude',
    max_tokens: 300,
    messages: [{ role: 'user' as const, content: '[[search=3 tokens=200 delay=5ms]]' }],
    tools: [{ type: 'web_search_20250305' as const, name: 'web_search' as const }],
  }
  const streaming = anthropic.messages.stream(asked)
  const { response } = await streaming.withResponse()
  await expect(streaming.finalMessage()).rejects.toThrow(Anthropic.APIError)
  const { quote, reserve, settle, usage } = await eventually(() => explained(response))
  expect([quote.tools.uses, quote.tools.usesMax]).toEqual([1, 5])
  expect(usage.webSearches).toBe(3)
  expect(BigInt(settle.chargeMicros)).toBeLessThanOrEqual(BigInt(reserve.worstMicros))
  expect(BigInt(reserve.worstMicros)).toBeLessThanOrEqual(BigInt(2 * useMicros))
})
