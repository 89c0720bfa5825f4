import { Mistral } from '@mistralai/mistralai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { costMicros } from '../support/expected-costs.ts'
import type { Behaviour, FakeCall } from '../support/fake-provider.ts'
import {
  connectAccount,
  makeApplication,
  settledBalance,
  startServer,
  upstreamKey,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'
import { mistral } from './adapters/mistral.ts'

let server: LocalServer
let app: Application

const rates = { input: 2_000_003n, output: 5_000_007n }
const credit = 100_000_000n

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  const price = { input: String(rates.input), output: String(rates.output) }
  const account = { kind: 'mistral', baseUrl: app.provider.baseUrl, apiKey: upstreamKey, price }
  await connectAccount(app, 'magistral', { ...account, model: 'magistral-medium-2509' })
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

const reported: { input: number; output: number }[] = []

/**
 * Responds like Magistral: with thoughts and a tool call, or with a text once the tool has a result. The fake model
 * counts each word as a token. Mistral adds a system prompt to each request, and rejects a request that has an unknown
 * field.
 */
function magistral({ body }: FakeCall): Behaviour {
  const unknown = [
    ...unknownFields(body ?? {}, requestFields),
    ...(body?.messages ?? []).flatMap(unknownInMessage),
  ]
  if (unknown.length > 0)
    return { status: 422, body: { detail: `Extra inputs are not permitted: ${unknown.join()}` } }
  const messages = body?.messages ?? []
  const turn = messages.filter((message) => Object(message).role === 'user').length
  const isCalling = body?.['tools'] !== undefined && Object(messages.at(-1)).role === 'user'
  const thoughts = [`First thought of turn ${turn}. `, 'Second thought. ']
  const texts = isCalling ? [] : [`Answer ${turn}, `, 'grüßend.']
  const toolCall = {
    id: `call00${turn}00`,
    type: 'function',
    function: { name: 'weather', arguments: '{"city": "Ulm"}' },
    index: 0,
  }
  const words = (value: unknown): number => JSON.stringify(value).split(/[\s,:]+/).length
  const usage = {
    prompt_tokens:
      reasoningPromptTokens + (body?.['safe_prompt'] === true ? safetyPromptTokens : 0) + words(messages),
    completion_tokens: words(thoughts) + words(texts),
    total_tokens: 0,
  }
  usage.total_tokens = usage.prompt_tokens + usage.completion_tokens
  reported.push({ input: usage.prompt_tokens, output: usage.completion_tokens })
  const part = (text: string): object => ({ type: 'thinking', thinking: [{ type: 'text', text }] })
  const shared = { id: 'cmpl-1', created: 1_800_000_000, model: body?.model }
  const finish = isCalling ? 'tool_calls' : 'stop'
  if (body?.stream !== true) {
    const content = [
      part(thoughts.join('')),
      ...texts.slice(0, 1).map(() => ({ type: 'text', text: texts.join('') })),
    ]
    const message = { role: 'assistant', tool_calls: isCalling ? [toolCall] : null, content }
    const choices = [{ index: 0, finish_reason: finish, message }]
    return { body: { ...shared, object: 'chat.completion', choices, usage } }
  }
  const deltas = [
    { role: 'assistant', content: '' },
    ...thoughts.map((text) => ({ content: [part(text)] })),
    ...texts.map((content) => ({ content })),
  ]
  const chunks = [
    ...deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] })),
    {
      choices: [
        {
          index: 0,
          delta: { content: '', ...(isCalling && { tool_calls: [toolCall] }) },
          finish_reason: finish,
        },
      ],
      usage,
    },
  ]
  const frames = chunks.map((chunk) =>
    JSON.stringify({ ...shared, object: 'chat.completion.chunk', ...chunk }),
  )
  return {
    contentType: 'text/event-stream',
    body: [...frames, '[DONE]'].map((frame) => `data: ${frame}\n\n`).join(''),
  }
}

/**
 * Tokens of the system prompts that Mistral adds to each request of Magistral, and to requests with `safe_prompt:
 * true`.
 */
