/** Requests are in an uploaded file, and results in files that only their owner can read. */
import OpenAI, { toFile } from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { gatewayLimits } from '#gateway/call/dependencies-of-gateway.ts'
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

const price = { input: '1000000', cacheWrite: '1000000', output: '1000000' }
const credit = 10_000_000n

let server: LocalServer
let app: Application
let vendor: Vendor
let user: User
let client: OpenAI
/** The amount that the end user held when the vendor was last asked to create a batch. */
let heldAtCreation = 0n

beforeAll(async () => {
  server = await startServer({
    limits: { background: { ...gatewayLimits.background, firstMs: 20, maxMs: 50 }, filesEveryMs: 50 },
  })
  app = await makeApplication(server)
  vendor = await startVendor({
    async onAsked({ path }) {
      if (path === '/v1/batches') heldAtCreation = (await user.balance()).reservedMicros
    },
  })
  await connectOpenai(app)
  await app.api('POST', '/v1/providers/openai/price', {
    model: 'text-embedding-3-small',
    price: { input: '1000000' },
  })
  await app.api('PUT', `/v1/models/${encodeURIComponent('acme/vectors')}`, {
    sources: [{ provider: 'openai', model: 'text-embedding-3-small' }],
  })
})
afterAll(async () => {
  await app.provider.close()
  await vendor.close()
  await server.close()
})

async function connectOpenai(to: Application): Promise<void> {
  const account = { kind: 'openai', baseUrl: vendor.baseUrls.openai, apiKey: vendor.apiKey, price }
  await connectAccount(to, 'openai', { ...account, model: 'gpt-5.4' })
}

function clientOf(apiKey: string): OpenAI {
  return new OpenAI({ apiKey, baseURL: `${app.gateway}/v1`, maxRetries: 0 })
}

async function newUser(balanceMicros = credit): Promise<void> {
  user = await app.newUser({ balanceMicros })
  client = clientOf(user.key)
}

type Endpoint = '/v1/chat/completions' | '/v1/responses' | '/v1/embeddings'

function lineOf(endpoint: Endpoint, custom_id: string, body: object): string {
  return JSON.stringify({ custom_id, method: 'POST', url: endpoint, body })
}

const chat = '/v1/chat/completions'

function chatLine(name: string, content: string, more: object = {}): string {
  const messages = [{ role: 'user', content }]
  return lineOf(chat, name, { model: 'acme/openai', max_completion_tokens: 100, messages, ...more })
}

async function upload(lines: readonly string[], of = client): Promise<string> {
  const file = await toFile(Buffer.from(lines.join('\n')), 'input.jsonl')
  return (await of.files.create({ file, purpose: 'batch' })).id
}

async function create(lines: readonly string[], endpoint: Endpoint = chat, of = client) {
  const input_file_id = await upload(lines, of)
  return of.batches.create({
    input_file_id,
    endpoint,
    completion_window: '24h',
    metadata: { job: 'nightly' },
  })
}

async function ended(id: string, of = client): Promise<OpenAI.Batch> {
  return eventually(async () => {
    const batch = await of.batches.retrieve(id)
    expect(batch.status).not.toBe('in_progress')
    return batch
  })
}

// oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
async function linesOf(file: string | null | undefined, of = client): Promise<readonly any[]> {
  if (typeof file !== 'string') return []
  const text = await (await of.files.content(file)).text()
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

async function spent(from = credit): Promise<bigint> {
  const { balanceMicros, reservedMicros } = await user.balance()
  expect(reservedMicros).toBe(0n)
  return from - balanceMicros
}

test('the official client uploads requests, creates a batch, polls it, and reads charged results', async () => {
  await newUser()
  const batch = await create([
    chatLine('one', 'Hi [[tokens=7 delay=10ms]]'),
    '',
    chatLine('zwei "2"', 'Grüße [[tokens=30]]'),
    chatLine('three', '[[fail=429]]'),
  ])
  expect(batch).toMatchObject({
    object: 'batch',
    status: 'in_progress',
    endpoint: chat,
    metadata: { job: 'nightly' },
  })
  expect(batch.id).toMatch(/^batch_[\w-]{60,}$/)
  expect(heldAtCreation).toBeGreaterThan(300n)
  const sent = vendor.calls.findLast(({ text }) => text.includes('requests.jsonl'))
  expect(sent?.text).toContain('"model":"gpt-5.4"')
  expect(sent?.text).not.toContain('acme/openai')
  const done = await ended(batch.id)
  expect(done).toMatchObject({
    id: batch.id,
    status: 'completed',
    request_counts: { total: 3, completed: 2, failed: 1 },
  })
  const results = await linesOf(done.output_file_id)
  const charge = results.reduce((sum, { response }) => sum + BigInt(response.body.usage.total_tokens), 0n)
  expect(await spent()).toBe(charge)
  expect(results.map(({ custom_id }) => String(custom_id)).toSorted()).toEqual(['one', 'zwei "2"'])
  expect(results[0].response).toMatchObject({ status_code: 200, body: { model: 'acme/openai' } })
  const [failure] = await linesOf(done.error_file_id)
  expect(failure).toMatchObject({ custom_id: 'three', response: { status_code: 429 } })
  const records = await user.requests()
  expect(records.map(({ status, wire }) => `${status} ${wire}`).toSorted()).toEqual([
    'released chat',
    'settled chat',
    'settled chat',
  ])
  const debits = (await user.ledger()).filter(({ kind }) => kind === 'usage_debit')
  expect(debits).toHaveLength(2)
  // The copy at the provider is deleted, but the uploaded file is kept.
  expect(await linesOf(await upload([chatLine('one', 'Hi')]))).toHaveLength(1)
  const listed = []
  for await (const one of client.batches.list()) listed.push(one.id)
  expect(listed).toEqual([batch.id])
  expect((await client.files.list()).data.map(({ purpose }) => purpose).toSorted()).toEqual([
    'batch',
    'batch',
    'batch_output',
    'batch_output',
  ])
})

test('batches of responses and embeddings are settled even if no client reads the results', async () => {
  await newUser()
  const responses = await create(
    [lineOf('/v1/responses', 'r', { model: 'acme/openai', input: 'Hi [[tokens=9]]', max_output_tokens: 50 })],
    '/v1/responses',
  )
  const vectors = await create(
    [lineOf('/v1/embeddings', 'v', { model: 'acme/vectors', input: ['one', 'two'] })],
    '/v1/embeddings',
  )
  await eventually(async () => {
    const records = await user.requests()
    expect(records.map(({ status, wire }) => `${status} ${wire}`).toSorted()).toEqual([
      'settled embeddings',
      'settled responses',
    ])
  })
  const charge = await spent()
  const [response] = await linesOf((await ended(responses.id)).output_file_id)
  const [vector] = await linesOf((await ended(vectors.id)).output_file_id)
  const { input_tokens, output_tokens } = response.response.body.usage
  expect(output_tokens).toBe(9)
  expect(response.response.body).toMatchObject({ model: 'acme/openai', store: false })
  expect(vector.response.body.model).toBe('acme/vectors')
  expect(charge).toBe(BigInt(input_tokens + output_tokens + vector.response.body.usage.total_tokens))
})

test('if an ended batch is read concurrently, its results are kept, and a deleted result file is not added again', async () => {
  await newUser()
  const { id } = await create([chatLine('good', '[[tokens=5 delay=50ms]]'), chatLine('bad', '[[fail=429]]')])
  await eventually(async () => {
    const ends = (await user.requests()).map(({ status }) => String(status))
    expect(ends.toSorted()).toEqual(['released', 'settled'])
  })
  const before = vendor.calls.length
  // On a busy machine, an end user may have too many waiting reads, so the server rejects some reads. The client
  // repeats rejected reads.
  const read = () => client.batches.retrieve(id, { maxRetries: 10 })
  const reads = await Promise.all(Array.from({ length: 12 }, read))
  const deleted = vendor.calls.slice(before).filter((call) => Object(call).file?.method === 'DELETE')
  expect(deleted).toEqual([])
  const [{ error_file_id, output_file_id } = {}] = reads
  expect(await linesOf(output_file_id)).toHaveLength(1)
  await client.files.delete(error_file_id ?? '')
  expect(await client.batches.retrieve(id)).toMatchObject({ id, error_file_id })
  const results = (await client.files.list()).data.filter(({ purpose }) => purpose === 'batch_output')
  expect(results.map((file) => file.id)).toEqual([output_file_id])
  await expect(client.files.content(error_file_id ?? '')).rejects.toMatchObject({ status: 404 })
})

test('if the results of one batch cannot be read, the list shows this batch without results, and all other batches with results', async () => {
  // During a test, this server never asks the provider by itself whether a batch has ended.
  const slow = { ...gatewayLimits.background, firstMs: 600_000, maxMs: 600_000 }
  const other = await startServer({ limits: { background: slow } })
  const own = await makeApplication(other)
  await connectOpenai(own)
  const { key } = await own.newUser({ balanceMicros: credit })
  const reader = new OpenAI({ apiKey: key, baseURL: `${own.gateway}/v1`, maxRetries: 0 })
  const good = await create([chatLine('good', '[[tokens=1]]')], chat, reader)
  await ended(good.id, reader)
  const lost = await create([chatLine('lost', '[[tokens=5 delay=200ms]]')], chat, reader)
  await reader.batches.retrieve(lost.id)
  const path = vendor.calls.findLast((call) => call.path.startsWith('/v1/batches/'))?.path ?? ''
  const id = path.slice('/v1/batches/'.length)
  const atVendor = new OpenAI({
    apiKey: vendor.apiKey,
    baseURL: vendor.baseUrls.openai,
    defaultHeaders: { 'content-type': 'application/json' },
    maxRetries: 0,
  })
  const { output_file_id } = await ended(id, atVendor)
  await atVendor.files.delete(output_file_id ?? '')
  await expect(reader.batches.retrieve(lost.id)).rejects.toMatchObject({ status: 404 })
  const { data } = await reader.batches.list()
  expect(data).toMatchObject([
    { id: lost.id, status: 'completed', output_file_id: null },
    { id: good.id, output_file_id: expect.stringMatching(/^file-/) },
  ])
  await own.provider.close()
  await other.close()
})

test('if two model names of a batch route to one model, the results show the first name, and each record shows the requested name', async () => {
  await newUser()
  const model = 'acme/second'
  await app.api('PUT', `/v1/models/${encodeURIComponent(model)}`, {
    sources: [{ provider: 'openai', model: 'gpt-5.4' }],
  })
  const { id } = await create([chatLine('one', 'Hi'), chatLine('two', 'Hi', { model })])
  const results = await linesOf((await ended(id)).output_file_id)
  expect(results.map(({ response }) => response.body.model)).toEqual(['acme/openai', 'acme/openai'])
  const records = await user.requests()
  expect(records.map((one) => String(one.requestedModel)).toSorted()).toEqual(['acme/openai', model])
})

test('the holds of canceled requests are released, and finished requests are charged', async () => {
  await newUser()
  const { id } = await create([chatLine('done', '[[tokens=5]]'), chatLine('never', '[[hang]]')])
  await client.batches.cancel(id)
  const batch = await ended(id)
  expect(batch.status).toBe('cancelled')
  const [done, ...others] = await linesOf(batch.output_file_id)
  expect(others).toEqual([])
  expect(await spent()).toBe(BigInt(done.response.body.usage.total_tokens))
  const records = await user.requests()
  expect(records.map(({ errorCode }) => String(errorCode)).toSorted()).toEqual(['null', 'response_canceled'])
})

test('if one request is invalid, or the balance too low, the whole batch is rejected, and nothing is held or sent', async () => {
  await newUser(1_000n)
  const good = chatLine('good', 'Hi', { max_completion_tokens: 10 })
  const cases: readonly (readonly [lines: readonly string[], code: string, param: string | null])[] = [
    [['{'], 'invalid_request', 'lines.0'],
    [[good, good], 'invalid_request', 'lines.1.custom_id'],
    [[lineOf('/v1/responses', 'r', {})], 'invalid_request', 'lines.0.url'],
    [[good, chatLine('bad', 'Hi', { model: 'acme/none' })], 'model_not_found', 'lines.1.body.model'],
    [[chatLine('bad', 'Hi', { stream: true })], 'unsupported_for_route', 'lines.0.body.stream'],
    [
      [chatLine('bad', 'Hi', { service_tier: 'priority' })],
      'unsupported_for_route',
      'lines.0.body.service_tier',
    ],
    [Array.from({ length: 30 }, (_, at) => chatLine(`r${at}`, 'Hi')), 'insufficient_credit', null],
  ]
  for (const [lines, code, param] of cases) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await expect(create(lines), code).rejects.toMatchObject({ code, ...(param !== null && { param }) })
    // oxlint-disable-next-line no-await-in-loop -- as above
    expect(await spent(1_000n)).toBe(0n)
  }
  const input_file_id = await upload([good])
  const job = { input_file_id, endpoint: chat, completion_window: '24h' } as const
  await expect(client.batches.create({ ...job, endpoint: '/v1/images/edits' })).rejects.toMatchObject({
    param: 'endpoint',
  })
  await expect(client.batches.create({ ...job, input_file_id: 'file-x' })).rejects.toMatchObject({
    status: 404,
  })
  const image = await client.files.create({
    file: await toFile(Buffer.from('x'), 'x.txt'),
    purpose: 'user_data',
  })
  await expect(client.batches.create({ ...job, input_file_id: image.id })).rejects.toMatchObject({
    status: 400,
  })
  expect(vendor.calls.filter(({ path, text }) => path === '/v1/batches' && text.includes('"good"'))).toEqual(
    [],
  )
})

