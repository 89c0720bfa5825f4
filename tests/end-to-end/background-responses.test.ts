/**
 * Tests responses that a provider generates in the background (`background: true`). The hold covers the whole
 * response. The gateway detects the end of the response even without a client. Each background response is settled
 * once.
 */
import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { gatewayLimits } from '#gateway/call/dependencies-of-gateway.ts'
import { newDataFolder } from '../support/data-folder.ts'
import { listenLocally } from '../support/listen-on-loopback.ts'
import { startVendor, type Vendor } from '../support/simulated-vendor.ts'
import {
  answerOf,
  connectAccount,
  eventually,
  makeApplication,
  startServer,
  testKeyOf,
  type Answer,
  type Application,
  type LocalServer,
  type StartOptions,
  type User,
} from '../support/start-product.ts'

const price = { input: '1000000', cacheWrite: '1000000', output: '1000000' }
const limits: StartOptions['limits'] = {
  background: { ...gatewayLimits.background, firstMs: 20, maxMs: 50 },
}

let server: LocalServer
let app: Application
let vendor: Vendor
let user: User

beforeAll(async () => {
  server = await startServer({ limits })
  app = await makeApplication(server)
  vendor = await startVendor()
  const account = { baseUrl: vendor.baseUrls.openai, apiKey: vendor.apiKey, price, model: 'gpt-5.4' }
  await connectAccount(app, 'openai', { kind: 'openai', ...account })
  await connectAccount(app, 'compatible', { kind: 'openai_compatible', ...account })
})
afterAll(async () => {
  await app.provider.close()
  await vendor.close()
  await server.close()
})

async function newUser(balanceMicros = 10_000_000n): Promise<void> {
  user = await app.newUser({ balanceMicros })
}