const reasoningPromptTokens = 123
const safetyPromptTokens = 36

/** Source: https://docs.mistral.ai/api/endpoint/chat. */
const requestFields = `
  model messages temperature top_p max_tokens stream stop random_seed metadata
  response_format tools tool_choice presence_penalty frequency_penalty n prediction
  parallel_tool_calls reasoning_effort prompt_mode guardrails prompt_cache_key service_tier safe_prompt
`
  .trim()
  .split(/\s+/)

function unknownFields(value: object, known: readonly string[]): string[] {
  return Object.keys(value).filter((name) => !known.includes(name))
}

function unknownInMessage(message: unknown): string[] {
  return unknownFields(Object(message), ['role', 'content', 'tool_calls', 'tool_call_id', 'name', 'prefix'])
}

test.each([false, true])(
  'thoughts are returned, are sent back unchanged in each turn, and are charged as reported (streamed: %s)',
  async (isStream) => {
    app.provider.script(magistral)
    const user = await app.newUser({ balanceMicros: credit })
    const [firstCall, firstReport] = [app.provider.calls.length, reported.length]
    const ran: unknown[] = []
    const weather = {
      name: 'weather',
      description: 'The weather in a city',
      parameters: {
        type: 'object' as const,
        properties: { city: { type: 'string' as const } },
        required: ['city'],
        additionalProperties: false as const,
      },
      run: (args: unknown) => (ran.push(args), 'sunny'),
    }
    const place = { gateway: app.gateway, key: user.key, model: 'acme/magistral', retriesMax: 0 }
    const order = { turns: ['Is it sunny?', 'And now?', 'Thanks'], isStream, thinks: true, tools: [weather] }
    const { texts, thoughts } = await mistral.converse(place, order)
    expect(texts).toEqual([1, 2, 3].map((turn) => `Answer ${turn}, grüßend.`))
    expect(ran).toEqual(Array.from({ length: 3 }, () => ({ city: 'Ulm' })))
    expect(thoughts.match(/First thought of turn \d/g)).toHaveLength(6)
    const calls = app.provider.calls.slice(firstCall)
    expect(calls).toHaveLength(6)
    const history = calls.at(-1)?.body?.messages ?? []
    const assistant = history
      .filter((message) => Object(message).role === 'assistant')
      .map((one) => Object(one))
    expect(assistant).toHaveLength(5)
    for (const [index, { content }] of assistant.entries()) {
      const turn = Math.floor(index / 2) + 1
      const [{ type, thinking }] = content
      expect(type).toBe('thinking')
      const text = thinking.map((piece: { text: string }) => piece.text).join('')
      expect(text).toBe(`First thought of turn ${turn}. Second thought. `)
    }
    const usages = reported.slice(firstReport)
    expect(usages).toHaveLength(6)
    const charged = usages.map((usage) => costMicros(rates, usage))
    const rows = (await user.requests()).toReversed()
    expect(rows.map(({ chargeMicros }) => BigInt(chargeMicros))).toEqual(charged)
    expect(await settledBalance(user)).toBe(credit - charged.reduce((sum, one) => sum + one))
  },
)

test('the hold covers the system prompts that Mistral adds to a request', async () => {
  app.provider.script(magistral)
  const user = await app.newUser({ balanceMicros: credit })
  const client = new Mistral({ apiKey: user.key, serverURL: app.gateway })
  const { usage } = await client.chat.complete({
    model: 'acme/magistral',
    messages: [{ role: 'user', content: 'Hi' }],
    maxTokens: 100,
    promptMode: 'reasoning',
    safePrompt: true,
  })
  const [{ id }] = await user.requests()
  const { quote } = await app.api('GET', `/v1/requests/${id}`)
  expect(usage.promptTokens).toBeGreaterThan(reasoningPromptTokens + safetyPromptTokens)
  expect(quote.worstCase.inputTokensMax).toBeGreaterThanOrEqual(usage.promptTokens ?? Infinity)
})
