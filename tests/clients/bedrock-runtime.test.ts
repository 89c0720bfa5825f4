/** The client does not sign requests: it sends the key as a bearer token, as with AWS_BEARER_TOKEN_BEDROCK. */
import {
  BedrockRuntimeClient,
  ConverseCommand,
  ConverseStreamCommand,
  CountTokensCommand,
  InvokeModelCommand,
  InvokeModelWithResponseStreamCommand,
  type BedrockRuntimeServiceException,
  type ConverseCommandInput,
  type ConverseStreamOutput,
} from '@aws-sdk/client-bedrock-runtime'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { awsKeys, fakeBedrock, usualAnswer, type FakeBedrock } from '../support/fake-bedrock-runtime.ts'
import {
  connectAccount,
  eventually,
  makeApplication,
  settledBalance,
  startServer,
  testKeyOf,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'
import { startVendor, type Vendor } from '../support/simulated-vendor.ts'

const nova = 'us.amazon.nova-pro-v1:0'
const claude = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'
const llama = 'us.meta.llama3-3-70b-instruct-v1:0'
const mistral = 'mistral.mixtral-8x7b-instruct-v0:1'
const arn = 'arn:aws:bedrock:us-east-1:123456789012:inference-profile/nova'
const credit = 1_000_000_000n
/** Micros per million tokens. The rates differ, so that each token count changes the charge. */
const price = {
  input: '1000000',
  cacheRead: '100000',
  cacheWrite: '3000000',
  cacheWriteLong: '4000000',
  output: '5000000',
  serviceTiers: { priority: '1750', flex: '500' },
}

let server: LocalServer
let app: Application
let runtime: FakeBedrock
let vendor: Vendor

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server, { bundle: { allow: ['*'] } })
  runtime = await fakeBedrock()
  vendor = await startVendor()
  const apiKey = `${awsKeys.accessKeyId}:${awsKeys.secretAccessKey}`
  const account = { kind: 'bedrock', baseUrl: `http://127.0.0.1:${runtime.port}`, price, apiKey }
  await connectAccount(app, 'nova', { ...account, model: nova })
  await connectAccount(app, 'claude', { ...account, model: claude })
  await connectAccount(app, 'llama', { ...account, model: llama })
  await connectAccount(app, 'mistral', { ...account, model: mistral })
  await app.api('PUT', `/v1/models/${encodeURIComponent(arn)}`, {
    sources: [{ provider: 'nova', model: nova }],
  })
  const { baseUrls } = vendor
  const others = {
    chat: { kind: 'openai_compatible', baseUrl: baseUrls.openai, model: 'llama-4' },
    responses: { kind: 'openai', baseUrl: baseUrls.openai, model: 'gpt-6' },
    messages: { kind: 'anthropic', baseUrl: baseUrls.anthropic, model: 'claude-opus-5' },
    generate: { kind: 'google', baseUrl: baseUrls.google, model: 'gemini-3-flash' },
  }
  for (const [label, other] of Object.entries(others))
    // oxlint-disable-next-line no-await-in-loop -- each call needs the one before
    await connectAccount(app, label, { ...other, apiKey: vendor.apiKey, price })
})
afterAll(async () => {
  await runtime.close()
  await vendor.close()
  await app.provider.close()
  await server.close()
})
beforeEach(() => {
  runtime.answer = usualAnswer
  runtime.calls.length = 0
})

function clientOf(token: string): BedrockRuntimeClient {
  return new BedrockRuntimeClient({
    region: 'us-east-1',
    endpoint: app.gateway,
    token: { token },
    authSchemePreference: ['httpBearerAuth'],
    maxAttempts: 1,
    // The client's default handler speaks HTTP/2, which needs TLS.
    requestHandler: new NodeHttpHandler(),
  })
}

const hello: Pick<ConverseCommandInput, 'messages' | 'inferenceConfig'> = {
  messages: [{ role: 'user', content: [{ text: 'Hello' }] }],
  inferenceConfig: { maxTokens: 300 },
}

interface Collected {
  readonly text: string
  readonly input: string
  readonly events: readonly ConverseStreamOutput[]
}