async function respond(body: object, key = user.key): Promise<Answer> {
  const response = await fetch(`${app.gateway}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'acme/openai', background: true, ...body }),
  })
  return answerOf(response)
}

async function ask(method: string, path: string, key = user.key): Promise<Answer> {
  const url = `${app.gateway}/v1/responses/${path}`
  return answerOf(await fetch(url, { method, headers: { authorization: `Bearer ${key}` } }))
}

interface EndedRecord {
  readonly id: string
  readonly [field: string]: unknown
}

async function ended(of = user, there = app): Promise<EndedRecord> {
  return eventually(async () => {
    const [record] = await of.requests()
    expect(record.status).not.toBe('in_flight')
    const { usage } = await there.api('GET', `/v1/requests/${record.id}`)
    return { ...record, tokenSource: usage?.tokenSource ?? null }
  })
}

function sentMaximum(): number {
  const created = vendor.calls.findLast(({ path }) => path === '/v1/responses')
  return Number(created?.body['max_output_tokens'])
}

async function spent(): Promise<bigint> {
  const { balanceMicros, reservedMicros } = await user.balance()
  expect(reservedMicros).toBe(0n)
  return 10_000_000n - balanceMicros
}

test('the official client polls a response until it is completed, and the charge is exact', async () => {
  await newUser()
  const client = new OpenAI({ apiKey: user.key, baseURL: `${app.gateway}/v1`, maxRetries: 0 })
  const first = await client.responses.create({
    model: 'acme/openai',
    input: '[[tokens=40 delay=10ms]]',
    background: true,
  })
  expect(first).toMatchObject({ status: 'in_progress', background: true, model: 'acme/openai' })
  expect(first.id).toMatch(/^resp_[\w-]{60,}$/)
  const [open] = await user.requests()
  expect(open.status).toBe('in_flight')
  // The provider receives the output maximum that the hold covers.
  const { reservedMicros } = await user.balance()
  const outputTokensMax = sentMaximum()
  expect(outputTokensMax).toBe(32_768)
  expect(reservedMicros).toBeGreaterThan(BigInt(outputTokensMax))
  const read = await eventually(async () => {
    const one = await client.responses.retrieve(first.id)
    expect(one.status).not.toBe('in_progress')
    return one
  })
  expect(read).toMatchObject({ id: first.id, status: 'completed', model: 'acme/openai' })
  const [record] = await user.requests()
  expect(record).toMatchObject({ status: 'settled', errorCode: null, streamed: false, wire: 'responses' })
  const { input_tokens: input = 0, output_tokens: output = 0 } = read.usage ?? {}
  expect(output).toBe(40)
  expect(await spent()).toBe(BigInt(input + output))
  const debits = (await user.ledger()).filter(({ kind }) => kind === 'usage_debit')
  expect(debits).toHaveLength(1)
  const explained = await app.api('GET', `/v1/requests/${record.id}`)
  expect(JSON.stringify(explained)).toContain('The response was generated in the background.')
  expect(explained.quote.textTokensMax).toBeGreaterThan(0)
})

test('the gateway detects the end of a response that no client reads', async () => {
  await newUser()
  const { body } = await respond({ input: '[[tokens=30 delay=5ms]]' })
  expect(body.status).toBe('in_progress')
  const record = await ended()
  expect(record).toMatchObject({ status: 'settled', tokenSource: 'provider_reported' })
  const read = await ask('GET', body.id)
  expect(await spent()).toBe(BigInt(read.body.usage.input_tokens + read.body.usage.output_tokens))
})

test('a canceled response without a usage report is charged for its input', async () => {
  await newUser()
  const { body } = await respond({ input: '[[hang]]', max_output_tokens: 1000 })
  const canceled = await ask('POST', `${body.id}/cancel`)
  expect(canceled.body, canceled.text).toMatchObject({ id: body.id, status: 'cancelled' })
  const record = await ended()
  expect(record).toMatchObject({
    status: 'settled',
    errorCode: 'response_canceled',
    tokenSource: 'estimated',
  })
  const charge = await spent()
  expect(charge).toBeGreaterThan(0n)
  expect(charge).toBeLessThan(100n)
  expect((await ask('POST', `${body.id}/cancel`)).body.status).toBe('cancelled')
  expect(await spent()).toBe(charge)
})

test('a running response is canceled and settled before it is deleted', async () => {
  await newUser()
  const { body } = await respond({ input: '[[hang]]' })
  const deleted = await ask('DELETE', body.id)
  expect(deleted.body, deleted.text).toMatchObject({ id: body.id, deleted: true })
  expect((await user.requests())[0]).toMatchObject({ status: 'settled', errorCode: 'response_canceled' })
  expect(await spent()).toBeGreaterThan(0n)
  expect((await ask('GET', body.id)).status).toBe(404)
})

test('a failed response costs the end user nothing', async () => {
  await newUser()
  const { body } = await respond({ input: '[[error]]' })
  const record = await ended()
  expect(record).toMatchObject({ status: 'released', errorCode: 'upstream_error' })
  expect((await ask('GET', body.id)).body.status).toBe('failed')
  expect(await spent()).toBe(0n)
})

test('the provider cost of a failed response is in its record and in the metrics', async () => {
  const stored = { id: 'resp_costly', object: 'response', model: 'gpt-5.4', background: true, output: [] }
  const usage = { input_tokens: 20, output_tokens: 7, total_tokens: 27 }
  const error = { code: 'server_error', message: 'The model failed.' }
  const provider = await listenLocally(
    createServer((request, response) => {
      const end = { status: 'failed', error, usage }
      request.resume().on('end', () => {
        response.setHeader('content-type', 'application/json')
        response.end(
          JSON.stringify({ ...stored, ...(request.method === 'GET' ? end : { status: 'queued' }) }),
        )
      })
    }),
  )
  const baseUrl = `http://127.0.0.1:${provider.port}/v1`
  await connectAccount(app, 'costly', { kind: 'openai', apiKey: 'key', baseUrl, price, model: 'gpt-5.4' })
  await newUser()
  const { body } = await respond({ model: 'acme/costly', input: 'Hello', max_output_tokens: 50 })
  expect(body.status).toBe('queued')
  expect(await ended()).toMatchObject({ status: 'released', chargeMicros: '0', costMicros: '27' })
  const costs = await eventually(async () => {
    const text = await (
      await fetch(`${server.baseUrl}/metrics`, { headers: { authorization: `Bearer ${server.token}` } })
    ).text()
    const lines = text.split('\n').filter((line) => line.includes('model="acme/costly"'))
    expect(lines).not.toEqual([])
    return lines.filter((line) => line.startsWith('tollgate_cost_micros_total'))
  })
  expect(costs.map((line) => line.split(' ').at(-1))).toEqual(['27'])
  await provider.close()
})

