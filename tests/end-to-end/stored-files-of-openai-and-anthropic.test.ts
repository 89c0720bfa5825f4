import OpenAI, { toFile } from 'openai'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newDataFolder } from '../support/data-folder.ts'
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
let user: User

const price = { input: '1000000', cacheWrite: '1000000', cacheWriteLong: '1000000', output: '1000000' }
const limits = { files: { filesMax: 6, fileBytesMax: 400_000 }, filesEveryMs: 50 }

beforeAll(async () => {
  server = await startServer({ limits })
  app = await makeApplication(server)
  vendor = await startVendor()
  const openai = { kind: 'openai', baseUrl: vendor.baseUrls.openai, apiKey: vendor.apiKey, price }
  await connectAccount(app, 'openai', { ...openai, model: 'gpt-5.4' })
  const anthropic = { kind: 'anthropic', baseUrl: vendor.baseUrls.anthropic, apiKey: vendor.apiKey, price }
  await connectAccount(app, 'claude', { ...anthropic, model: 'claude-sonnet-4-5' })
  user = await app.newUser({ balanceMicros: 100_000_000n })
})
afterAll(async () => {
  await app.provider.close()
  await vendor.close()
  await server.close()
})

const newUser = (): Promise<User> => app.newUser({ balanceMicros: 100_000_000n })

function openaiOf(key: string, gateway = app.gateway): OpenAI {
  return new OpenAI({ apiKey: key, baseURL: `${gateway}/v1`, maxRetries: 0 })
}

const words = 'The invoice is due in March. '.repeat(400)

async function uploaded(key: string, content = words, name = 'notes.txt'): Promise<OpenAI.FileObject> {
  return openaiOf(key).files.create({ file: await toFile(Buffer.from(content), name), purpose: 'user_data' })
}

