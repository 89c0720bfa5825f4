import { CohereClient, CohereClientV2, CohereError, type Cohere } from 'cohere-ai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { awsKeys, fakeBedrock, type FakeBedrock } from '../support/fake-bedrock-runtime.ts'
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

const credit = 1_000_000n
/** Micros per million tokens. The rates are odd, so that rounding changes the charge. */
const rates = { input: 1_300_001n, imageInput: 4_700_003n }

let server: LocalServer
let app: Application
let runtime: FakeBedrock
let vendor: Vendor

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  runtime = await fakeBedrock()
  vendor = await startVendor()
  const { apiKey, baseUrls } = vendor
  const bedrock = {
    kind: 'bedrock',
    baseUrl: `http://127.0.0.1:${runtime.port}`,
    apiKey: `${awsKeys.accessKeyId}:${awsKeys.secretAccessKey}`,
  }
  const accounts = {
    cohere: {
      kind: 'cohere',
      baseUrl: `${baseUrls.anthropic}/compatibility/v1`,
      model: 'embed-v4.0',
      apiKey,
    },
    third: {
      kind: 'cohere',
      baseUrl: `${baseUrls.anthropic}/compatibility/v1`,
      model: 'embed-english-v3.0',
      apiKey,
    },
    bedrock: { ...bedrock, model: 'cohere.embed-v4:0' },
    titan: { ...bedrock, model: 'amazon.titan-embed-text-v2:0' },
    openai: { kind: 'openai', baseUrl: baseUrls.openai, model: 'text-embedding-3-small', apiKey },
    google: { kind: 'google', baseUrl: baseUrls.google, model: 'gemini-embedding-001', apiKey },
  }
  const price = { input: String(rates.input), imageInput: String(rates.imageInput) }
  for (const [label, account] of Object.entries(accounts))
    // oxlint-disable-next-line no-await-in-loop -- each call needs the one before
    await connectAccount(app, label, { price, ...account })
})
afterAll(async () => {
  await runtime.close()
  await vendor.close()
  await app.provider.close()
  await server.close()
})

const v1 = (token: string): CohereClient => new CohereClient({ token, environment: app.gateway })
const v2 = (token: string): CohereClientV2 => new CohereClientV2({ token, environment: app.gateway })

const charged = async (user: User): Promise<bigint> => credit - (await settledBalance(user))

function costOf(meta: Cohere.ApiMeta | undefined): bigint {
  const { imageTokens = 0, inputTokens = 0 } = meta?.billedUnits ?? {}
  expect(imageTokens + inputTokens).toBeGreaterThan(0)
  return (rates.input * BigInt(inputTokens) + rates.imageInput * BigInt(imageTokens) + 999_999n) / 1_000_000n
}

const texts = ['Hello, world', 'a cat']
const url = `data:image/png;base64,${Buffer.alloc(3_000, 7).toString('base64')}`
const asked = { texts, inputType: 'search_query', outputDimension: 256 } as const
const lengths = (vectors: readonly (readonly number[])[] | undefined): readonly number[] =>
  (vectors ?? []).map(({ length }) => length)

describe('an account of Cohere', () => {
  test('the body of version 2 is sent to Cohere unchanged, and the billed units are charged', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const answer = await v2(user.key).embed({
      ...asked,
      model: 'acme/cohere',
      embeddingTypes: ['float', 'int8'],
      truncate: 'NONE',
    })
    expect(lengths(answer.embeddings.float)).toEqual([256, 256])
    expect(answer.embeddings.int8?.flat().every((value) => Number.isInteger(value))).toBe(true)
    expect(answer).toMatchObject({ responseType: 'embeddings_by_type', texts })
    expect(vendor.calls.at(-1)).toMatchObject({
      path: '/v2/embed',
      body: {
        model: 'embed-v4.0',
        texts,
        input_type: 'search_query',
        output_dimension: 256,
        embedding_types: ['float', 'int8'],
        truncate: 'NONE',
      },
    })
    expect(await charged(user)).toBe(costOf(answer.meta))
    const [request] = await user.requests()
    expect(request).toMatchObject({ wire: 'cohere_embed', status: 'settled', outputTokens: 0 })
  })

  test('images are charged at the rate for images', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const content: Cohere.EmbedContent[] = [
      { type: 'text', text: 'a cat' },
      { type: 'image_url', imageUrl: { url } },
    ]
    const answer = await v2(user.key).embed({
      model: 'acme/cohere',
      inputType: 'search_document',
      inputs: [{ content }],
    })
    expect(answer.embeddings.float).toHaveLength(1)
    expect(answer.meta?.billedUnits?.imageTokens).toBeGreaterThan(0)
    expect(await charged(user)).toBe(costOf(answer.meta))
    const [request] = await user.requests()
    const { usage } = await app.api('GET', `/v1/requests/${request?.id}`)
    expect(usage.inWireTerms).toEqual({
      'meta.billed_units.input_tokens': answer.meta?.billedUnits?.inputTokens,
      'meta.billed_units.image_tokens': answer.meta?.billedUnits?.imageTokens,
    })
  })

  test('the gateway counts the tokens of an image if the model bills images as units', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const answer = await v2(user.key).embed({ model: 'acme/third', inputType: 'image', images: [url] })
    expect(answer.meta?.billedUnits).toEqual({ images: 1 })
    expect(await charged(user)).toBeGreaterThan(0n)
    const [request] = await user.requests()
    const { usage } = await app.api('GET', `/v1/requests/${request?.id}`)
    expect(usage.tokenSource).toBe('estimated')
    expect(usage.input + usage.imageInput).toBeGreaterThan(0)
    const text = await v2(user.key).embed({ model: 'acme/third', inputType: 'search_query', texts })
    expect(Object.keys(text.meta?.billedUnits ?? {})).toEqual(['inputTokens'])
  })

  test('version 1 of the API returns a plain list of vectors, or vectors by type if the client names types', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const plain = await v1(user.key).embed({ texts, inputType: 'search_document', model: 'acme/cohere' })
    if (plain.responseType !== 'embeddings_floats') throw new Error(plain.responseType)
    expect(plain.embeddings).toHaveLength(2)
    expect(vendor.calls.at(-1)?.path).toBe('/v1/embed')
    const typed = await v1(user.key).embed({
      texts,
      inputType: 'search_document',
      model: 'acme/cohere',
      embeddingTypes: ['int8'],
    })
    if (typed.responseType !== 'embeddings_by_type') throw new Error(typed.responseType)
    expect(typed.embeddings.int8).toHaveLength(2)
    expect(await charged(user)).toBe(costOf(plain.meta) + costOf(typed.meta))
  })
})

