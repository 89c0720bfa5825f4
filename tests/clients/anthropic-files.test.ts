import Anthropic, { toFile } from '@anthropic-ai/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startVendor, type Vendor } from '../support/simulated-vendor.ts'
import {
  connectAccount,
  makeApplication,
  startServer,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application
let vendor: Vendor
let user: User

const price = { input: '1000000', cacheWrite: '1000000', cacheWriteLong: '1000000', output: '1000000' }

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  vendor = await startVendor()
  const account = { kind: 'anthropic', baseUrl: vendor.baseUrls.anthropic, apiKey: vendor.apiKey, price }
  await connectAccount(app, 'claude', { ...account, model: 'claude-sonnet-4-5' })
  user = await app.newUser({ balanceMicros: 100_000_000n })
})
afterAll(async () => {
  await app.provider.close()
  await vendor.close()
  await server.close()
})

const words = 'The invoice is due in March. '.repeat(400)

test('the official Anthropic client uploads a file, uses it, and lists and deletes it', async () => {
  const client = new Anthropic({ apiKey: user.key, baseURL: app.gateway, maxRetries: 0 })
  const betas = ['files-api-2025-04-14']
  const file = await client.beta.files.upload({ file: await toFile(Buffer.from(words), 'notes.txt'), betas })
  expect(file).toMatchObject({ type: 'file', filename: 'notes.txt', size_bytes: words.length })
  expect(file.id).toMatch(/^file_/)
  const before = (await user.balance()).balanceMicros
  const { usage } = await client.beta.messages.create({
    model: 'acme/claude',
    max_tokens: 50,
    messages: [
      {
        role: 'user',
        content: [
          { type: 'document', source: { type: 'file', file_id: file.id }, citations: { enabled: true } },
          { type: 'text', text: 'When is it due? [[tokens=5]]' },
        ],
      },
    ],
    betas,
  })
  const total = usage.input_tokens + usage.output_tokens
  expect(total).toBeGreaterThan(2_000)
  expect(before - (await user.balance()).balanceMicros).toBe(BigInt(total))
  expect(vendor.calls.at(-1)?.text).toMatch(/"file_id":"file_vendor\d+"/)
  const listed = []
  for await (const one of client.beta.files.list()) listed.push(one)
  expect(listed).toEqual([file])
  expect(await client.beta.files.retrieveMetadata(file.id)).toEqual(file)
  const counted = await client.beta.messages.countTokens({
    model: 'acme/claude',
    messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'file', file_id: file.id } }] }],
    betas,
  })
  expect(counted.input_tokens).toBeGreaterThan(2_000)
  expect(await client.beta.files.delete(file.id)).toEqual({ id: file.id, type: 'file_deleted' })
  await expect(client.beta.files.retrieveMetadata(file.id)).rejects.toMatchObject({ status: 404 })
})
