/** Requests embeddings with Google's official client, at an account of OpenAI's format. */
import { GoogleGenAI } from '@google/genai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  makeApplication,
  settledBalance,
  startServer,
  type Application,
  type LocalServer,
} from '../support/harness.ts'

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