describe.each(['openai', 'google', 'bedrock'])('an account that is not of Cohere: %s', (label) => {
  const model = `acme/${label}`

  test('the body and the response are converted, and the reported usage is charged', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const answer = await v2(user.key).embed({ ...asked, model })
    expect(lengths(answer.embeddings.float)).toEqual([256, 256])
    expect(answer).toMatchObject({ responseType: 'embeddings_by_type', id: expect.any(String), texts })
    expect(answer.meta?.apiVersion?.version).toBe('2')
    const plain = await v1(user.key).embed({ texts, inputType: 'search_query', model })
    if (plain.responseType !== 'embeddings_floats') throw new Error(plain.responseType)
    expect(plain.embeddings).toHaveLength(2)
    expect(plain.meta?.apiVersion?.version).toBe('1')
    expect(await charged(user)).toBe(costOf(answer.meta) + costOf(plain.meta))
  })
})

test('a model of Cohere at Bedrock gets all fields except the model', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  runtime.calls.length = 0
  await v2(user.key).embed({ ...asked, model: 'acme/bedrock', truncate: 'END', priority: 1 })
  expect(runtime.calls).toMatchObject([
    {
      body: {
        texts,
        input_type: 'search_query',
        output_dimension: 256,
        truncate: 'END',
        embedding_types: ['float'],
      },
    },
  ])
  expect(Object.keys(runtime.calls[0]?.body ?? {})).not.toContain('priority')
  const seen = await v2(user.key).embed({ model: 'acme/bedrock', inputType: 'image', images: [url] })
  expect(seen.embeddings.float).toHaveLength(1)
  expect(runtime.calls.at(-1)?.body).toMatchObject({ images: [url] })
})

test('an input that is a single text is converted', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const inputs = [{ content: [{ type: 'text' as const, text: 'Hello, world' }] }]
  const answer = await v2(user.key).embed({ model: 'acme/openai', inputType: 'search_document', inputs })
  expect(answer.embeddings.float).toHaveLength(1)
  expect(vendor.calls.at(-1)?.body).toMatchObject({ input: ['Hello, world'] })
})

test.each<[string, Omit<Cohere.V2EmbedRequest, 'model' | 'inputType'>, string]>([
  ['openai', { images: [url] }, 'images'],
  ['google', { inputs: [{ content: [{ type: 'image_url', imageUrl: { url } }] }] }, 'inputs'],
  ['openai', { texts, embeddingTypes: ['int8'] }, 'embedding_types'],
  ['titan', { texts }, 'texts'],
])('an account of %s rejects %j with the name of the field', async (label, fields, param) => {
  const user = await app.newUser({ balanceMicros: credit })
  const call = v2(user.key).embed({ ...fields, model: `acme/${label}`, inputType: 'search_document' })
  const error = await call.catch((cause: unknown) => cause)
  expect(error).toBeInstanceOf(CohereError)
  expect(error).toMatchObject({ statusCode: 400, body: { code: 'unsupported_for_route', param } })
  expect(await charged(user)).toBe(0n)
})

test('in test mode, the simulator responds in the format of the API version that the client uses', async () => {
  const key = await testKeyOf(app)
  const answer = await v2(key).embed({ ...asked, model: 'acme/cohere' })
  expect(lengths(answer.embeddings.float)).toEqual([256, 256])
  const plain = await v1(key).embed({ texts, inputType: 'search_query', model: 'acme/cohere' })
  expect(plain.responseType).toBe('embeddings_floats')
})