test('if a response fails at the second target of a router, its record contains the attempts at both targets', async () => {
  const account = { kind: 'openai', apiKey: vendor.apiKey, price, model: 'gpt-5.4' }
  await connectAccount(app, 'down', { ...account, baseUrl: 'http://127.0.0.1:1/v1' })
  await connectAccount(app, 'next', { ...account, baseUrl: vendor.baseUrls.openai })
  const targets = ['down', 'next'].map((provider) => ({ provider, model: account.model }))
  await app.api('PUT', `/v1/routers/${encodeURIComponent('acme/two')}`, { policy: 'priority', targets })
  await newUser()
  await respond({ model: 'acme/two', input: '[[error delay=5ms tokens=10]]' })
  const record = await ended()
  expect(record).toMatchObject({ status: 'released', errorCode: 'upstream_error' })
  const { attempts } = await app.api('GET', `/v1/requests/${record.id}`)
  expect(attempts).toMatchObject([
    { target: 'down/gpt-5.4', costMicros: '0' },
    { target: 'next/gpt-5.4', costMicros: '0' },
  ])
  const { accounts } = await app.api('GET', '/v1/health')
  const calls = (label: string): unknown =>
    accounts.find(({ provider }: { provider: string }) => provider === label)
  expect([calls('down'), calls('next')]).toMatchObject([{ calls: 1 }, { calls: 1 }])
  expect(await spent()).toBe(0n)
})

test('a response that is read, canceled and deleted at the same time is settled once', async () => {
  for (let round = 0; round < 10; round++) {
    // oxlint-disable-next-line no-await-in-loop -- one response after the other
    await newUser()
    // oxlint-disable-next-line no-await-in-loop -- as above
    const { body } = await respond({ input: `[[tokens=${10 + round} delay=3ms]]` })
    const paths = [`GET ${body.id}`, `POST ${body.id}/cancel`, `DELETE ${body.id}`]
    // oxlint-disable-next-line no-await-in-loop -- as above
    await Promise.all(
      Array.from({ length: 12 }, async (_, at) => {
        const [method = '', path = ''] = paths[(at + round) % paths.length]?.split(' ') ?? []
        await new Promise((resolve) => setTimeout(resolve, at * 4))
        await ask(method, path)
      }),
    )
    // oxlint-disable-next-line no-await-in-loop -- as above
    await ended()
    // oxlint-disable-next-line no-await-in-loop -- as above
    const debits = (await user.ledger()).filter(({ kind }) => kind === 'usage_debit')
    expect(debits).toHaveLength(1)
    // oxlint-disable-next-line no-await-in-loop -- as above
    expect(await spent()).toBe(-BigInt(debits[0]?.amountUnits ?? 0))
  }
})

test('a balance that does not cover the model’s maximum lowers the maximum of the response', async () => {
  await newUser(500n)
  const answer = await respond({ input: '[[tokens=30]]' })
  expect(answer.headers.get('x-svc-abort-reason')).toBe('max_tokens_clamped')
  expect(sentMaximum()).toBeLessThan(500)
  await ended()
})

test('accounts that store no responses reject the field `background`', async () => {
  await newUser()
  const answer = await respond({ model: 'acme/compatible', input: 'Hello' })
  expect(answer.body.error).toMatchObject({ code: 'unsupported_for_route', param: 'background' })
  expect((await user.balance()).reservedMicros).toBe(0n)
})