async function collected(stream: AsyncIterable<ConverseStreamOutput> | undefined): Promise<Collected> {
  const events: ConverseStreamOutput[] = []
  for await (const event of stream ?? []) events.push(event)
  const deltas = events.map((event) => event.contentBlockDelta?.delta)
  return {
    text: deltas.map((delta) => delta?.text ?? '').join(''),
    input: deltas.map((delta) => delta?.toolUse?.input ?? '').join(''),
    events,
  }
}

async function thrown(failing: Promise<unknown>): Promise<BedrockRuntimeServiceException> {
  const error = await failing.then(
    () => null,
    (cause: unknown) => cause,
  )
  if (!(error instanceof Error)) throw new Error('the call did not fail')
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the tests compare its fields
  return error as BedrockRuntimeServiceException
}

const charged = async (user: User): Promise<bigint> => credit - (await settledBalance(user))

describe.each(['nova', 'claude'])('Converse at an account of Bedrock with %s', (label) => {
  const modelId = `acme/${label}`
  const usage = {
    inputTokens: 12,
    outputTokens: 7,
    totalTokens: 159,
    cacheReadInputTokens: 100,
    cacheWriteInputTokens: 40,
  }

  test('a request is sent to the provider unchanged, and its exact usage is charged', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    runtime.answer = { ...usualAnswer, usage }
    const answer = await clientOf(user.key).send(
      new ConverseCommand({
        ...hello,
        modelId,
        system: [{ text: 'Be brief' }, { cachePoint: { type: 'default' } }],
        additionalModelRequestFields: { top_k: 5 },
      }),
    )
    expect(answer.output?.message?.content).toEqual([{ text: 'Hi ☃' }])
    expect(answer).toMatchObject({ stopReason: 'end_turn', usage })
    expect(answer.$metadata.requestId).toMatch(/^req_/)
    const path = `/model/${encodeURIComponent(label === 'nova' ? nova : claude)}/converse`
    expect(runtime.calls).toEqual([
      {
        path,
        isSigned: true,
        body: {
          ...hello,
          system: [{ text: 'Be brief' }, { cachePoint: { type: 'default' } }],
          additionalModelRequestFields: { top_k: 5 },
        },
      },
    ])
    // The charge for input, cache reads, cache writes and output: 12 x 1 + 100 x 0.1 + 40 x 3 + 7 x 5 micros.
    expect(await charged(user)).toBe(177n)
    const record = await app.api('GET', `/v1/requests/${answer.$metadata.requestId}`)
    expect(record).toMatchObject({
      usage: { input: 12, output: 7, cacheRead: 100, tokenSource: 'provider_reported' },
    })
  })

  test('a stream reaches the client with its usage and its tool call', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const toolUse = { toolUseId: 'tooluse_1', name: 'weather', input: { city: 'Bonn' } }
    runtime.answer = {
      ...usualAnswer,
      usage,
      content: [{ text: 'Let me see ☃' }, { toolUse }],
      stopReason: 'tool_use',
    }
    const { stream } = await clientOf(user.key).send(new ConverseStreamCommand({ ...hello, modelId }))
    const { events, input, text } = await collected(stream)
    expect([text, JSON.parse(input)]).toEqual(['Let me see ☃', { city: 'Bonn' }])
    expect(events[0]?.messageStart?.role).toBe('assistant')
    expect(events.find((event) => event.contentBlockStart)?.contentBlockStart?.start?.toolUse?.name).toBe(
      'weather',
    )
    expect(events.at(-2)?.messageStop?.stopReason).toBe('tool_use')
    expect(events.at(-1)?.metadata?.usage).toMatchObject({ inputTokens: 12, outputTokens: 7 })
    expect(await charged(user)).toBe(177n)
  })

  test.each(['priority', 'flex', 'default'] as const)(
    'if the provider reports the service tier %s, the price of that tier is charged',
    async (type) => {
      const user = await app.newUser({ balanceMicros: credit })
      const client = clientOf(user.key)
      runtime.answer = { ...usualAnswer, usage, serviceTier: { type } }
      const asked = { ...hello, modelId, serviceTier: { type: 'priority' as const } }
      const whole = await client.send(new ConverseCommand(asked))
      expect(whole.serviceTier).toEqual({ type })
      // The charge is 177 micros at the default tier, multiplied by the factor of the reported tier and rounded up.
      const expected = { priority: 310n, flex: 89n, default: 177n }[type]
      expect(await charged(user)).toBe(expected)
      await collected((await client.send(new ConverseStreamCommand(asked))).stream)
      expect(await charged(user)).toBe(2n * expected)
    },
  )

  test.each(['early', 'cut', 'corrupt', 'exception'] as const)(
    'if the provider breaks off a stream (%s), the client throws an error, and the delivered part is charged',
    async (end) => {
      const user = await app.newUser({ balanceMicros: credit })
      runtime.answer = { ...usualAnswer, content: [{ text: 'word '.repeat(200) }], end }
      const { stream } = await clientOf(user.key).send(new ConverseStreamCommand({ ...hello, modelId }))
      const error = await thrown(collected(stream))
      expect(error.name).toBe(end === 'exception' ? 'ThrottlingException' : 'ModelStreamErrorException')
      expect(error.message).not.toMatch(/amazon|anthropic|nova/)
      const charge = await charged(user)
      // About 200 words reached the client, at 5 micros each.
      expect(charge).toBeGreaterThan(500n)
      expect(charge).toBeLessThan(2_500n)
    },
  )
})

