import { createOpenAI } from '@ai-sdk/openai'
import { GoogleGenAI } from '@google/genai'
import { FakeVectorStore } from '@langchain/core/utils/testing'
import { OpenAIEmbeddings } from '@langchain/openai'
import { Mistral } from '@mistralai/mistralai'
import { embedMany } from 'ai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  connectAccount,
  makeApplication,
  settledBalance,
  startServer,
  upstreamKey,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server, { rates: { input: 1_000_000n, output: 0n } })
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

test.each(['v1', 'v1beta', 'v1alpha'])(
  'embedContent returns the vectors in the order of the texts (%s)',
  async (apiVersion) => {
    const { key: apiKey, ...user } = await app.newUser({ balanceMicros: 100n })
    const google = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: app.gateway, apiVersion } })
    app.provider.enqueue({
      body: {
        object: 'list',
        data: [
          { object: 'embedding', index: 1, embedding: [0, 1] },
          { object: 'embedding', index: 0, embedding: [0.6, -0.8] },
        ],
        model: 'upstream-model-1',
        usage: { prompt_tokens: 7, total_tokens: 7 },
      },
    })
    const config = { outputDimensionality: 2 }
    const contents = ['Hello', 'world']
    const { embeddings } = await google.models.embedContent({ model: app.model, contents, config })
    expect(embeddings?.map(({ values }) => values)).toEqual([
      [0.6, -0.8],
      [0, 1],
    ])
    expect(app.provider.calls.at(-1)?.body).toEqual({
      model: 'upstream-model-1',
      input: contents,
      dimensions: 2,
    })
    expect(await settledBalance(user)).toBe(93n)
  },
)

/**
 * The fake provider returns a vector for each text: its length and its number of words. Each text costs one token for
 * each word.
 */
function embeds(): void {
  app.provider.script(({ body }) => {
    const given = body?.['input']
    const texts = Array.isArray(given) ? given.map(String) : [String(given)]
    const words = texts.map((text) => text.split(' ').length)
    const vectors = texts.map((text, at) => [text.length, words[at] ?? 0])
    const isBase64 = body?.['encoding_format'] === 'base64'
    const tokens = words.reduce((sum, count) => sum + count, 0)
    return {
      body: {
        id: 'embd-1',
        object: 'list',
        data: vectors.map((vector, index) => ({
          object: 'embedding',
          index,
          embedding: isBase64 ? Buffer.from(new Float32Array(vector).buffer).toString('base64') : vector,
        })),
        model: 'upstream-model-1',
        usage: { prompt_tokens: tokens, total_tokens: tokens },
      },
    }
  })
}

test('LangChain embeds documents and retrieves the nearest one, and each text is charged', async () => {
  const { key: apiKey, ...user } = await app.newUser({ balanceMicros: 1_000n })
  embeds()
  const configuration = { baseURL: `${app.gateway}/v1` }
  const store = new FakeVectorStore(new OpenAIEmbeddings({ apiKey, model: app.model, configuration }))
  const texts = ['one', 'one two', 'a much longer text of many words']
  await store.addDocuments(texts.map((pageContent) => ({ pageContent, metadata: {} })))
  const found = await store.asRetriever(1).invoke('one two')
  expect(found.map(({ pageContent }) => pageContent)).toEqual(['one two'])
  expect(await settledBalance(user)).toBe(1_000n - 10n - 2n)
})

test('the AI SDK embeds several texts in one request, and the request is charged', async () => {
  const { key: apiKey, ...user } = await app.newUser({ balanceMicros: 1_000n })
  embeds()
  const openai = createOpenAI({ apiKey, baseURL: `${app.gateway}/v1` })
  const { embeddings, usage } = await embedMany({
    model: openai.embedding(app.model),
    values: ['one', 'one two'],
  })
  expect(embeddings).toEqual([
    [3, 1],
    [7, 2],
  ])
  expect(usage.tokens).toBe(3)
  expect(await settledBalance(user)).toBe(997n)
})

test('Mistral’s client embeds several texts at Mistral, and the texts are charged', async () => {
  const { key: apiKey, ...user } = await app.newUser({ balanceMicros: 1_000n })
  embeds()
  await connectAccount(app, 'mistral', {
    kind: 'mistral',
    baseUrl: app.provider.baseUrl,
    apiKey: upstreamKey,
    model: 'mistral-embed',
    price: { input: '1000000', output: '0' },
  })
  const client = new Mistral({ apiKey, serverURL: app.gateway })
  const { data, usage } = await client.embeddings.create({
    model: 'acme/mistral',
    inputs: ['one', 'one two'],
    outputDimension: 2,
  })
  expect(data.map(({ embedding }) => embedding)).toEqual([
    [3, 1],
    [7, 2],
  ])
  expect(app.provider.calls.at(-1)?.body).toEqual({
    model: 'mistral-embed',
    input: ['one', 'one two'],
    output_dimension: 2,
  })
  expect(usage.promptTokens).toBe(3)
  expect(await settledBalance(user)).toBe(997n)
})