test('if the client disconnects from a stream, the response is settled after it has ended', async () => {
  await newUser()
  const left = new AbortController()
  const response = await fetch(`${app.gateway}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'acme/openai',
      input: '[[tokens=60 delay=5ms]]',
      background: true,
      stream: true,
    }),
    signal: left.signal,
  })
  let text = ''
  const decoder = new TextDecoder()
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true })
    if (text.includes('output_text.delta')) break
  }
  left.abort()
  const record = await ended()
  expect(record).toMatchObject({ status: 'settled', tokenSource: 'provider_reported', streamed: true })
  const id = /"id":"(?<id>resp_[\w-]+)"/.exec(text)?.groups?.id ?? ''
  const read = await ask('GET', id)
  expect(read.body.usage.output_tokens).toBe(60)
  expect(await spent()).toBe(BigInt(read.body.usage.input_tokens + 60))
})

test('a stream that the client reads to its end is settled before its last event is sent', async () => {
  await newUser()
  const client = new OpenAI({ apiKey: user.key, baseURL: `${app.gateway}/v1`, maxRetries: 0 })
  const stream = client.responses.stream({ model: 'acme/openai', input: '[[tokens=20]]', background: true })
  const { usage } = await stream.finalResponse()
  expect((await user.requests())[0]).toMatchObject({ status: 'settled', errorCode: null })
  expect(await spent()).toBe(BigInt((usage?.input_tokens ?? 0) + 20))
})

test('the official client resumes a stream after its last event, and the charge is exact', async () => {
  await newUser()
  const client = new OpenAI({ apiKey: user.key, baseURL: `${app.gateway}/v1`, maxRetries: 0 })
  const first = await client.responses.create({
    model: 'acme/openai',
    input: '[[tokens=40 delay=5ms]]',
    background: true,
    stream: true,
  })
  let [id, text, last] = ['', '', -1]
  for await (const event of first) {
    last = event.sequence_number
    if (event.type === 'response.created') id = event.response.id
    if (event.type === 'response.output_text.delta') text += event.delta
    if (text.length > 20) break
  }
  const resumed = await client.responses.retrieve(id, { stream: true, starting_after: last })
  let usage: OpenAI.Responses.ResponseUsage | null = null
  for await (const event of resumed) {
    expect(event.sequence_number).toBe(last + 1)
    last = event.sequence_number
    if (event.type === 'response.output_text.delta') text += event.delta
    if (event.type !== 'response.completed') continue
    expect(event.response).toMatchObject({ id, model: 'acme/openai', status: 'completed' })
    usage = event.response.usage ?? null
    expect((await user.requests())[0]).toMatchObject({ status: 'settled', streamed: true })
  }
  const read = await client.responses.retrieve(id)
  expect(text).toBe(read.output_text)
  expect(usage).toEqual(read.usage)
  expect(await spent()).toBe(BigInt((usage?.input_tokens ?? 0) + 40))
})

test.each([
  { when: 'after its stream', isOpen: false },
  { when: 'during its stream', isOpen: true },
])('a response that is canceled $when is charged for the delivered output', async ({ isOpen }) => {
  await newUser()
  const client = new OpenAI({ apiKey: user.key, baseURL: `${app.gateway}/v1`, maxRetries: 0 })
  // The stream delivers a part of the response, and the stored response never ends.
  const stream = await client.responses.create({
    model: 'acme/openai',
    input: '[[tokens=60 hang]]',
    background: true,
    stream: true,
  })
  let id = ''
  let deltas = 0
  for await (const event of stream) {
    if (event.type === 'response.created') id = event.response.id
    if (event.type !== 'response.output_text.delta' || ++deltas < 25) continue
    if (!isOpen) break
    // The client cancels the response while it is still reading the stream.
    expect((await ask('POST', `${id}/cancel`)).body.status).toBe('cancelled')
    expect(await ended()).toMatchObject({ errorCode: 'response_canceled', tokenSource: 'estimated' })
    expect(await spent()).toBeGreaterThanOrEqual(25n)
    return
  }
  // If a client disconnects, the checkpoint of its stream is stored with the next commit.
  await eventually(async () => {
    const [open] = await user.requests()
    const { usage } = await app.api('GET', `/v1/requests/${open.id}`)
    expect(usage?.output).toBeGreaterThanOrEqual(25)
  })
  expect((await ask('POST', `${id}/cancel`)).body.status).toBe('cancelled')
  const record = await ended()
  expect(record).toMatchObject({ errorCode: 'response_canceled', tokenSource: 'estimated' })
  expect(await spent()).toBeGreaterThanOrEqual(25n)
})

test('a stream of a failed response ends with its error, and costs nothing', async () => {
  await newUser()
  const { body } = await respond({ input: '[[error delay=5ms tokens=10]]' })
  const client = new OpenAI({ apiKey: user.key, baseURL: `${app.gateway}/v1`, maxRetries: 0 })
  const stream = await client.responses.retrieve(body.id, { stream: true })
  await expect(
    (async () => {
      for await (const event of stream) expect(event.type).not.toBe('response.completed')
    })(),
  ).rejects.toThrow(OpenAI.APIError)
  expect(await ended()).toMatchObject({ status: 'released', errorCode: 'upstream_error' })
  expect(await spent()).toBe(0n)
})

test('the simulator generates responses in the background in test mode', async () => {
  const key = await testKeyOf(app)
  const { body } = await respond({ input: '[[tokens=10 delay=2ms]]' }, key)
  expect(body.status).toBe('in_progress')
  await eventually(async () => expect((await ask('GET', body.id, key)).body.status).toBe('completed'))
})

test('a response can be continued after it has ended', async () => {
  await newUser()
  const { body } = await respond({ input: '[[tokens=10]]' })
  const next = await respond({ input: 'And now?', previous_response_id: body.id, background: false })
  expect(next.status, next.text).toBe(200)
  expect(next.body.previous_response_id).toBe(body.id)
  expect((await user.requests()).every(({ status }) => status === 'settled')).toBe(true)
})

async function serverWith(background: object) {
  const folder = newDataFolder('background-limits')
  const own = await startServer({
    folder,
    limits: { background: { ...gatewayLimits.background, firstMs: 10, maxMs: 20, ...background } },
  })
  const there = await makeApplication(own)
  const provider = await startVendor()
  const account = { baseUrl: provider.baseUrls.openai, apiKey: provider.apiKey, price, model: 'gpt-5.4' }
  await connectAccount(there, 'openai', { kind: 'openai', ...account })
  const someone = await there.newUser({ balanceMicros: 10_000_000n })
  const answer = await fetch(`${there.gateway}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${someone.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'acme/openai',
      input: '[[hang]]',
      background: true,
      max_output_tokens: 700,
    }),
  })
  expect(answer.status).toBe(200)
  return {
    provider,
    someone,
    there,
    close: async () => {
      await there.provider.close()
      await own.close()
      rmSync(folder, { recursive: true })
    },
  }
}

