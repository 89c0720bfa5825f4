import { BedrockRuntimeClient, InvokeModelCommand } from '@aws-sdk/client-bedrock-runtime'
import { NodeHttpHandler } from '@smithy/node-http-handler'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { awsKeys, fakeBedrock, usualAnswer, type FakeBedrock } from '../support/fake-bedrock-runtime.ts'
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

const models = {
  titan: 'amazon.titan-embed-text-v2:0',
  cohere: 'cohere.embed-v4:0',
  nova: 'amazon.nova-2-multimodal-embeddings-v1:0',
} as const
type Family = keyof typeof models
const families = ['titan', 'cohere', 'nova'] as const
const credit = 1_000_000n
/** Micros per million tokens. The price is odd, so that rounding changes the charge. */
const rate = 1_300_001n

let server: LocalServer
let app: Application
let runtime: FakeBedrock
let vendor: Vendor

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  runtime = await fakeBedrock()
  vendor = await startVendor()
  const price = { input: String(rate) }
  const bedrock = {
    kind: 'bedrock',
    baseUrl: `http://127.0.0.1:${runtime.port}`,
    apiKey: `${awsKeys.accessKeyId}:${awsKeys.secretAccessKey}`,
  }
  const { baseUrls } = vendor
  const accounts = {
    ...Object.fromEntries(families.map((family) => [family, { ...bedrock, model: models[family] }])),
    text: {
      ...bedrock,
      model: 'amazon.titan-text-express-v1',
      price: { ...price, output: '5000000' },
    },
    openai: {
      kind: 'openai',
      baseUrl: baseUrls.openai,
      model: 'text-embedding-3-small',
      apiKey: vendor.apiKey,
    },
    google: {
      kind: 'google',
      baseUrl: baseUrls.google,
      model: 'gemini-embedding-001',
      apiKey: vendor.apiKey,
    },
  }
  for (const [label, account] of Object.entries(accounts))
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await connectAccount(app, label, { price, ...account })
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

interface Invoked {
  readonly id: string
  readonly body: Record<string, unknown>
  /** AWS's clients read the number of input tokens from this response header. */
  readonly counted: number
  readonly lost: string | undefined
}

async function invoke(key: string, label: string, body: object): Promise<Invoked> {
  const client = clientOf(key)
  const heads: Readonly<Record<string, string | undefined>>[] = []
  client.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args)
      heads.push((result.response as { headers: Record<string, string | undefined> }).headers)
      return result
    },
    { step: 'deserialize', priority: 'low' },
  )
  const command = new InvokeModelCommand({ modelId: `acme/${label}`, body: JSON.stringify(body) })
  const answer = await client.send(command)
  const [head = {}] = heads
  return {
    id: String(answer.$metadata.requestId),
    body: JSON.parse(answer.body.transformToString()) as Record<string, unknown>,
    counted: Number(head['x-amzn-bedrock-input-token-count']),
    lost: head['x-svc-conversion-lost'],
  }
}

const bodies: Readonly<Record<Family, object>> = {
  titan: { inputText: 'Hello, world', dimensions: 256, normalize: true },
  cohere: {
    texts: ['Hello, world', 'a'],
    input_type: 'search_query',
    output_dimension: 256,
    truncate: 'END',
  },
  nova: {
    taskType: 'SINGLE_EMBEDDING',
    singleEmbeddingParams: {
      embeddingPurpose: 'TEXT_RETRIEVAL',
      embeddingDimension: 256,
      text: { truncationMode: 'NONE', value: 'Hello, world' },
    },
  },
}

function vectorsOf(family: Family, { body }: Invoked): readonly number[][] {
  switch (family) {
    case 'titan':
      return [body['embedding'] as number[]]
    case 'cohere':
      return body['embeddings'] as number[][]
    case 'nova':
      return (body['embeddings'] as { embedding: number[] }[]).map(({ embedding }) => embedding)
    default:
      return family satisfies never
  }
}

const charged = async (user: User): Promise<bigint> => credit - (await settledBalance(user))
const charge = (tokens: number): bigint => (BigInt(tokens) * rate + 999_999n) / 1_000_000n

