import Anthropic from '@anthropic-ai/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startVendor, type Vendor } from '../support/simulated-vendor.ts'
import {
  connectAccount,
  eventually,
  makeApplication,
  startServer,
  testKeyOf,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'

const credit = 100_000_000n
const price = { input: '1000000', cacheWrite: '1000000', cacheWriteLong: '1000000', output: '1000000' }

let server: LocalServer
let app: Application
let vendor: Vendor
let user: User

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  vendor = await startVendor()
  const account = { kind: 'anthropic', baseUrl: vendor.baseUrls.anthropic, apiKey: vendor.apiKey, price }
  await connectAccount(app, 'claude', { ...account, model: 'claude-sonnet-4-5' })
  user = await app.newUser({ balanceMicros: credit })
})
afterAll(async () => {
  await app.provider.close()
  await vendor.close()
  await server.close()
})

const requests = ['France', 'Japan', 'Peru'].map((country) => ({
  custom_id: country,
  params: {
    model: 'acme/claude',
    max_tokens: 100,
    messages: [{ role: 'user' as const, content: `The capital of ${country}? [[tokens=20 delay=5ms]]` }],
  },
}))

async function readAll(client: Anthropic, id: string): Promise<bigint> {
  let tokens = 0n
  const names: string[] = []
  for await (const { custom_id, result } of await client.messages.batches.results(id)) {
    names.push(custom_id)
    if (result.type !== 'succeeded') throw new Error(result.type)
    const { model, usage } = result.message
    expect(model).toBe('acme/claude')
    tokens += BigInt(usage.input_tokens + usage.output_tokens)
  }
  expect(names.toSorted()).toEqual(['France', 'Japan', 'Peru'])
  return tokens
}

test('the official Anthropic client creates a batch, polls it, reads its results, lists and deletes it', async () => {
  const client = new Anthropic({ apiKey: user.key, baseURL: app.gateway, maxRetries: 0 })
  const batch = await client.messages.batches.create({ requests })
  expect(batch).toMatchObject({ type: 'message_batch', processing_status: 'in_progress', results_url: null })
  expect(batch.id).toMatch(/^msgbatch_/)
  await expect(client.messages.batches.results(batch.id)).rejects.toThrow('Has it finished processing')
  const ended = await eventually(async () => {
    const one = await client.messages.batches.retrieve(batch.id)
    expect(one.processing_status).toBe('ended')
    return one
  })
  expect(ended.request_counts).toMatchObject({ processing: 0, succeeded: 3 })
  const tokens = await readAll(client, batch.id)
  expect(await user.balance()).toEqual({ balanceMicros: credit - tokens, reservedMicros: 0n })
  const listed = []
  for await (const one of client.messages.batches.list()) listed.push(one)
  expect(listed).toEqual([ended])
  expect(await client.messages.batches.delete(batch.id)).toEqual({
    id: batch.id,
    type: 'message_batch_deleted',
  })
  await expect(client.messages.batches.retrieve(batch.id)).rejects.toMatchObject({ status: 404 })
})

test('the official client cancels a batch of the beta API, and in test mode the simulator runs batches', async () => {
  const client = new Anthropic({ apiKey: user.key, baseURL: app.gateway, maxRetries: 0 })
  const [first] = requests
  if (first === undefined) throw new Error('there are requests')
  const hanging = {
    ...first,
    params: { ...first.params, messages: [{ role: 'user' as const, content: '[[hang]]' }] },
  }
  const { id } = await client.beta.messages.batches.create({ requests: [hanging] })
  await client.beta.messages.batches.cancel(id)
  const results = []
  for await (const one of await client.beta.messages.batches.results(id)) results.push(one)
  expect(results).toEqual([{ custom_id: 'France', result: { type: 'canceled' } }])
  const inTest = new Anthropic({ apiKey: await testKeyOf(app), baseURL: app.gateway, maxRetries: 0 })
  const batch = await inTest.messages.batches.create({ requests })
  await eventually(async () => {
    expect((await inTest.messages.batches.retrieve(batch.id)).processing_status).toBe('ended')
  })
  expect(await readAll(inTest, batch.id)).toBeGreaterThan(60n)
})