test('a model ID with colons and slashes can be a model name of the application', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const answer = await clientOf(user.key).send(new ConverseCommand({ ...hello, modelId: arn }))
  expect(answer.output?.message?.content).toEqual([{ text: 'Hi ☃' }])
  expect(await charged(user)).toBe(37n)
})

test('if a stream reaches its spending limit, the client throws an error, and exactly the hold is charged', async () => {
  const user = await app.newUser({ balanceMicros: 3_000n })
  runtime.answer = { ...usualAnswer, content: [{ text: 'word '.repeat(3_000) }], usage: null }
  const { messages } = hello
  const { stream } = await clientOf(user.key).send(
    new ConverseStreamCommand({ messages, modelId: 'acme/nova' }),
  )
  const events: ConverseStreamOutput[] = []
  const reading = (async () => {
    for await (const event of stream ?? []) events.push(event)
  })()
  const error = await thrown(reading)
  expect(error.name).toBe('ModelStreamErrorException')
  expect(error.message).toContain('spend_limit_exceeded')
  expect(events.some(({ messageStop }) => messageStop)).toBe(false)
  expect(events.at(-1)?.metadata?.usage?.outputTokens).toBeGreaterThan(100)
  expect(await settledBalance(user)).toBeGreaterThanOrEqual(0n)
  expect(await settledBalance(user)).toBeLessThan(100n)
})

