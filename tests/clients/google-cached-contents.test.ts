import { GoogleGenAI } from '@google/genai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startVendor, type Vendor } from '../support/simulated-vendor.ts'
import {
  connectAccount,
  makeApplication,
  startServer,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application
let vendor: Vendor

const price = { input: '1000000', cacheRead: '1000000', cacheStorage: '1000000', output: '1000000' }
const words = 'The invoice is due in March. '.repeat(400)

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  vendor = await startVendor()
  const account = { kind: 'google', baseUrl: vendor.baseUrls.google, apiKey: vendor.apiKey, price }
  await connectAccount(app, 'gemini', { ...account, model: 'gemini-3-pro' })
})
afterAll(async () => {
  await app.provider.close()
  await vendor.close()
  await server.close()
})

test('the official Google client creates, uses, extends, lists and deletes cached content', async () => {
  const user = await app.newUser({ balanceMicros: 100_000_000n })
  const client = new GoogleGenAI({ apiKey: user.key, httpOptions: { baseUrl: app.gateway } })
  const cache = await client.caches.create({
    model: 'acme/gemini',
    config: { contents: words, systemInstruction: 'Be concise.', ttl: '3600s', displayName: 'invoices' },
  })
  const { name = '', usageMetadata } = cache
  const tokens = usageMetadata?.totalTokenCount ?? 0
  expect(cache).toMatchObject({ displayName: 'invoices', model: 'models/acme/gemini' })
  expect((await user.balance()).balanceMicros).toBe(100_000_000n - BigInt(2 * tokens))

  const answer = await client.models.generateContent({
    model: 'acme/gemini',
    contents: 'When? [[tokens=5]]',
    config: { cachedContent: name },
  })
  expect(answer.usageMetadata?.cachedContentTokenCount).toBe(tokens)
  const stream = await client.models.generateContentStream({
    model: 'acme/gemini',
    contents: 'When? [[tokens=5]]',
    config: { cachedContent: name },
  })
  let cached: number | undefined
  for await (const piece of stream) cached = piece.usageMetadata?.cachedContentTokenCount ?? cached
  expect(cached).toBe(tokens)

  expect(await client.caches.get({ name })).toMatchObject({ name, displayName: 'invoices' })
  const updated = await client.caches.update({ name, config: { ttl: '7200s' } })
  expect(updated.name).toBe(name)
  const listed = []
  for await (const one of await client.caches.list({ config: { pageSize: 1 } })) listed.push(one.name)
  expect(listed).toEqual([name])
  await client.caches.delete({ name })
  await expect(client.caches.get({ name })).rejects.toMatchObject({ status: 404 })
})