async function respond(body: object, key = user.key, gateway = app.gateway): Promise<Answer> {
  const response = await fetch(`${gateway}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'acme/openai', ...body }),
  })
  return answerOf(response)
}

function using(file_id: string, more: object = {}): object {
  const content = [
    { type: 'input_file', file_id },
    { type: 'input_text', text: 'When is it due? [[tokens=5]]' },
  ]
  return { input: [{ role: 'user', content }], ...more }
}

async function chargeOf(owner: User, work: () => Promise<unknown>): Promise<bigint> {
  const before = (await owner.balance()).balanceMicros
  await work()
  return before - (await owner.balance()).balanceMicros
}

test('the official OpenAI client uploads a file, uses it in both wires, and lists and deletes it', async () => {
  const client = openaiOf(user.key)
  const uploads = await chargeOf(user, async () => {
    const file = await uploaded(user.key)
    expect(file).toMatchObject({ object: 'file', bytes: words.length, filename: 'notes.txt' })
    expect(file).toMatchObject({ purpose: 'user_data', status: 'processed' })
    expect(file.id).toMatch(/^file-/)
  })
  expect(uploads).toBe(0n)
  const [file] = (await client.files.list()).data
  if (file === undefined) throw new Error('the list is empty')

  let response: OpenAI.Responses.Response | null = null
  const charged = await chargeOf(user, async () => {
    response = await client.responses.create({ model: 'acme/openai', ...using(file.id) })
  })
  const used = (response as OpenAI.Responses.Response | null)?.usage
  expect(used?.input_tokens).toBeGreaterThan(2_000)
  expect(charged).toBe(BigInt((used?.input_tokens ?? 0) + (used?.output_tokens ?? 0)))
  const sent = vendor.calls.at(-1)
  expect(sent?.text).toMatch(/"file_id":"file-vendor\d+"/)
  const [record] = await user.requests()
  const { quote } = await app.api('GET', `/v1/requests/${record.id}`)
  expect(quote.textTokensMax).toBeGreaterThanOrEqual(used?.input_tokens ?? 0)
  expect(quote.textTokensMax).toBeLessThan(words.length + 1_000)

  let tokens = 0
  const charged2 = await chargeOf(user, async () => {
    const { usage } = await client.chat.completions.create({
      model: 'acme/openai',
      messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: file.id } }] }],
    })
    tokens = usage?.total_tokens ?? 0
  })
  expect(tokens).toBeGreaterThan(2_000)
  expect(charged2).toBe(BigInt(tokens))

  expect(await client.files.retrieve(file.id)).toEqual(file)
  expect(await (await client.files.content(file.id)).text()).toBe(words)
  expect(await client.files.delete(file.id)).toEqual({ id: file.id, object: 'file', deleted: true })
  expect((await client.files.list()).data).toEqual([])
  await expect(client.files.retrieve(file.id)).rejects.toMatchObject({ status: 404, code: 'file_not_found' })
  expect(vendor.calls.at(-1)).toMatchObject({ path: expect.stringMatching(/^\/v1\/files\/file-vendor\d+$/) })
  expect((await respond(using(file.id))).status).toBe(400)
})

test('the hold of a request covers the pages of a PDF and the pixels of an image, not their bytes', async () => {
  const owner = await newUser()
  const page = (at: number): string => `${at} 0 obj <</Type /Page /Parent 2 0 R>> endobj\n`
  const tree = `1 0 obj <</Type /Catalog /Pages 2 0 R>> endobj\n2 0 obj <</Type /Pages /Kids [3 0 R 4 0 R] /Count 2>> endobj\n`
  const pdf = `%PDF-1.4\n${tree}${page(3)}${page(4)}% ${'x'.repeat(100_000)}\ntrailer <</Root 1 0 R>>\n%%EOF`
  const png = Buffer.alloc(60_000)
  png.write('\x89PNG\r\n\x1a\n', 'latin1')
  png.writeUInt32BE(13, 8)
  png.write('IHDR', 12, 'latin1')
  png.writeUInt32BE(1024, 16)
  png.writeUInt32BE(1024, 20)
  png.writeUInt8(8, 24)
  png.writeUInt8(2, 25)
  const client = openaiOf(owner.key)
  const document = await uploaded(owner.key, pdf, 'two-pages.pdf')
  const image = await client.files.create({ file: await toFile(png, 'a.png'), purpose: 'vision' })
  const quoteOf = async (content: object[]): Promise<Record<string, number>> => {
    const answer = await respond({ input: [{ role: 'user', content }] }, owner.key)
    expect(answer.status, answer.text).toBe(200)
    const [record] = await owner.requests()
    return (await app.api('GET', `/v1/requests/${record.id}`)).quote
  }
  const ofPdf = await quoteOf([{ type: 'input_file', file_id: document.id }])
  expect(ofPdf['textTokensMax']).toBeGreaterThan(2 * 7_800)
  expect(ofPdf['textTokensMax']).toBeLessThan(2 * 7_800 + 1_000)
  const ofImage = await quoteOf([{ type: 'input_image', file_id: image.id }])
  // 1,024 patches of 32 pixels, times 2.46 (docs/reference/tokens.md "Images").
  expect(ofImage['imageTokensMax']).toBe(Math.ceil(1_024 * 2.46))
})

type Use = (id: string) => { readonly method: string; readonly path: string; readonly body?: object }

const turn = (content: object): object[] => [{ role: 'user', content: [content] }]
const onFiles: Readonly<Record<string, Use>> = {
  show: (id) => ({ method: 'GET', path: `/v1/files/${id}` }),
  delete: (id) => ({ method: 'DELETE', path: `/v1/files/${id}` }),
  content: (id) => ({ method: 'GET', path: `/v1/files/${id}/content` }),
}
const claude = { model: 'acme/claude', max_tokens: 9 }
const gpt = { model: 'acme/openai' }
const documentBy = (file_id: string): object => ({ type: 'document', source: { type: 'file', file_id } })
const post = (path: string, body: object): ReturnType<Use> => ({ method: 'POST', path, body })
const uses: Readonly<Record<'openai' | 'anthropic', Readonly<Record<string, Use>>>> = {
  openai: {
    ...onFiles,
    list: (id) => ({ method: 'GET', path: `/v1/files?after=${id}` }),
    responses: (file_id) => post('/v1/responses', { ...gpt, input: turn({ type: 'input_file', file_id }) }),
    image: (file_id) => post('/v1/responses', { ...gpt, input: turn({ type: 'input_image', file_id }) }),
    compact: (file_id) =>
      post('/v1/responses/compact', { ...gpt, input: turn({ type: 'input_file', file_id }) }),
    count: (file_id) =>
      post('/v1/responses/input_tokens', { ...gpt, input: turn({ type: 'input_file', file_id }) }),
    chat: (file_id) =>
      post('/v1/chat/completions', { ...gpt, messages: turn({ type: 'file', file: { file_id } }) }),
  },
  anthropic: {
    ...onFiles,
    list: (id) => ({ method: 'GET', path: `/v1/files?after_id=${id}` }),
    listBefore: (id) => ({ method: 'GET', path: `/v1/files?before_id=${id}` }),
    messages: (id) => post('/v1/messages', { ...claude, messages: turn(documentBy(id)) }),
    image: (file_id) =>
      post('/v1/messages', {
        ...claude,
        messages: turn({ type: 'image', source: { type: 'file', file_id } }),
      }),
    count: (id) => post('/v1/messages/count_tokens', { model: claude.model, messages: turn(documentBy(id)) }),
  },
}

test('only the owner of a file can use its ID, and every other attempt gets the error of an unknown ID', async () => {
  const [owner, other] = await Promise.all([newUser(), newUser()])
  const foreign = await makeApplication(server)
  const outsider = await foreign.newUser({ balanceMicros: 1_000_000n })
  const keys = { owner: owner.key, other: other.key, foreign: outsider.key, test: await testKeyOf(app) }
  const headersOf = (format: string, key: string): Record<string, string> =>
    format === 'openai'
      ? { authorization: `Bearer ${key}` }
      : { 'x-api-key': key, 'anthropic-version': '2023-06-01' }
  const send = async (format: string, use: ReturnType<Use>, as: keyof typeof keys): Promise<Answer> => {
    const { body, method, path } = use
    const gateway = as === 'foreign' ? foreign.gateway : app.gateway
    const headers = { ...headersOf(format, keys[as]), ...(body && { 'content-type': 'application/json' }) }
    return answerOf(
      await fetch(`${gateway}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) }),
    )
  }
  const form = new FormData()
  form.append('file', new Blob(['Hello']), 'a.txt')
  const headers = headersOf('anthropic', owner.key)
  const sent = await fetch(`${app.gateway}/v1/files`, { method: 'POST', headers, body: form })
  const ids = { openai: (await uploaded(owner.key, 'Hello')).id, anthropic: (await answerOf(sent)).body.id }

  const withoutId = ({ status, text }: Answer): string =>
    `${status} ${text.replaceAll(/req_[0-9a-z]+/g, 'req')}`
  const attempts = Object.entries(uses).flatMap(([format, ways]) =>
    Object.keys(ways).map((way) => ({ format: format as 'openai' | 'anthropic', way })),
  )
  const unknown = new Map<string, string>()
  for (const { format, way } of attempts) {
    const answer = await send(format, uses[format][way]?.('file-unknown') ?? expect.fail(), 'owner')
    expect(answer.status, answer.text).toBe(404)
    unknown.set(`${format} ${way}`, withoutId(answer))
  }
  const asked = vendor.calls.length
  const attempt = fc.record({
    at: fc.nat(),
    as: fc.constantFrom('owner', 'other', 'foreign', 'test'),
    how: fc.constantFrom(...attempts),
    character: fc.constantFrom('A', 'b', '0', '-', '_', ''),
    forgery: fc.constantFrom('changed', 'vendors', 'otherFormat'),
  })
  await fc.assert(
    fc.asyncProperty(attempt, async ({ as, at, character, forgery, how: { format, way } }) => {
      const id = ids[format]
      const place = 5 + (at % (id.length - 5))
      const changed = id.slice(0, place) + character + id.slice(place + 1)
      const forged = {
        changed: changed === id ? 'file-x' : changed,
        vendors: vendorsIds[at % vendorsIds.length] ?? '',
        otherFormat: format === 'openai' ? ids.anthropic : ids.openai,
      }
      const used = as === 'owner' ? forged[forgery] : id
      const answer = await send(format, uses[format][way]?.(used) ?? expect.fail(), as)
      expect(withoutId(answer)).toBe(unknown.get(`${format} ${way}`))
    }),
    sampledRuns(1_000),
  )
  expect(vendor.calls).toHaveLength(asked)
  for (const format of ['openai', 'anthropic'] as const)
    expect((await send(format, onFiles['show']?.(ids[format]) ?? expect.fail(), 'owner')).status).toBe(200)
}, 120_000)