describe.each(['chat', 'responses', 'messages', 'generate'])('Converse at an account of %s', (label) => {
  const modelId = `acme/${label}`
  const tools = [
    {
      toolSpec: {
        name: 'weather',
        description: 'Returns the weather',
        inputSchema: { json: { type: 'object', properties: { city: { type: 'string' } } } },
      },
    },
  ]

  test.each([false, true])('text, tool calls and results are converted (stream: %s)', async (isStream) => {
    const user = await app.newUser({ balanceMicros: credit })
    const client = clientOf(user.key)
    const ask = async (input: Omit<ConverseCommandInput, 'modelId'>) => {
      const command = { ...input, modelId, toolConfig: { tools }, inferenceConfig: { maxTokens: 500 } }
      if (!isStream) {
        const { $metadata, output, stopReason, usage } = await client.send(new ConverseCommand(command))
        const content = output?.message?.content ?? []
        const toolUse = content.find((block) => block.toolUse)?.toolUse
        const text = content.map((block) => block.text ?? '').join('')
        return { text, toolUse, stopReason, usage, id: $metadata.requestId }
      }
      const { $metadata, stream } = await client.send(new ConverseStreamCommand(command))
      const { events, input: json, text } = await collected(stream)
      const start = events.find((event) => event.contentBlockStart)?.contentBlockStart?.start?.toolUse
      const toolUse = start && { ...start, input: JSON.parse(json) as unknown }
      return {
        text,
        toolUse,
        stopReason: events.at(-2)?.messageStop?.stopReason,
        usage: events.at(-1)?.metadata?.usage,
        id: $metadata.requestId,
      }
    }
    const system = [{ text: 'Be brief' }]
    const first = { role: 'user' as const, content: [{ text: '[[cached=3 tool=weather {"city":"Bonn"}]]' }] }
    const called = await ask({ system, messages: [first] })
    expect(called).toMatchObject({
      stopReason: 'tool_use',
      toolUse: { name: 'weather', input: { city: 'Bonn' } },
    })
    const toolUse = { toolUseId: called.toolUse?.toolUseId, name: 'weather', input: { city: 'Bonn' } }
    const result = { toolUseId: called.toolUse?.toolUseId, content: [{ json: { degrees: 21 } }] }
    const answered = await ask({
      system,
      messages: [
        first,
        { role: 'assistant', content: [{ toolUse }] },
        { role: 'user', content: [{ toolResult: result }, { text: '[[text=It-is-warm]]' }] },
      ],
    })
    expect(answered).toMatchObject({ text: 'It-is-warm', stopReason: 'end_turn' })
    for (const { id, usage } of [called, answered]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const told = (await app.api('GET', `/v1/requests/${id}`)).usage
      expect(usage).toMatchObject({
        inputTokens: told.input,
        outputTokens: told.output,
        cacheReadInputTokens: told.cacheRead,
        totalTokens: told.input + told.cacheRead + told.output,
      })
    }
  })

  test('if the wire of the account cannot express a field, the request is rejected with the name of the field', async () => {
    const { key } = await app.newUser({ balanceMicros: credit })
    const guardrailConfig = { guardrailIdentifier: 'g', guardrailVersion: '1' }
    const error = await thrown(
      clientOf(key).send(new ConverseCommand({ ...hello, modelId, guardrailConfig })),
    )
    expect([error.name, error.$metadata.httpStatusCode]).toEqual(['ValidationException', 400])
    expect(error.message).toContain('guardrailConfig')
    const image = { format: 'png' as const, source: { s3Location: { uri: 's3://bucket/key' } } }
    const inBucket = { messages: [{ role: 'user' as const, content: [{ image }] }], modelId }
    expect((await thrown(clientOf(key).send(new ConverseCommand(inBucket)))).message).toContain('s3Location')
  })
})

describe.each(['claude', 'messages', 'chat'])('InvokeModel with a body of Claude at %s', (label) => {
  const modelId = `acme/${label}`
  const body = JSON.stringify({
    anthropic_version: 'bedrock-2023-05-31',
    anthropic_beta: ['context-1m-2025-08-07'],
    max_tokens: 300,
    messages: [{ role: 'user', content: '[[text=Hi-there]]' }],
  })

  test('a non-streaming response has the format of Claude', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const answer = await clientOf(user.key).send(new InvokeModelCommand({ modelId, body }))
    const message = JSON.parse(answer.body.transformToString())
    expect(message).toMatchObject({ type: 'message', model: modelId, role: 'assistant' })
    expect(message.content[0].text).toBe(label === 'claude' ? 'Hi ☃' : 'Hi-there')
    const record = await app.api('GET', `/v1/requests/${answer.$metadata.requestId}`)
    expect(record.usage.output).toBe(message.usage.output_tokens)
    const { input, output } = record.usage
    expect(await charged(user)).toBe(BigInt(input) + 5n * BigInt(output))
    if (label === 'claude')
      expect(runtime.calls[0]?.body).toEqual({
        ...JSON.parse(body),
        anthropic_beta: ['context-1m-2025-08-07'],
      })
    if (label === 'messages')
      expect(vendor.calls.at(-1)?.body).toEqual({
        model: 'claude-opus-5',
        max_tokens: 300,
        messages: [{ role: 'user', content: '[[text=Hi-there]]' }],
      })
  })

  test('a stream consists of chunks with the events of Claude', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const answer = await clientOf(user.key).send(new InvokeModelWithResponseStreamCommand({ modelId, body }))
    const events: { type: string; delta?: { text?: string } }[] = []
    for await (const { chunk } of answer.body ?? [])
      events.push(JSON.parse(Buffer.from(chunk?.bytes ?? []).toString()))
    expect(events[0]?.type).toBe('message_start')
    expect(events.at(-1)?.type).toBe('message_stop')
    const text = events.map(({ delta }) => delta?.text ?? '').join('')
    expect(text).toBe(label === 'claude' ? 'Hi ☃' : 'Hi-there')
    const { usage } = await app.api('GET', `/v1/requests/${answer.$metadata.requestId}`)
    expect(await charged(user)).toBe(BigInt(usage.input) + 5n * BigInt(usage.output))
  })
})

