/** Tests files of more than 8 MiB, which Google's clients send in pieces. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startVendor, type Vendor } from '../support/simulated-vendor.ts'
import {
  answerOf,
  connectAccount,
  makeApplication,
  startServer,
  testKeyOf,
  type Answer,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application
let vendor: Vendor

const price = { input: '1', audioInput: '1', imageInput: '1', output: '1' }
const piece = 8 * 1024 * 1024

beforeAll(async () => {
  server = await startServer({
    limits: { files: { filesMax: 3, fileBytesMax: 20_000_000 }, filesEveryMs: 50 },
  })
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

async function send(key: string, path: string, headers: object, body?: string | Buffer): Promise<Answer> {
  const init = { method: body === undefined ? 'GET' : 'POST', headers: { 'x-goog-api-key': key, ...headers } }
  return answerOf(await fetch(app.gateway + path, body === undefined ? init : { ...init, body }))
}

/** The sound has 8,000 one-byte samples a second. */
function wav(bytes: number): Buffer {
  const file = Buffer.alloc(bytes)
  file.write('RIFF', 0)
  file.writeUInt32LE(bytes - 8, 4)
  file.write('WAVEfmt ', 8)
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(8_000, 24)
  file.writeUInt32LE(8_000, 28)
  file.writeUInt16LE(1, 32)
  file.writeUInt16LE(8, 34)
  file.write('data', 36)
  file.writeUInt32LE(bytes - 44, 40)
  return file
}

function start(key: string, bytes: number): Promise<Answer> {
  const headers = {
    'content-type': 'application/json',
    'x-goog-upload-protocol': 'resumable',
    'x-goog-upload-command': 'start',
    'x-goog-upload-header-content-length': String(bytes),
    'x-goog-upload-header-content-type': 'audio/wav',
  }
  return send(key, '/upload/v1beta/files', headers, JSON.stringify({ file: { displayName: 'talk.wav' } }))
}

async function started(key: string, bytes: number): Promise<string> {
  const answer = await start(key, bytes)
  const url = new URL(answer.headers.get('x-goog-upload-url') ?? expect.fail(answer.text))
  return url.pathname + url.search
}

function put(key: string, path: string, file: Buffer, offset: number, length = piece): Promise<Answer> {
  const end = Math.min(file.length, offset + length)
  const command = end === file.length ? 'upload, finalize' : 'upload'
  const headers = { 'x-goog-upload-command': command, 'x-goog-upload-offset': String(offset) }
  return send(key, path, headers, file.subarray(offset, end))
}

async function use(key: string, uri: string): Promise<Answer> {
  const body = {
    contents: [{ parts: [{ text: 'Who speaks? [[tokens=5]]' }, { fileData: { fileUri: uri } }] }],
  }
  const json = { 'content-type': 'application/json' }
  const answer = await send(key, '/v1beta/models/acme/gemini:generateContent', json, JSON.stringify(body))
  expect(answer.status, answer.text).toBe(200)
  return answer
}

async function quoteOf(key: string, uri: string): Promise<Record<string, number>> {
  const answer = await use(key, uri)
  return (await app.api('GET', `/v1/requests/${answer.headers.get('x-request-id')}`)).quote
}

test('the pieces of a file reach the provider, and the hold for the file covers the context window', async () => {
  const { key } = await app.newUser({ balanceMicros: 1_000_000_000n })
  const file = wav(piece + 1_000_000)
  const calls = vendor.calls.length
  const path = await started(key, file.length)
  const first = await put(key, path, file, 0)
  expect([first.status, first.headers.get('x-goog-upload-status'), first.text]).toEqual([200, 'active', ''])
  const wrong = await put(key, path, file, piece - 1)
  expect(wrong.status).toBe(400)
  const last = await put(key, path, file, piece)
  expect([last.status, last.headers.get('x-goog-upload-status')], last.text).toEqual([200, 'final'])
  expect(last.body.file).toMatchObject({
    displayName: 'talk.wav',
    sizeBytes: String(file.length),
    state: 'ACTIVE',
  })
  const uploads = vendor.calls.slice(calls).filter(({ path: called }) => called.startsWith('/upload/'))
  expect(uploads.map(({ status }) => status)).toEqual([200, 200, 400, 200])
  expect(uploads[0]?.headers['x-goog-upload-header-content-length']).toBe(String(file.length))
  const quote = await quoteOf(key, last.body.file.uri)
  const { audioTokensMax = 0, imageTokensMax = 0, textTokensMax = 0 } = quote
  expect(audioTokensMax + imageTokensMax + textTokensMax).toBeGreaterThanOrEqual(1_000_000)
  const listed = await send(key, '/v1beta/files', {})
  expect(listed.body.files).toMatchObject([{ uri: last.body.file.uri, sizeBytes: String(file.length) }])
})