test('if another end user requests the batch or its files, the error is the same as for unknown IDs', async () => {
  await newUser()
  const { id } = await create([chatLine('one', '[[tokens=1]]')])
  const batch = await ended(id)
  const other = clientOf((await app.newUser({ balanceMicros: credit })).key)
  for (const ask of [
    () => other.batches.retrieve(id),
    () => other.batches.cancel(id),
    () => other.batches.retrieve('batch_x'),
  ])
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await expect(ask()).rejects.toMatchObject({ status: 404, code: 'batch_not_found' })
  await expect(other.files.content(batch.output_file_id ?? '')).rejects.toMatchObject({ status: 404 })
  const input_file_id = await upload([chatLine('one', 'Hi')])
  const job = { input_file_id, endpoint: chat, completion_window: '24h' } as const
  await expect(other.batches.create(job)).rejects.toMatchObject({ status: 404, code: 'file_not_found' })
})

test('the simulator runs batches in test mode', async () => {
  await newUser()
  const inTest = clientOf(await testKeyOf(app))
  const { id } = await create([chatLine('one', '[[tokens=3]]')], chat, inTest)
  const batch = await ended(id, inTest)
  const [result] = await linesOf(batch.output_file_id, inTest)
  expect(result.response.body).toMatchObject({ model: 'acme/openai', usage: { completion_tokens: 3 } })
})

test('the batches and results of a deleted end user are deleted at the provider', async () => {
  await newUser()
  const done = await create([chatLine('one', '[[tokens=1]]')])
  await ended(done.id)
  await create([chatLine('never', '[[hang]]')])
  const before = vendor.calls.length
  await app.api('DELETE', `/v1/end-users/${user.externalId}`)
  const asked = (): readonly string[] =>
    vendor.calls.slice(before).map((call) => {
      const { batch, file }: { batch?: { method: string }; file?: { method: string } } = Object(call)
      return `${batch?.method ?? file?.method} ${call.path}`
    })
  await eventually(async () => {
    expect(asked()).toContainEqual(expect.stringMatching(/^POST \/v1\/batches\/.*\/cancel$/))
    expect(asked()).toContainEqual(expect.stringMatching(/^DELETE \/v1\/files\/file-batch_.*o$/))
  })
})