/** The vendor's own file IDs have not been shown to any end user. */
const vendorsIds = Array.from({ length: 40 }, (_, at) => `file${at % 2 === 0 ? '-' : '_'}vendor${at >> 1}`)

test('an end user has at most the allowed number and bytes of files, even with concurrent uploads', async () => {
  const owner = await newUser()
  const results = await Promise.allSettled(Array.from({ length: 10 }, () => uploaded(owner.key, 'Hello')))
  const failures = results.filter((one) => one.status === 'rejected')
  expect(failures).toHaveLength(4)
  for (const { reason } of failures) expect(reason).toMatchObject({ status: 403, code: 'file_limit_reached' })
  const files = (await openaiOf(owner.key).files.list()).data
  expect(files).toHaveLength(6)
  for (const { id } of files.slice(1)) await openaiOf(owner.key).files.delete(id)
  await expect(uploaded(owner.key, 'x'.repeat(400_000))).rejects.toMatchObject({ code: 'file_limit_reached' })
  await uploaded(owner.key, 'x'.repeat(399_995))

  await app.api('PATCH', '/v1/gateway', { filesMax: 3, fileBytesMax: 400_100 })
  await uploaded(owner.key, 'x'.repeat(100))
  await expect(uploaded(owner.key, '')).rejects.toMatchObject({ code: 'file_limit_reached' })
  await app.api('PATCH', '/v1/gateway', { filesMax: null, fileBytesMax: null })
})