async function chargeOf(someone: User): Promise<bigint> {
  const { balanceMicros, reservedMicros } = await someone.balance()
  expect(reservedMicros).toBe(0n)
  return 10_000_000n - balanceMicros
}

test('if the provider is unreachable until the deadline of a response, the whole hold is charged', async () => {
  const { close, provider, someone, there } = await serverWith({ deadlineMs: 150 })
  await provider.close()
  const record = await ended(someone, there)
  expect(record).toMatchObject({ errorCode: 'upstream_timeout', tokenSource: 'estimated' })
  const { quote } = await there.api('GET', `/v1/requests/${record.id}`)
  expect(await chargeOf(someone)).toBe(BigInt(700 + quote.textTokensMax))
  await close()
})

test('a response that the provider cancels at the deadline is charged by the usage that the provider reports', async () => {
  const { close, provider, someone, there } = await serverWith({ deadlineMs: 150 })
  expect(await ended(someone, there)).toMatchObject({ errorCode: 'response_canceled' })
  expect(provider.calls.some(({ path }) => path.endsWith('/cancel'))).toBe(true)
  expect(await chargeOf(someone)).toBeLessThan(100n)
  await provider.close()
  await close()
})

test('a response that the provider no longer has is charged for its input', async () => {
  const { close, provider, someone, there } = await serverWith({ lostMs: 60 })
  const path = await eventually(async () => {
    const read = provider.calls.find((call) => /resp_vendor\d+$/.test(call.path))
    if (read === undefined) throw new Error('the gateway has not read the response yet')
    return read.path
  })
  // The owner of the account deletes the response directly at the provider.
  const deleted = await fetch(new URL(path, provider.baseUrls.openai), {
    method: 'DELETE',
    headers: { authorization: `Bearer ${provider.apiKey}`, 'content-type': 'application/json' },
  })
  expect(deleted.status).toBe(200)
  expect(await ended(someone, there)).toMatchObject({
    status: 'settled',
    errorCode: 'response_not_found',
    tokenSource: 'estimated',
  })
  const charge = await chargeOf(someone)
  expect(charge).toBeGreaterThan(0n)
  expect(charge).toBeLessThan(100n)
  await provider.close()
  await close()
})

test('a restarted server detects the end of a response that began before the restart', async () => {
  const folder = newDataFolder('background-restart')
  const first = await startServer({ folder, limits })
  const there = await makeApplication(first)
  const account = { baseUrl: vendor.baseUrls.openai, apiKey: vendor.apiKey, price, model: 'gpt-5.4' }
  await connectAccount(there, 'openai', { kind: 'openai', ...account })
  const someone = await there.newUser({ balanceMicros: 10_000_000n })
  const answer = await fetch(`${there.gateway}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${someone.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'acme/openai', input: '[[tokens=50 delay=20ms]]', background: true }),
  })
  expect(answer.status).toBe(200)
  await first.close()
  const second = await startServer({ folder, limits, token: first.token })
  const again = await there.again(second)
  const same = again.person(someone)
  const record = await ended(same, again)
  expect(record).toMatchObject({ tokenSource: 'provider_reported', errorCode: null })
  const { balanceMicros, reservedMicros } = await same.balance()
  expect(reservedMicros).toBe(0n)
  const { usage } = await again.api('GET', `/v1/requests/${record.id}`)
  expect(usage.output).toBe(50)
  expect(10_000_000n - balanceMicros).toBe(BigInt(usage.input + usage.output))
  await there.provider.close()
  await second.close()
  rmSync(folder, { recursive: true })
})
