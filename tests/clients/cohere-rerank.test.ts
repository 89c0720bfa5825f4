import { CohereClient, CohereClientV2, CohereError } from 'cohere-ai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  connectAccount,
  makeApplication,
  settledBalance,
  startServer,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'
import { startVendor, type Vendor } from '../support/simulated-vendor.ts'

let server: LocalServer
let app: Application
let vendor: Vendor

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  vendor = await startVendor()
  await connectAccount(app, 'units', {
    kind: 'cohere',
    model: 'rerank-v3.5',
    price: { input: '0', searchUnit: '2000' },
    baseUrl: `${vendor.baseUrls.anthropic}/compatibility/v1`,
    apiKey: vendor.apiKey,
  })
  await connectAccount(app, 'tokens', {
    kind: 'openai_compatible',
    model: 'bge-reranker-v2-m3',
    price: { input: '1000000' },
    baseUrl: vendor.baseUrls.openai,
    apiKey: vendor.apiKey,
  })
})
afterAll(async () => {
  await app.provider.close()
  await vendor.close()
  await server.close()
})

const query = 'capital of France'
const documents = ['Berlin is in Germany.', 'The capital of France is Paris.', 'A cat sleeps.']
const clients = {
  v1: (token: string) => new CohereClient({ token, environment: app.gateway }),
  v2: (token: string) => new CohereClientV2({ token, environment: app.gateway }),
}

test.each(['v1', 'v2'] as const)(
  'the client of %s reads the results and the billed units',
  async (version) => {
    const user = await app.newUser({ balanceMicros: 10_000n })
    const client = clients[version](user.key)
    const answer = await client.rerank({ model: 'acme/units', query, documents, topN: 2 })
    expect(answer.results.map(({ index }) => index)).toEqual([1, 0])
    expect(answer.meta?.billedUnits?.searchUnits).toBe(1)
    expect(vendor.calls.at(-1)).toMatchObject({ path: `/${version}/rerank`, body: { top_n: 2 } })
    expect(await settledBalance(user)).toBe(8_000n)
    const other = await client.rerank({ model: 'acme/tokens', query, documents })
    expect(other.results).toHaveLength(3)
    expect(vendor.calls.at(-1)?.path).toBe('/v1/rerank')
    expect(await settledBalance(user)).toBeLessThan(8_000n)
  },
)

test('the client throws its own error class, with the message and the code of the gateway', async () => {
  const { key } = await app.newUser()
  const failed = clients.v2(key).rerank({ model: 'acme/units', query, documents }, { maxRetries: 0 })
  const error = await failed.catch((cause: unknown) => cause)
  expect(error).toBeInstanceOf(CohereError)
  expect(error).toMatchObject({ statusCode: 402, body: { error: { code: 'insufficient_credit' } } })
})