test('the files of a deleted end user are deleted at the provider, even after the provider has failed', async () => {
  const owner = await newUser()
  await uploaded(owner.key, 'Hello')
  const from = vendor.calls.length
  const deletions = (): readonly number[] => vendor.calls.slice(from).map(({ status }) => status)
  await app.api('POST', '/v1/providers/openai/rotate', { apiKey: 'wrong-key' })
  await app.api('DELETE', `/v1/end-users/${encodeURIComponent(owner.externalId)}`)
  await expect.poll(deletions).toContain(401)
  await app.api('POST', '/v1/providers/openai/rotate', { apiKey: vendor.apiKey })
  await expect.poll(() => deletions().at(-1)).toBe(200)
  expect(vendor.calls.at(-1)).toMatchObject({ path: expect.stringMatching(/^\/v1\/files\/file-vendor\d+$/) })
})

test('a server deletes the files whose deletion an earlier process had not completed', async () => {
  const folder = newDataFolder('files')
  const first = await startServer({ folder, limits: { ...limits, filesEveryMs: 3_600_000 } })
  const own = await makeApplication(first)
  await connectAccount(own, 'openai', {
    kind: 'openai',
    baseUrl: vendor.baseUrls.openai,
    apiKey: vendor.apiKey,
    model: 'gpt-5.4',
    price,
  })
  const owner = await own.newUser({ balanceMicros: 1_000_000n })
  const client = openaiOf(owner.key, own.gateway)
  await client.files.create({ file: await toFile(Buffer.from('Hello'), 'a.txt'), purpose: 'user_data' })
  const from = vendor.calls.length
  await own.api('DELETE', `/v1/end-users/${encodeURIComponent(owner.externalId)}`)
  await first.close()
  expect(vendor.calls).toHaveLength(from)
  const again = await startServer({ folder, limits, token: first.token })
  await expect.poll(() => vendor.calls.slice(from).map(({ status }) => status)).toEqual([200])
  await own.provider.close()
  await again.close()
})

