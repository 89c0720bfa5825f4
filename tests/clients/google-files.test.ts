import { createPartFromUri, GoogleGenAI } from '@google/genai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startVendor, type Vendor } from '../support/simulated-vendor.ts'
import {
  connectAccount,
  makeApplication,
  startServer,
  testKeyOf,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application
let vendor: Vendor

const price = { input: '1000000', audioInput: '1000000', imageInput: '1000000', output: '1000000' }
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

function clientOf(apiKey: string): GoogleGenAI {
  return new GoogleGenAI({ apiKey, httpOptions: { baseUrl: app.gateway } })
}

test('the official Google client uploads a file, uses it, and lists and deletes it', async () => {
  const user = await app.newUser({ balanceMicros: 100_000_000n })
  const client = clientOf(user.key)
  const file = await client.files.upload({
    file: new Blob([words]),
    config: { mimeType: 'text/plain', displayName: 'notes.txt' },
  })
  expect(file).toMatchObject({ displayName: 'notes.txt', mimeType: 'text/plain', state: 'ACTIVE' })
  expect(file.sizeBytes).toBe(String(words.length))
  expect(file.name).toMatch(/^files\/[0-9a-f]+$/)
  const [sent] = vendor.calls
  expect(sent).toMatchObject({ path: '/upload/v1beta/files', status: 200 })
  expect(sent?.text).toContain('"displayName":"notes.txt"')

  const before = (await user.balance()).balanceMicros
  const { uri = '', name = '' } = file
  const { usageMetadata } = await client.models.generateContent({
    model: 'acme/gemini',
    contents: [
      { role: 'user', parts: [createPartFromUri(uri, 'text/plain'), { text: 'Due? [[tokens=5]]' }] },
    ],
  })
  const total = usageMetadata?.totalTokenCount ?? 0
  expect(total).toBeGreaterThan(2_000)
  expect(before - (await user.balance()).balanceMicros).toBe(BigInt(total))
  expect(vendor.calls.at(-1)?.text).toMatch(
    /"https:\/\/generativelanguage.googleapis.com\/v1beta\/files\/vendor1"/,
  )

  expect(await client.files.get({ name })).toMatchObject({ name, uri, state: 'ACTIVE' })
  // The client also accepts the address of a file as its name.
  expect(await client.files.get({ name: uri })).toMatchObject({ name })
  const listed = []
  for await (const one of await client.files.list({ config: { pageSize: 1 } })) listed.push(one.name)
  expect(listed).toEqual([name])
  await client.files.delete({ name })
  await expect(client.files.get({ name })).rejects.toMatchObject({ status: 404 })
})

test('the official Google client uploads a file of more than 8 MiB in pieces, and uses it', async () => {
  const user = await app.newUser({ balanceMicros: 100_000_000n })
  const client = clientOf(user.key)
  const content = Buffer.alloc(8 * 1024 * 1024 + 1)
  const file = await client.files.upload({ file: new Blob([content]), config: { mimeType: 'video/mp4' } })
  expect(file).toMatchObject({ sizeBytes: String(content.length), mimeType: 'video/mp4' })
  const { uri = '', name = '' } = file
  const contents = [
    { role: 'user', parts: [createPartFromUri(uri, 'video/mp4'), { text: 'Who? [[tokens=5]]' }] },
  ]
  const answer = await client.models.generateContent({ model: 'acme/gemini', contents })
  expect(answer.usageMetadata?.candidatesTokenCount).toBe(5)
  await client.files.delete({ name })
})

test('in test mode, the simulator stores files', async () => {
  const client = clientOf(await testKeyOf(app))
  const { uri = '' } = await client.files.upload({
    file: new Blob([words]),
    config: { mimeType: 'text/plain' },
  })
  const contents = [{ role: 'user', parts: [createPartFromUri(uri, 'text/plain')] }]
  const { usageMetadata } = await client.models.generateContent({ model: 'acme/gemini', contents })
  expect(usageMetadata?.promptTokenCount).toBeGreaterThan(2_000)
})