test("an InvokeModel body in Claude's format is converted for an application that allows no losses", async () => {
  const { key } = await app.newUser({ balanceMicros: credit })
  const body = JSON.stringify({
    anthropic_version: 'bedrock-2023-05-31',
    max_tokens: 300,
    messages: [{ role: 'user', content: '[[text=Hi-there]]' }],
  })
  await app.api('PATCH', '/v1/gateway', { conversion: 'strict' })
  try {
    const answer = await clientOf(key).send(new InvokeModelCommand({ modelId: 'acme/chat', body }))
    expect(JSON.parse(answer.body.transformToString()).content[0].text).toBe('Hi-there')
  } finally {
    await app.api('PATCH', '/v1/gateway', { conversion: 'lenient' })
  }
})

async function invoked(user: User, modelId: string, fields: object, isStream: boolean) {
  const body = JSON.stringify(fields)
  const client = clientOf(user.key)
  const chunks: Record<string, unknown>[] = []
  let id: string | undefined
  if (isStream) {
    const answer = await client.send(new InvokeModelWithResponseStreamCommand({ modelId, body }))
    id = answer.$metadata.requestId
    for await (const { chunk } of answer.body ?? [])
      chunks.push(JSON.parse(Buffer.from(chunk?.bytes ?? []).toString()))
  } else {
    const answer = await client.send(new InvokeModelCommand({ modelId, body }))
    id = answer.$metadata.requestId
    chunks.push(JSON.parse(answer.body.transformToString()))
  }
  const { usage } = await app.api('GET', `/v1/requests/${id}`)
  expect(await charged(user)).toBe(BigInt(usage.input) + 5n * BigInt(usage.output))
  const { 'amazon-bedrock-invocationMetrics': metrics, ...last } = chunks.at(-1) ?? {}
  if (isStream)
    expect(metrics).toMatchObject({ inputTokenCount: usage.input, outputTokenCount: usage.output })
  return { chunks, last, usage }
}

describe.each(['nova', 'chat', 'messages', 'generate'])('InvokeModel with a body of Nova at %s', (label) => {
  const fields = {
    schemaVersion: 'messages-v1',
    system: [{ text: 'Be brief' }],
    messages: [{ role: 'user', content: [{ text: '[[text=Hi-there]]' }] }],
    inferenceConfig: { max_new_tokens: 300 },
  }
  const text = label === 'nova' ? 'Hi ☃' : 'Hi-there'

  test('a non-streaming response has the format of Nova', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const { last, usage } = await invoked(user, `acme/${label}`, fields, false)
    expect(last).toMatchObject({
      output: { message: { role: 'assistant', content: [{ text }] } },
      stopReason: 'end_turn',
      usage: { inputTokens: usage.input, outputTokens: usage.output, cacheReadInputTokenCount: 0 },
    })
    if (label === 'nova')
      expect(runtime.calls[0]).toMatchObject({
        path: `/model/${encodeURIComponent(nova)}/converse`,
        body: { messages: fields.messages, inferenceConfig: { maxTokens: 300 } },
      })
  })

  test('a stream consists of chunks with the events of Nova', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const { chunks, last, usage } = await invoked(user, `acme/${label}`, fields, true)
    const deltas = chunks as { contentBlockDelta?: { delta: { text: string } } }[]
    expect(chunks[0]).toEqual({ messageStart: { role: 'assistant' } })
    expect(deltas.map(({ contentBlockDelta }) => contentBlockDelta?.delta.text ?? '').join('')).toBe(text)
    expect(chunks.at(-2)).toEqual({ messageStop: { stopReason: 'end_turn' } })
    expect(last).toMatchObject({
      metadata: { usage: { inputTokens: usage.input, outputTokens: usage.output } },
    })
  })
})

