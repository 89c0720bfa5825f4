import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mp4 } from '../fixtures/build-video-files.ts'
import { sampledRuns } from '../support/number-of-property-runs.ts'
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
  type User,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application
let vendor: Vendor

/** An input token costs one micro, an audio token three, and an output token one. */
const price = { input: '1000000', audioInput: '3000000', imageInput: '1000000', output: '1000000' }
const address = 'https://generativelanguage.googleapis.com/v1beta/files/'

beforeAll(async () => {
  server = await startServer({ limits: { files: { filesMax: 6, fileBytesMax: 400_000 }, filesEveryMs: 50 } })
  app = await makeApplication(server)
  vendor = await startVendor()
  await connectAccount(app, 'gemini', { ...accountOf(), model: 'gemini-3-pro' })
})
afterAll(async () => {
  await app.provider.close()
  await vendor.close()
  await server.close()
})

const accountOf = () =>
  ({ kind: 'google', baseUrl: vendor.baseUrls.google, apiKey: vendor.apiKey, price }) as const

const newUser = (): Promise<User> => app.newUser({ balanceMicros: 1_000_000_000n })

interface Sent {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

async function send(key: string, path: string, sent: Sent = {}, gateway = app.gateway): Promise<Answer> {
  const { body, headers, method = body === undefined ? 'GET' : 'POST' } = sent
  const init = { method, headers: { 'x-goog-api-key': key, ...headers } }
  return answerOf(await fetch(`${gateway}${path}`, body === undefined ? init : { ...init, body }))
}

const json = { 'content-type': 'application/json' }

function start(key: string, file: object, headers: object = {}, gateway = app.gateway): Promise<Answer> {
  const sent = {
    headers: { ...json, 'x-goog-upload-protocol': 'resumable', ...headers },
    body: JSON.stringify({ file }),
  }
  return send(key, '/upload/v1beta/files', sent, gateway)
}

function uploadPath(started: Answer): string {
  const url = new URL(started.headers.get('x-goog-upload-url') ?? expect.fail(started.text))
  return url.pathname + url.search
}

const whole = { 'x-goog-upload-command': 'upload, finalize', 'x-goog-upload-offset': '0' }

function finish(key: string, path: string, body: string | Buffer, headers: object = whole): Promise<Answer> {
  return send(key, path, { headers: { ...json, ...headers }, body })
}

async function uploaded(key: string, content: string | Buffer, mimeType = 'text/plain'): Promise<string> {
  const answer = await finish(key, uploadPath(await start(key, { mimeType })), content)
  expect([answer.status, answer.headers.get('x-goog-upload-status')], answer.text).toEqual([200, 'final'])
  return answer.body.file.name.replace('files/', '')
}

function asking(fileUri: string, mimeType?: string, videoMetadata?: object): Sent {
  const parts = [{ text: 'What is it? [[tokens=5]]' }, { fileData: { fileUri, mimeType }, videoMetadata }]
  return { headers: json, body: JSON.stringify({ contents: [{ role: 'user', parts }] }) }
}

const generate = '/v1beta/models/acme/gemini:generateContent'

async function quoteOf(key: string, asked: Sent): Promise<Record<string, number>> {
  const answer = await send(key, generate, asked)
  expect(answer.status, answer.text).toBe(200)
  return (await app.api('GET', `/v1/requests/${answer.headers.get('x-request-id')}`)).quote
}

test('the hold of a request covers the size of its file, for every kind of media', async () => {
  const { key } = await newUser()
  const video = await uploaded(key, mp4({ units: 10_000 }), 'video/mp4')
  const tenSeconds = await quoteOf(key, asking(address + video, 'video/mp4'))
  expect(tenSeconds['audioTokensMax']).toBe(11 * 32)
  expect(tenSeconds['textTokensMax']).toBeGreaterThan(11 * 300)
  const fast = await quoteOf(key, asking(`files/${video}`, undefined, { fps: 2 }))
  expect((fast['textTokensMax'] ?? 0) - (tenSeconds['textTokensMax'] ?? 0)).toBeGreaterThan(11 * 300 - 100)

  const wav = Buffer.alloc(44 + 16_000)
  wav.write('RIFF', 0)
  wav.writeUInt32LE(wav.length - 8, 4)
  wav.write('WAVEfmt ', 8)
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(1, 22)
  wav.writeUInt32LE(8_000, 24)
  wav.writeUInt32LE(8_000, 28)
  wav.writeUInt16LE(1, 32)
  wav.writeUInt16LE(8, 34)
  wav.write('data', 36)
  wav.writeUInt32LE(16_000, 40)
  const sound = await quoteOf(key, asking(address + (await uploaded(key, wav, 'audio/wav'))))
  expect(sound['audioTokensMax']).toBeGreaterThanOrEqual(2 * 32)
  expect(sound['audioTokensMax']).toBeLessThan(4 * 32)

  const png = Buffer.alloc(60_000)
  png.write('\x89PNG\r\n\x1a\n', 'latin1')
  png.writeUInt32BE(13, 8)
  png.write('IHDR', 12, 'latin1')
  png.writeUInt32BE(512, 16)
  png.writeUInt32BE(512, 20)
  png.writeUInt8(8, 24)
  png.writeUInt8(2, 25)
  const image = await quoteOf(key, asking(address + (await uploaded(key, png, 'image/png'))))
  expect(image['imageTokensMax']).toBeGreaterThanOrEqual(1_120)
  expect(image['imageTokensMax']).toBeLessThan(5_000)

  const unknown = await uploaded(key, 'no video', 'video/mp4')
  const window = await quoteOf(key, asking(address + unknown))
  expect((window['textTokensMax'] ?? 0) + (window['audioTokensMax'] ?? 0)).toBeGreaterThanOrEqual(1_000_000)
})

test('a file that was uploaded as a document cannot be used as a video', async () => {
  const { key } = await newUser()
  const id = await uploaded(key, 'Hello')
  expect((await send(key, generate, asking(address + id, 'application/pdf'))).status).toBe(200)
  const calls = vendor.calls.length
  const answer = await send(key, generate, asking(address + id, 'video/mp4'))
  expect([answer.status, answer.body.error.message]).toEqual([
    400,
    expect.stringMatching(/uploaded as document/),
  ])
  expect(vendor.calls).toHaveLength(calls)
})

test.each([
  ['without a protocol', { 'x-goog-upload-protocol': 'multipart' }, { mimeType: 'text/plain' }, /protocol/],
  ['without a media type', {}, {}, /mimeType/],
  ['with a media type that ends a header', {}, { mimeType: 'a/b\r\nx: y' }, /mimeType/],
  ['with a name', {}, { mimeType: 'text/plain', name: 'files/mine' }, /chooses the name/],
  ['with a long name', {}, { mimeType: 'text/plain', displayName: 'x'.repeat(257) }, /256 characters/],
])('an upload %s is rejected', async (_, headers, file, reason) => {
  const { key } = await newUser()
  const answer = await start(key, file, headers)
  expect([answer.status, answer.body.error.message]).toEqual([400, expect.stringMatching(reason)])
})

test('a request with a deleted file returns 400, and other end users can still use the model', async () => {
  const { key } = await newUser()
  const other = await newUser()
  const id = await uploaded(key, 'Some text.')
  await quoteOf(key, asking(address + id, 'text/plain'))
  const [, providerId = ''] = /v1beta\/files\/(\w+)/.exec(vendor.calls.at(-1)?.text ?? '') ?? []
  const deleted = await fetch(`${vendor.baseUrls.google}/v1beta/files/${providerId}`, {
    method: 'DELETE',
    headers: { ...json, 'x-goog-api-key': vendor.apiKey },
  })
  expect(deleted.status).toBe(200)
  const plain = { headers: json, body: JSON.stringify({ contents: [{ parts: [{ text: 'Hi' }] }] }) }
  for (const path of [generate, generate, '/v1beta/models/acme/gemini:countTokens']) {
    const { body, status } = await send(key, path, asking(address + id, 'text/plain'))
    expect([status, body.error.message]).toEqual([
      400,
      expect.stringMatching(/returned 403, probably because it cannot use a file in the request/),
    ])
    expect((await send(other.key, generate, plain)).status).toBe(200)
  }
  const { body, status } = await send(key, `/v1beta/files/${id}`)
  expect([status, body.error.details[0].reason]).toEqual([404, 'file_not_found'])
  // The provider no longer has the file, so the deletion counts as complete and is not tried again.
  const from = vendor.calls.length
  const countOf = (found: string): number =>
    vendor.calls.slice(from).filter((call) => `${call.status} ${call.path}`.startsWith(found)).length
  const triesAfter = async (deletedFiles: number): Promise<number> => {
    const owner = await newUser()
    await uploaded(owner.key, 'Hello')
    await app.api('DELETE', `/v1/end-users/${encodeURIComponent(owner.externalId)}`)
    await expect.poll(() => countOf('200 /v1beta/files/')).toBe(deletedFiles)
    return countOf(`403 /v1beta/files/${providerId}`)
  }
  expect((await send(key, `/v1beta/files/${id}`, { method: 'DELETE' })).status).toBe(200)
  const tries = await triesAfter(1)
  expect(tries).toBeGreaterThan(0)
  expect(await triesAfter(2)).toBe(tries)
})

test('an upload is rejected if its command lacks finalize, if it has an offset, or if it exceeds a limit', async () => {
  const { key } = await newUser()
  const path = uploadPath(await start(key, { mimeType: 'text/plain' }))
  for (const headers of [
    { ...whole, 'x-goog-upload-command': 'upload' },
    { ...whole, 'x-goog-upload-offset': '5' },
  ])
    expect((await finish(key, path, 'Hello', headers)).status).toBe(400)
  const large = { 'x-goog-upload-header-content-length': String(2 ** 40) }
  expect((await start(key, { mimeType: 'text/plain' }, large)).status).toBe(413)
  const tooMany = await finish(key, path, 'x'.repeat(400_001))
  expect([tooMany.status, tooMany.body.error.message]).toEqual([
    403,
    expect.stringMatching(/can have at most 6 files/),
  ])
  expect((await send(key, '/v1beta/files')).body).toEqual({})
})

test('the list of files has pages, and a request for an unknown page is rejected', async () => {
  const { key } = await newUser()
  const ids = [await uploaded(key, 'One'), await uploaded(key, 'Two'), await uploaded(key, 'Three')]
  const first = (await send(key, '/v1beta/files?pageSize=2')).body
  expect(first.files.map(({ name }: { name: string }) => name)).toEqual([
    `files/${ids[2]}`,
    `files/${ids[1]}`,
  ])
  const second = (await send(key, `/v1beta/files?pageSize=2&pageToken=${first.nextPageToken}`)).body
  expect(second.files).toMatchObject([{ name: `files/${ids[0]}`, sizeBytes: '3', uri: address + ids[0] }])
  expect(second.nextPageToken).toBeUndefined()
  expect((await send(key, '/v1beta/files?pageSize=101')).status).toBe(400)
  expect((await send(key, '/v1beta/files?pageToken=x')).status).toBe(404)
  expect((await send(key, `/v1beta/files/${ids[0]}`, { method: 'POST', body: '' })).status).toBe(405)
})

test('a header selects the account if several accounts store files', async () => {
  const second = await makeApplication(server)
  await connectAccount(second, 'one', { ...accountOf(), model: 'gemini-3-pro' })
  await connectAccount(second, 'two', { ...accountOf(), model: 'gemini-3-pro' })
  const { key } = await second.newUser({ balanceMicros: 1_000_000_000n })
  const file = { mimeType: 'text/plain' }
  const unclear = await start(key, file, {}, second.gateway)
  expect([unclear.status, unclear.body.error.message]).toEqual([400, expect.stringMatching(/x-svc-model/)])
  const path = uploadPath(await start(key, file, { 'x-svc-model': 'acme/two' }, second.gateway))
  const sent = { headers: { ...json, ...whole }, body: 'Hello' }
  const { uri } = (await send(key, path, sent, second.gateway)).body.file
  const use = (model: string): Promise<Answer> =>
    send(key, `/v1beta/models/${model}:generateContent`, asking(uri), second.gateway)
  expect((await use('acme/two')).status).toBe(200)
  expect((await use('acme/one')).status).toBe(400)
  const converted = await use(second.model)
  expect([converted.status, converted.body.error.message]).toEqual([
    400,
    expect.stringMatching(/another account/),
  ])
  await second.provider.close()
})

const uses: Readonly<Record<string, (key: string, id: string, gateway: string) => Promise<Answer>>> = {
  show: (key, id, gateway) => send(key, `/v1beta/files/${id}`, {}, gateway),
  delete: (key, id, gateway) => send(key, `/v1beta/files/${id}`, { method: 'DELETE' }, gateway),
  page: (key, id, gateway) => send(key, `/v1beta/files?pageToken=${id}`, {}, gateway),
  address: (key, id, gateway) => send(key, generate, asking(address + id), gateway),
  name: (key, id, gateway) => send(key, generate, asking(`files/${id}`, 'text/plain'), gateway),
  count: (key, id, gateway) =>
    send(key, '/v1beta/models/acme/gemini:countTokens', asking(address + id), gateway),
  upload: (key, id, gateway) =>
    send(
      key,
      `/upload/v1beta/files?upload_id=${id}`,
      { headers: { ...json, ...whole }, body: 'Hi' },
      gateway,
    ),
}

test('only the owner of a file or an upload can use it, and every other attempt gets the error of an unknown ID', async () => {
  const [owner, other] = await Promise.all([newUser(), newUser()])
  const foreign = await makeApplication(server)
  const outsider = await foreign.newUser({ balanceMicros: 1_000_000n })
  const keys = { owner: owner.key, other: other.key, foreign: outsider.key, test: await testKeyOf(app) }
  const file = await uploaded(owner.key, 'Hello')
  const upload = new URLSearchParams(
    uploadPath(await start(owner.key, { mimeType: 'text/plain' })).split('?')[1],
  )
  const uploadId = upload.get('upload_id') ?? expect.fail()
  const withoutId = ({ status, text }: Answer): string =>
    `${status} ${text.replaceAll(/req_[0-9a-z]+/g, 'req')}`
  const unknown = new Map<string, string>()
  for (const [way, use] of Object.entries(uses)) {
    const answer = await use(owner.key, 'abcdef012345', app.gateway)
    expect(answer.status, answer.text).toBe(404)
    unknown.set(way, withoutId(answer))
  }
  const asked = vendor.calls.length
  const attempt = fc.record({
    at: fc.nat(),
    as: fc.constantFrom('owner', 'other', 'foreign', 'test'),
    way: fc.constantFrom(...Object.keys(uses)),
    character: fc.constantFrom('0', 'a', 'f', 'A', 'g', '-', ''),
    forgery: fc.constantFrom('changed', 'vendors', 'otherPurpose'),
  })
  await fc.assert(
    fc.asyncProperty(attempt, async ({ as, at, character, forgery, way }) => {
      const id = way === 'upload' ? uploadId : file
      const place = at % id.length
      const changed = id.slice(0, place) + character + id.slice(place + 1)
      const forged = {
        changed: changed === id ? 'abc' : changed,
        vendors: `vendor${at % 40}`,
        otherPurpose: way === 'upload' ? file : uploadId,
      }
      const gateway = as === 'foreign' ? foreign.gateway : app.gateway
      const answer = await uses[way]?.(keys[as], as === 'owner' ? forged[forgery] : id, gateway)
      expect(answer && withoutId(answer)).toBe(unknown.get(way))
    }),
    sampledRuns(1_000),
  )
  expect(vendor.calls).toHaveLength(asked)
  expect((await send(owner.key, `/v1beta/files/${file}`)).status).toBe(200)
  await foreign.provider.close()
}, 120_000)

test('the files of a deleted end user are deleted at the provider', async () => {
  const owner = await newUser()
  await uploaded(owner.key, 'Hello')
  const from = vendor.calls.length
  await app.api('DELETE', `/v1/end-users/${encodeURIComponent(owner.externalId)}`)
  await expect
    .poll(() => vendor.calls.slice(from).map(({ path, status }) => `${status} ${path}`))
    .toEqual([expect.stringMatching(/^200 \/v1beta\/files\/vendor\d+$/)])
})

test('a page of an allowed origin uploads a file and deletes it, with the checks that a browser makes', async () => {
  const { key } = await newUser()
  const page = 'https://app.example.com'
  await app.api('PATCH', '/v1/gateway', { origins: [page] })

  /** Sends a preflight first, and reads only exposed headers, like a page in a browser. */
  async function fromPage(
    url: string,
    init: RequestInit & { headers: Record<string, string> },
  ): Promise<Response> {
    const names = Object.keys(init.headers).join(',')
    const asked = await fetch(url, {
      method: 'OPTIONS',
      headers: {
        origin: page,
        'access-control-request-method': init.method ?? 'GET',
        'access-control-request-headers': names,
      },
    })
    expect([asked.status, asked.headers.get('access-control-allow-origin')]).toEqual([204, page])
    expect(asked.headers.get('access-control-allow-methods')?.split(', ')).toContain(init.method)
    expect(asked.headers.get('access-control-allow-headers')).toBe(names)
    const answer = await fetch(url, { ...init, headers: Object.assign({ origin: page }, init.headers) })
    expect(answer.headers.get('access-control-allow-origin')).toBe(page)
    return answer
  }
  const readable = (answer: Response, name: string): string =>
    answer.headers.get('access-control-expose-headers')?.split(', ').includes(name) === true
      ? (answer.headers.get(name) ?? '')
      : expect.fail(`a page cannot read ${name}`)

  const started = await fromPage(`${app.gateway}/upload/v1beta/files`, {
    method: 'POST',
    headers: {
      'x-goog-api-key': key,
      ...json,
      'x-goog-upload-protocol': 'resumable',
      'x-goog-upload-command': 'start',
      'x-goog-upload-header-content-length': '5',
      'x-goog-upload-header-content-type': 'text/plain',
    },
    body: JSON.stringify({ file: { mimeType: 'text/plain' } }),
  })
  const url = readable(started, 'x-goog-upload-url')
  expect(new URL(url).origin).toBe(new URL(app.gateway).origin)
  const finished = await fromPage(url, {
    method: 'POST',
    headers: { 'x-goog-api-key': key, ...whole },
    body: 'Hello',
  })
  expect([finished.status, readable(finished, 'x-goog-upload-status')]).toEqual([200, 'final'])
  const { file } = (await finished.json()) as { file: { name: string } }
  const deleted = await fromPage(`${app.gateway}/v1beta/${file.name}`, {
    method: 'DELETE',
    headers: { 'x-goog-api-key': key },
  })
  expect(deleted.status).toBe(200)
  await app.api('PATCH', '/v1/gateway', { origins: [] })
})

test('a frozen end user cannot start an upload', async () => {
  const owner = await newUser()
  await app.api('POST', `/v1/end-users/${encodeURIComponent(owner.externalId)}/freeze`, { reason: 'abuse' })
  const answer = await start(owner.key, { mimeType: 'text/plain' })
  expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('frozen')])
})

test('every upload that starts can be finished, and a name with too many bytes is rejected at the start', async () => {
  const { key } = await newUser()
  const long = await start(key, { mimeType: 'text/plain', displayName: '界'.repeat(256) })
  expect((await finish(key, uploadPath(long), 'Hello')).status).toBe(200)
  const tooLong = await start(key, { mimeType: 'text/plain', displayName: '\u0001'.repeat(256) })
  expect([tooLong.status, tooLong.text]).toEqual([400, expect.stringContaining('bytes')])
})