describe.each(families)('InvokeModel with a body of %s', (family) => {
  const count = family === 'cohere' ? 2 : 1

  test('the body is sent to Bedrock unchanged, and the token count in the response header is charged', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const answer = await invoke(user.key, family, bodies[family])
    expect(vectorsOf(family, answer).map(({ length }) => length)).toEqual(Array(count).fill(256))
    expect(runtime.calls).toEqual([
      { path: `/model/${encodeURIComponent(models[family])}/invoke`, isSigned: true, body: bodies[family] },
    ])
    expect(answer.counted).toBeGreaterThan(0)
    expect(await charged(user)).toBe(charge(answer.counted))
    const { usage } = await app.api('GET', `/v1/requests/${answer.id}`)
    expect(usage).toMatchObject({ input: answer.counted, output: 0, tokenSource: 'provider_reported' })
    expect(usage.inWireTerms).toEqual({ 'x-amzn-bedrock-input-token-count': answer.counted })
    const [request] = await user.requests()
    expect(request).toMatchObject({ wire: 'invoke_embeddings', status: 'settled', outputTokens: 0 })
  })

  test.each(['openai', 'google'])(
    'the body and the response are converted for %s accounts',
    async (label) => {
      const user = await app.newUser({ balanceMicros: credit })
      const answer = await invoke(user.key, label, bodies[family])
      expect(vectorsOf(family, answer).map(({ length }) => length)).toEqual(Array(count).fill(256))
      expect(JSON.stringify(vendor.calls.at(-1)?.body)).toContain('Hello, world')
      expect(await charged(user)).toBe(charge(answer.counted))
      const lost = { titan: 'normalize', cohere: 'input_type', nova: 'embeddingPurpose' }[family]
      expect(answer.lost).toContain(lost)
      if (family === 'titan') expect(answer.body['inputTextTokenCount']).toBe(answer.counted)
    },
  )

  test('the simulator responds in test mode', async () => {
    const key = await testKeyOf(app)
    const answer = await invoke(key, family, bodies[family])
    expect(vectorsOf(family, answer)).toHaveLength(count)
    expect(answer.counted).toBeGreaterThan(0)
    expect(runtime.calls).toEqual([])
  })

  test('OpenAI’s client gets embeddings from an account of Bedrock', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const openai = new OpenAI({ apiKey: user.key, baseURL: `${app.gateway}/v1`, maxRetries: 0 })
    const model = `acme/${family}`
    const { data, usage } = await openai.embeddings.create({ model, input: 'Hello, world', dimensions: 256 })
    expect(data.map(({ embedding, index }) => [index, embedding.length])).toEqual([[0, 256]])
    expect(await charged(user)).toBe(charge(usage.prompt_tokens))
    const [request] = await user.requests()
    expect(request).toMatchObject({ wire: 'embeddings', inputTokens: usage.prompt_tokens })
    const several = openai.embeddings.create({ model, input: ['Hello', 'world'] })
    if (family === 'cohere') expect((await several).data).toHaveLength(2)
    else await expect(several).rejects.toThrow('creates one embedding per request')
  })
})

test('if neither header nor body of the response reports the usage, the gateway counts the tokens of the text', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  runtime.answer = { ...usualAnswer, usage: null }
  const answer = await invoke(user.key, 'cohere', bodies.cohere)
  const { usage } = await app.api('GET', `/v1/requests/${answer.id}`)
  expect(usage).toMatchObject({ input: answer.counted, tokenSource: 'estimated' })
  expect(answer.counted).toBeGreaterThan(1)
  expect(await charged(user)).toBe(charge(answer.counted))
})

test('the gateway never sends a request body for embeddings to a model that writes text, because no money is held for the text', async () => {
  const { key } = await app.newUser({ balanceMicros: credit })
  await expect(invoke(key, 'text', { inputText: 'Write a poem' })).rejects.toThrow(
    'the provider of this model has no embeddings',
  )
  expect(runtime.calls).toEqual([])
})

test('a body of an unknown format is rejected, and the error for a media field names the field', async () => {
  const { key } = await app.newUser({ balanceMicros: credit })
  await expect(invoke(key, 'titan', { prompt: 'Hi' })).rejects.toMatchObject({
    name: 'ValidationException',
    message: expect.stringContaining('/model/<model>/converse') as string,
  })
  await expect(invoke(key, 'titan', { inputText: 'a', inputImage: 'aaaa' })).rejects.toThrow('inputImage')
  expect(runtime.calls).toEqual([])
})

test('the setting `wires` allows or rejects an InvokeModel request by the format of its body', async () => {
  await app.api('PATCH', '/v1/gateway', { wires: ['messages'] })
  const { key } = await app.newUser({ balanceMicros: credit })
  await expect(invoke(key, 'titan', bodies.titan)).rejects.toThrow('invoke_embeddings')
  await app.api('PATCH', '/v1/gateway', { wires: ['invoke_embeddings'] })
  expect((await invoke(key, 'titan', bodies.titan)).counted).toBeGreaterThan(0)
  const claude = {
    anthropic_version: 'bedrock-2023-05-31',
    max_tokens: 8,
    messages: [{ role: 'user', content: 'a' }],
  }
  await expect(invoke(key, 'titan', claude)).rejects.toThrow('messages')
  await app.api('PATCH', '/v1/gateway', { wires: null })
})