describe.each(['nova', 'chat', 'messages'])('InvokeModel with a body of OpenAI’s format at %s', (label) => {
  const fields = { messages: [{ role: 'user', content: '[[text=Hi-there]]' }], max_tokens: 300 }
  const text = label === 'nova' ? 'Hi ☃' : 'Hi-there'

  test.each([false, true])('the response has OpenAI’s format (stream: %s)', async (isStream) => {
    const user = await app.newUser({ balanceMicros: credit })
    const { chunks, last } = await invoked(user, `acme/${label}`, fields, isStream)
    const choices = chunks.flatMap(
      (chunk) => chunk.choices as { message?: { content: string }; delta?: { content?: string } }[],
    )
    expect(choices.map(({ delta, message }) => message?.content ?? delta?.content ?? '').join('')).toBe(text)
    expect(last).toMatchObject({ model: `acme/${label}`, choices: [{ finish_reason: 'stop' }] })
  })
})

const prompts = {
  llama: { prompt: '[[text=Hi-there]]', max_gen_len: 300, temperature: 0.5 },
  mistral: { prompt: '[[text=Hi-there]]', max_tokens: 300, stop: ['END'] },
}

describe.each(['bedrock', 'chat'])('InvokeModel with a prompt at an account of %s', (place) => {
  describe.each(['llama', 'mistral'] as const)('the body has the format of %s', (family) => {
    const label = place === 'bedrock' ? family : place
    const text = place === 'bedrock' ? 'Hi ☃' : 'Hi-there'

    test('a non-streaming response has the format of the model family', async () => {
      const user = await app.newUser({ balanceMicros: credit })
      const { last, usage } = await invoked(user, `acme/${label}`, prompts[family], false)
      if (place === 'bedrock') {
        expect(usage).toMatchObject({ input: 12, output: 5 })
        expect(runtime.calls[0]?.body).toEqual(prompts[family])
        expect(runtime.calls[0]?.path).toMatch(/\/invoke$/)
      }
      const counts = { prompt_token_count: usage.input, generation_token_count: usage.output }
      expect(last).toEqual(
        family === 'llama'
          ? { generation: text, ...counts, stop_reason: 'stop' }
          : { outputs: [{ text, stop_reason: 'stop' }] },
      )
    })

    test('a stream consists of chunks in the format of the model family', async () => {
      const user = await app.newUser({ balanceMicros: credit })
      const { chunks, last, usage } = await invoked(user, `acme/${label}`, prompts[family], true)
      if (place === 'bedrock') expect(usage).toMatchObject({ input: 12, output: 5 })
      const said = chunks as { generation?: string; outputs?: { text: string }[] }[]
      expect(said.map(({ generation, outputs }) => generation ?? outputs?.[0]?.text).join('')).toBe(text)
      expect(last).toMatchObject(
        family === 'llama'
          ? { prompt_token_count: usage.input, generation_token_count: usage.output, stop_reason: 'stop' }
          : { outputs: [{ stop_reason: 'stop' }] },
      )
    })
  })
})