test('a file is used only at the account that stores it', async () => {
  const openai = { kind: 'openai', baseUrl: vendor.baseUrls.openai, apiKey: vendor.apiKey, price }
  const second = await makeApplication(server)
  await connectAccount(second, 'one', { ...openai, model: 'gpt-5.4' })
  await connectAccount(second, 'two', { ...openai, model: 'gpt-5.4' })
  const owner = await second.newUser({ balanceMicros: 1_000_000n })
  const client = openaiOf(owner.key, second.gateway)
  const file = await toFile(Buffer.from('Hello'), 'a.txt')
  await expect(client.files.create({ file, purpose: 'user_data' })).rejects.toMatchObject({
    code: 'invalid_request',
    param: 'model',
  })
  const named = { file, purpose: 'user_data', model: 'acme/two' } as const
  const { id } = await client.files.create(named)
  expect(vendor.calls.at(-1)?.text).not.toContain('acme/two')
  const wrong = await respond(using(id, { model: 'acme/one' }), owner.key, second.gateway)
  expect(wrong.body.error).toMatchObject({ code: 'unsupported_for_route', param: 'file_id' })
  const right = await respond(using(id, { model: 'acme/two' }), owner.key, second.gateway)
  expect(right.status, right.text).toBe(200)
})

test('a frozen end user can list and delete files, but cannot upload a file', async () => {
  const owner = await newUser()
  const { id } = await uploaded(owner.key, 'Hello')
  await app.api('POST', `/v1/end-users/${encodeURIComponent(owner.externalId)}/freeze`, { reason: 'abuse' })
  await expect(uploaded(owner.key, 'Hello')).rejects.toMatchObject({ status: 403, code: 'end_user_frozen' })
  expect((await openaiOf(owner.key).files.list()).data.map((file) => file.id)).toEqual([id])
  await openaiOf(owner.key).files.delete(id)
})

test.each([
  ['another purpose', { purpose: 'fine-tune' }, 'invalid_request', 'purpose'],
  ['no purpose', {}, 'invalid_request', 'purpose'],
  ['an unknown model name', { purpose: 'user_data', model: 'acme/none' }, 'model_not_found', 'model'],
  ['a model without files', { purpose: 'user_data', model: 'acme/claude' }, 'unsupported_for_route', 'model'],
])('an upload with %s is rejected and not sent', async (_, fields, code, param) => {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', new Blob(['Hello']), 'a.txt')
  const asked = vendor.calls.length
  const headers = { authorization: `Bearer ${user.key}` }
  const answer = await answerOf(
    await fetch(`${app.gateway}/v1/files`, { method: 'POST', headers, body: form }),
  )
  expect(answer.body.error).toMatchObject({ code, param })
  // The deletion of an earlier test may reach the vendor during this test.
  expect(vendor.calls.slice(asked).filter(({ text }) => text.includes('Hello'))).toEqual([])
})

test('the error for an upload with an unsupported purpose lists the supported purposes', async () => {
  const file = await toFile(Buffer.from('{}'), 'a.jsonl')
  const message =
    'The field purpose must be one of user_data, assistants, vision, batch, because files are stored only for use in requests and batches.'
  await expect(openaiOf(user.key).files.create({ file, purpose: 'fine-tune' })).rejects.toMatchObject({
    status: 400,
    error: { message },
  })
})

test('the simulator also stores files in test mode', async () => {
  const key = await testKeyOf(app)
  const file = await uploaded(key)
  const answer = await respond(using(file.id), key)
  expect(answer.status, answer.text).toBe(200)
  expect(answer.body.usage.input_tokens).toBeGreaterThan(2_000)
  expect((await openaiOf(key).files.list()).data).toEqual([file])
  await openaiOf(key).files.delete(file.id)
  expect((await openaiOf(key).files.list()).data).toEqual([])
})

test('a file with an invalid media type is stored as application/octet-stream', async () => {
  const owner = await newUser()
  const headers = {
    'x-api-key': owner.key,
    'anthropic-version': '2023-06-01',
    'anthropic-beta': 'files-api-2025-04-14',
  }
  for (const type of ['batch_output', 'cached_content', 'conversation']) {
    const form = new FormData()
    form.append('file', new Blob(['Hello'], { type }), 'a.txt')
    // oxlint-disable-next-line no-await-in-loop -- one upload after another
    const answer = await answerOf(
      // oxlint-disable-next-line no-await-in-loop -- one upload after another
      await fetch(`${app.gateway}/v1/files`, { method: 'POST', headers, body: form }),
    )
    expect([answer.status, answer.body.mime_type], answer.text).toEqual([200, 'application/octet-stream'])
  }
})