test('if a large file arrives in one request, the hold covers the actual length of its audio', async () => {
  const { key } = await app.newUser({ balanceMicros: 1_000_000_000n })
  const file = wav(piece + 1_000_000)
  const last = await put(key, await started(key, file.length), file, 0, file.length)
  expect(last.status, last.text).toBe(200)
  const quote = await quoteOf(key, last.body.file.uri)
  const tokens = Math.ceil(file.length / 8_000) * 32
  expect(quote['audioTokensMax']).toBeGreaterThanOrEqual(tokens - 64)
  expect(quote['audioTokensMax']).toBeLessThan(tokens * 1.1)
})

test('if a file is smaller than the size that its upload announced, its length is unknown, and the hold covers the context window', async () => {
  const { key } = await app.newUser({ balanceMicros: 1_000_000_000n })
  const file = wav(piece + 1_000_000)
  const last = await put(key, await started(key, file.length + 1), file, 0, file.length)
  expect(last.status, last.text).toBe(200)
  const { audioTokensMax = 0, imageTokensMax = 0, textTokensMax = 0 } = await quoteOf(key, last.body.file.uri)
  expect(audioTokensMax + imageTokensMax + textTokensMax).toBeGreaterThanOrEqual(1_000_000)
})

test('a piece is rejected if another end user sends it, or if the file exceeds its announced size or a limit', async () => {
  const [owner, other] = await Promise.all([
    app.newUser({ balanceMicros: 1_000_000_000n }),
    app.newUser({ balanceMicros: 1_000_000_000n }),
  ])
  const file = wav(piece + 2)
  const path = await started(owner.key, file.length - 1)
  const calls = vendor.calls.length
  expect((await put(other.key, path, file, 0)).status).toBe(404)
  expect((await put(await testKeyOf(app), path, file, 0)).status).toBe(404)
  expect((await put(owner.key, path, file, piece)).status).toBe(400)
  const strange = { 'x-goog-upload-command': 'cancel', 'x-goog-upload-offset': '0' }
  expect((await send(owner.key, path, strange, 'a')).status).toBe(400)
  const above = await start(owner.key, 20_000_001)
  expect([above.status, above.body.error.message]).toEqual([
    403,
    expect.stringMatching(/can have at most 3 files/),
  ])
  expect((await start(owner.key, 2 ** 31 + 1)).status).toBe(413)
  expect(vendor.calls).toHaveLength(calls)
})

test('if the provider reports a file as larger than the limit, the gateway deletes the file there', async () => {
  const { key } = await app.newUser({ balanceMicros: 1_000_000_000n })
  const file = wav(piece + 1)
  const [one, two, three] = [
    await started(key, file.length),
    await started(key, file.length),
    await started(key, file.length),
  ]
  for (const path of [one, two])
    // oxlint-disable-next-line no-await-in-loop -- one upload after another
    expect((await put(key, path, file, 0, file.length)).status).toBe(200)
  const calls = vendor.calls.length
  expect((await put(key, three, file, 0, file.length)).status).toBe(403)
  await expect
    .poll(() =>
      vendor.calls
        .slice(calls)
        .map(({ path, status, text }) => [path.startsWith('/v1beta/files/'), status, text]),
    )
    .toContainEqual([true, 200, ''])
})

test('in test mode, the simulator stores a file in pieces', async () => {
  const key = await testKeyOf(app)
  const file = wav(piece + 1_000)
  const path = await started(key, file.length)
  expect((await put(key, path, file, 0)).status).toBe(200)
  const last = await put(key, path, file, piece)
  expect(last.body.file.sizeBytes).toBe(String(file.length))
  await use(key, last.body.file.uri)
})