test.each([false, true])(
  'a text completion of OpenAI is served by Llama at Bedrock (stream: %s)',
  async (stream) => {
    const user = await app.newUser({ balanceMicros: credit })
    const response = await fetch(`${app.gateway}/v1/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'acme/llama', prompt: 'Hello', max_tokens: 300, seed: 1, stream }),
    })
    expect([response.status, response.headers.get('x-svc-conversion-lost')]).toEqual([200, 'seed'])
    const text = await response.text()
    const events = stream ? text.split('\n\n').slice(0, -2) : [`data: ${text}`]
    const chunks: { id: string; choices: { text: string }[] }[] = events.map((event) =>
      JSON.parse(event.slice(6)),
    )
    expect(chunks.map(({ choices }) => choices[0]?.text).join('')).toBe('Hi ☃')
    expect(new Set(chunks.map(({ id }) => id))).toEqual(new Set([expect.stringMatching(/^cmpl-./)]))
    expect(await charged(user)).toBe(37n)
  },
)

test.each(['nova', 'llama'])(
  'if a stream at invoke reaches its spending limit at %s, the client throws an error, and exactly the hold is charged',
  async (label) => {
    const user = await app.newUser({ balanceMicros: 3_000n })
    const text = 'word '.repeat(3_000)
    runtime.answer = { ...usualAnswer, content: [{ text }], usage: null, end: 'early' }
    const messages = [{ role: 'user', content: [{ text: 'Hello' }] }]
    const fields = label === 'nova' ? { messages } : { prompt: 'Hello', max_gen_len: 5_000 }
    const command = { modelId: `acme/${label}`, body: JSON.stringify(fields) }
    const { body } = await clientOf(user.key).send(new InvokeModelWithResponseStreamCommand(command))
    let last = ''
    const reading = (async () => {
      for await (const { chunk } of body ?? []) last = Buffer.from(chunk?.bytes ?? []).toString()
    })()
    const error = await thrown(reading)
    expect(error.name).toBe('ModelStreamErrorException')
    expect(error.message).toContain('spend_limit_exceeded')
    expect(JSON.parse(last)['amazon-bedrock-invocationMetrics'].outputTokenCount).toBeGreaterThan(100)
    expect(await settledBalance(user)).toBeLessThan(100n)
  },
)

test('a prompt for a model that accepts only messages is rejected with a message that names the path /converse', async () => {
  const { key } = await app.newUser({ balanceMicros: credit })
  const body = JSON.stringify(prompts.llama)
  for (const modelId of ['acme/nova', 'acme/messages']) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const error = await thrown(clientOf(key).send(new InvokeModelCommand({ modelId, body })))
    expect([error.name, error.$metadata.httpStatusCode]).toEqual(['ValidationException', 400])
    expect(error.message).toContain('/converse')
  }
})

test('a body in the format of an embedding model is rejected with a message that names the path /converse', async () => {
  const { key } = await app.newUser({ balanceMicros: credit })
  const body = JSON.stringify({ inputText: 'Hello' })
  const error = await thrown(clientOf(key).send(new InvokeModelCommand({ modelId: 'acme/nova', body })))
  expect(error.name).toBe('ValidationException')
  expect(error.message).toContain('/converse')
})

test('a request to count tokens is free, and the gateway estimates the count', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const { messages } = hello
  const body = new TextEncoder().encode(
    JSON.stringify({
      anthropic_version: 'bedrock-2023-05-31',
      max_tokens: 9,
      messages: [{ role: 'user', content: 'Hello' }],
    }),
  )
  for (const input of [{ converse: { messages } }, { invokeModel: { body } }]) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const { inputTokens } = await clientOf(user.key).send(
      new CountTokensCommand({ modelId: 'acme/nova', input }),
    )
    expect(inputTokens).toBeGreaterThan(3)
    expect(inputTokens).toBeLessThan(40)
  }
  expect([await charged(user), await user.requests(), runtime.calls]).toEqual([0n, [], []])
})

test("the client recognizes the types of the gateway's errors", async () => {
  const poor = await app.newUser({ balanceMicros: 0n })
  const cases = [
    [await app.newUser(), 'acme/unknown', 'ResourceNotFoundException', 404],
    [poor, 'acme/nova', 'ServiceQuotaExceededException', 402],
    [{ key: 'ak_wrong' }, 'acme/nova', 'AccessDeniedException', 401],
  ] as const
  for (const [{ key }, modelId, name, status] of cases) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const error = await thrown(clientOf(key).send(new ConverseCommand({ ...hello, modelId })))
    expect([error.name, error.$metadata.httpStatusCode]).toEqual([name, status])
    expect(error.message).not.toBe('')
  }
})

test('a signed request is rejected with a message that names AWS_BEARER_TOKEN_BEDROCK', async () => {
  const { accessKeyId, secretAccessKey } = awsKeys
  const signing = new BedrockRuntimeClient({
    region: 'us-east-1',
    endpoint: app.gateway,
    credentials: { accessKeyId, secretAccessKey },
    authSchemePreference: ['sigv4'],
    maxAttempts: 1,
    requestHandler: new NodeHttpHandler(),
  })
  const error = await thrown(signing.send(new ConverseCommand({ ...hello, modelId: 'acme/nova' })))
  expect([error.name, error.$metadata.httpStatusCode]).toEqual(['AccessDeniedException', 403])
  expect(error.message).toContain('AWS_BEARER_TOKEN_BEDROCK')
})

test('in test mode, the simulator answers without an account', async () => {
  const client = clientOf(await testKeyOf(app))
  const text = '[[reasoning=3 text=Hello-from-test]]'
  const messages = [{ role: 'user' as const, content: [{ text }] }]
  const whole = await client.send(new ConverseCommand({ messages, modelId: 'acme/nova' }))
  expect(whole.output?.message?.content?.at(-1)?.text).toBe('Hello-from-test')
  const prompt = { prompt: '[[text=Hello-from-test]]', max_tokens: 50, top_k: 5 }
  const command = { modelId: 'acme/nova', body: JSON.stringify(prompt) }
  const invokedAnswer = await client.send(new InvokeModelCommand(command))
  expect(JSON.parse(invokedAnswer.body.transformToString()).outputs[0].text).toBe('Hello-from-test')
  const { stream } = await client.send(new ConverseStreamCommand({ messages, modelId: 'acme/nova' }))
  const { events, text: streamed } = await collected(stream)
  expect(streamed).toBe('Hello-from-test')
  expect(events.at(-1)?.metadata?.usage).toEqual(whole.usage)
  expect(runtime.calls).toEqual([])
})

test('a client that disconnects from a stream is charged for the delivered part, like clients of other wires', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const messages = [{ role: 'user' as const, content: [{ text: '[[tokens=2000 delay=5ms]]' }] }]
  const abort = new AbortController()
  const command = new ConverseStreamCommand({ messages, modelId: 'acme/messages' })
  const { $metadata, stream } = await clientOf(user.key).send(command, { abortSignal: abort.signal })
  let events = 0
  const reading = (async () => {
    for await (const event of stream ?? []) {
      events += event.contentBlockDelta === undefined ? 0 : 1
      if (events === 10) abort.abort()
    }
  })()
  await reading.catch(() => {})
  const record = await eventually(async () => {
    const found = await app.api('GET', `/v1/requests/${$metadata.requestId}`)
    expect(found.status).toBe('settled')
    return found
  })
  expect(record.usage.output).toBeGreaterThanOrEqual(10)
  expect(record.usage.output).toBeLessThan(2_000)
  expect(String(await charged(user))).toBe(record.settle.chargeMicros)
})

test('the last event of a stream contains the charge report, and official clients ignore the report', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const at = `${app.gateway}/model/acme%2Fnova/converse-stream`
  const headers = {
    authorization: `Bearer ${user.key}`,
    'content-type': 'application/json',
    'x-svc-report': '1',
  }
  const response = await fetch(at, { method: 'POST', headers, body: JSON.stringify(hello) })
  expect(response.headers.get('content-type')).toBe('application/vnd.amazon.eventstream')
  const bytes = await response.bytes()
  expect(Buffer.from(bytes).toString('latin1')).toContain('{"svc":{"chargeMicros":"37"')
  const client = reportingClientOf(user.key)
  const { stream } = await client.send(new ConverseStreamCommand({ ...hello, modelId: 'acme/nova' }))
  const { events, text } = await collected(stream)
  expect([text, events.at(-1)?.metadata?.usage?.outputTokens]).toEqual(['Hi ☃', 5])
})

test('if the provider reports no usage, the last event of the stream contains the charge report and keeps its type', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  runtime.answer = { ...usualAnswer, usage: null }
  const client = reportingClientOf(user.key)
  const { stream } = await client.send(new ConverseStreamCommand({ ...hello, modelId: 'acme/nova' }))
  const { events, text } = await collected(stream)
  expect([text, events.at(-1)]).toEqual(['Hi ☃', { messageStop: { stopReason: 'end_turn' } }])
})

function reportingClientOf(token: string): BedrockRuntimeClient {
  const client = clientOf(token)
  client.middlewareStack.add(
    (next) => (args) => {
      Object.assign((args.request as { headers: Record<string, string> }).headers, { 'x-svc-report': '1' })
      return next(args)
    },
    { step: 'build' },
  )
  return client
}
