/**
 * Each request of a batch has its own hold. The result of a request settles the request once, before a client
 * receives the result.
 */
import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { gatewayLimits } from '#gateway/call/dependencies-of-gateway.ts'
import { sampledRuns } from '../support/number-of-property-runs.ts'
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

const rates = { input: '1000000', cacheWrite: '1000000', cacheWriteLong: '1000000', output: '1000000' }
const limits: StartOptions['limits'] = {
  background: { ...gatewayLimits.background, firstMs: 20, maxMs: 50, lostMs: 100 },
  batches: { ...gatewayLimits.batches, requestsMax: 300, openRequestsMax: 400 },
  filesEveryMs: 50,
}
const credit = 10_000_000n

let server: LocalServer
let app: Application
let vendor: Vendor
let user: User

beforeAll(async () => {
  server = await startServer({ limits })
  app = await makeApplication(server)
  vendor = await startVendor()
  const account = { kind: 'anthropic', baseUrl: vendor.baseUrls.anthropic, apiKey: vendor.apiKey }
  await connectAccount(app, 'claude', { ...account, price: rates, model: 'claude-sonnet-4-5' })
  const model = 'claude-haiku-4-5'
  await connectAccount(app, 'half', { ...account, price: rates, model })
  const half = { ...rates, serviceTiers: { batch: '500' } }
  await app.api('POST', '/v1/providers/half/price', { model, price: half })
  const searching = { ...account, price: { ...rates, webSearch: '10000' } }
  await connectAccount(app, 'search', { ...searching, model: 'claude-sonnet-4-5' })
  await connectAccount(app, 'elsewhere', { ...searching, model })
  await app.api('PUT', '/v1/routers/acme%2Feither', {
    policy: 'priority',
    targets: [
      { provider: 'elsewhere', model },
      { provider: 'search', model: 'claude-sonnet-4-5' },
    ],
  })
  const openai = { kind: 'openai', baseUrl: vendor.baseUrls.openai, apiKey: vendor.apiKey, price: rates }
  await connectAccount(app, 'openai', { ...openai, model: 'gpt-5.4' })
})
afterAll(async () => {
  await app.provider.close()
  await vendor.close()
  await server.close()
})

async function newUser(balanceMicros = credit): Promise<void> {
  user = await app.newUser({ balanceMicros })
}

interface Asked {
  readonly content: string
  readonly model?: string
  readonly max_tokens?: number
  readonly [field: string]: unknown
}

function item(custom_id: string, { content, ...more }: Asked) {
  const messages = [{ role: 'user', content }]
  return { custom_id, params: { model: 'acme/claude', max_tokens: 100, messages, ...more } }
}

async function ask(method: string, path: string, body?: object, key = user.key): Promise<Answer> {
  const response = await fetch(`${app.gateway}/v1/messages/batches${path}`, {
    method,
    headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  // The body of a results response consists of JSON lines, and is not a single JSON value.
  const isWhole = !path.endsWith('/results') || response.status !== 200
  return answerOf(new Response(isWhole ? text : JSON.stringify({ lines: text }), response))
}

async function create(requests: readonly object[]): Promise<string> {
  const { body, text } = await ask('POST', '', { requests })
  expect(body.type, text).toBe('message_batch')
  return body.id
}

async function ended(id: string): Promise<Answer> {
  return eventually(async () => {
    const answer = await ask('GET', `/${id}`)
    expect(answer.body.processing_status, answer.text).toBe('ended')
    return answer
  })
}

interface Result {
  readonly custom_id: string
  // oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
  readonly result: { readonly type: string; readonly message?: any; readonly error?: any }
}

async function resultsOf(id: string): Promise<ReadonlyMap<string, Result['result']>> {
  const { body, text } = await ask('GET', `/${id}/results`)
  expect(body.lines, text).toBeTypeOf('string')
  const lines: string[] = body.lines.trimEnd().split('\n')
  return new Map(
    lines.map((line) => {
      const { custom_id, result }: Result = JSON.parse(line)
      return [custom_id, result]
    }),
  )
}

function tokensOf(result: Result['result'] | undefined): bigint {
  const { input_tokens: input, output_tokens: output } = result?.message.usage ?? {}
  return BigInt(input + output)
}

async function spent(from = credit): Promise<bigint> {
  const { balanceMicros, reservedMicros } = await user.balance()
  expect(reservedMicros).toBe(0n)
  return from - balanceMicros
}

async function settled(): ReturnType<User['requests']> {
  return eventually(async () => {
    const records = await user.requests()
    expect(records.every(({ status }) => status !== 'in_flight')).toBe(true)
    return records
  })
}

test('a batch holds the sum of its requests, and each result is charged exactly once', async () => {
  await newUser()
  const id = await create([
    item('one', { content: '[[tokens=7 delay=2s]]' }),
    item('two', { content: 'Hello. [[tokens=30]]', max_tokens: 50 }),
    item('three', { content: '[[fail=429]]' }),
  ])
  expect(id).toMatch(/^msgbatch_[\w-]{60,}$/)
  expect((await user.balance()).reservedMicros).toBeGreaterThan(250n)
  const open = await user.requests()
  expect(open.map(({ status }) => status)).toEqual(['in_flight', 'in_flight', 'in_flight'])
  const created = vendor.calls.findLast(({ path }) => path === '/v1/messages/batches')
  expect(created?.body['requests']).toMatchObject([
    { custom_id: 'one', params: { model: 'claude-sonnet-4-5', max_tokens: 100 } },
    {},
    {},
  ])
  const { body } = await ended(id)
  expect(body).toMatchObject({
    id,
    request_counts: { processing: 0, succeeded: 2, errored: 1, canceled: 0, expired: 0 },
    results_url: `${app.gateway}/v1/messages/batches/${id}/results`,
  })
  const results = await resultsOf(id)
  const charge = tokensOf(results.get('one')) + tokensOf(results.get('two'))
  expect(await spent()).toBe(charge)
  expect(results.get('two')?.message).toMatchObject({ model: 'acme/claude', usage: { output_tokens: 30 } })
  expect(results.get('three')).toMatchObject({
    type: 'errored',
    error: { error: { type: 'rate_limit_error' } },
  })
  const records = await settled()
  const byStatus = records.map(({ errorCode, status, wire }) => `${status} ${errorCode} ${wire}`)
  expect(byStatus.toSorted()).toEqual([
    'released upstream_error messages',
    'settled null messages',
    'settled null messages',
  ])
  const debits = (await user.ledger()).filter(({ kind }) => kind === 'usage_debit')
  expect(debits).toHaveLength(2)
  await resultsOf(id)
  expect(await spent()).toBe(charge)
  const explained = await app.api('GET', `/v1/requests/${records.find((one) => one.status === 'settled').id}`)
  expect(JSON.stringify(explained)).toContain('The request was part of a batch.')
})

test('the gateway settles a batch whose results no client reads, at the price for batches', async () => {
  await newUser()
  const model = 'acme/half'
  const id = await create(['a', 'b'].map((name) => item(name, { content: 'Hi [[tokens=40]]', model })))
  const records = await settled()
  const results = await resultsOf(id)
  const half = (tokens: bigint): bigint => (tokens + 1n) / 2n
  expect(await spent()).toBe(half(tokensOf(results.get('a'))) + half(tokensOf(results.get('b'))))
  expect(records.every(({ status }) => status === 'settled')).toBe(true)
})

test('the holds of canceled requests are released, and finished requests are charged', async () => {
  await newUser()
  const id = await create([
    item('done', { content: '[[tokens=5]]' }),
    item('never', { content: '[[hang]]', max_tokens: 5_000 }),
  ])
  const { body } = await ask('POST', `/${id}/cancel`)
  expect(body).toMatchObject({ id, type: 'message_batch' })
  await ended(id)
  const results = await resultsOf(id)
  expect(results.get('never')).toEqual({ type: 'canceled' })
  expect(await spent()).toBe(tokensOf(results.get('done')))
  const records = await settled()
  expect(records.map(({ errorCode }) => String(errorCode)).toSorted()).toEqual(['null', 'response_canceled'])
})

test('if one request is invalid, or the balance too low, the whole batch is rejected, and nothing is held or sent', async () => {
  await newUser(1_000n)
  const sentBefore = vendor.calls.length
  const good = item('good', { content: 'Hi', max_tokens: 10 })
  const cases: readonly (readonly [requests: unknown, code: string, place: string | null])[] = [
    [[], 'invalid_request', 'requests'],
    ['x', 'invalid_request', 'requests'],
    [[good, good], 'invalid_request', 'requests.1.custom_id'],
    [[{ ...good, custom_id: 'a b' }], 'invalid_request', 'requests.0.custom_id'],
    [[{ ...good, more: 1 }], 'invalid_request', 'requests.0.more'],
    [[good, { custom_id: 'bad', params: [] }], 'invalid_request', 'requests.1.params'],
    [
      [good, item('bad', { content: 'Hi', model: 'acme/none' })],
      'model_not_found',
      'requests.1.params.model',
    ],
    [
      [good, item('bad', { content: 'Hi', max_tokens: -1 })],
      'invalid_request',
      'requests.1.params.max_tokens',
    ],
    [[item('bad', { content: 'Hi', stream: true })], 'unsupported_for_route', 'requests.0.params.stream'],
    [
      [item('bad', { content: 'Hi', speed: 'fast' })],
      'unsupported_for_route',
      'requests.0.params.service_tier',
    ],
    [
      [item('bad', { content: 'Hi', model: 'acme/openai' })],
      'unsupported_for_route',
      'requests.0.params.model',
    ],
    [
      [good, item('bad', { content: 'Hi', model: 'acme/half' })],
      'unsupported_for_route',
      'requests.1.params.model',
    ],
    [
      Array.from({ length: 30 }, (_, at) => item(`r${at}`, { content: 'Hi', max_tokens: 90 })),
      'insufficient_credit',
      null,
    ],
    [
      Array.from({ length: 301 }, (_, at) => ({ ...good, custom_id: `r${at}` })),
      'invalid_request',
      'requests',
    ],
  ]
  for (const [requests, code, place] of cases) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const { body, text } = await ask('POST', '', { requests })
    expect(body.error?.details?.error_code, text).toBe(code)
    expect(body.error.details.param ?? null, text).toBe(place)
    // oxlint-disable-next-line no-await-in-loop -- as above
    expect(await spent(1_000n)).toBe(0n)
  }
  expect(vendor.calls).toHaveLength(sentBefore)
  const debits = (await user.ledger()).filter(({ kind }) => kind === 'usage_debit')
  expect(debits).toHaveLength(0)
})

/** `work` runs after the gateway has read the configuration, and before the gateway reads the requests. */
async function createAfter(work: () => Promise<unknown>, requests: readonly object[]): Promise<number> {
  const sending = request(`${app.gateway}/v1/messages/batches`, {
    method: 'POST',
    headers: { 'x-api-key': user.key, 'content-type': 'application/json', expect: '100-continue' },
  })
  sending.flushHeaders()
  await once(sending, 'continue')
  await work()
  sending.end(JSON.stringify({ requests }))
  const [response]: IncomingMessage[] = await once(sending, 'response')
  response?.resume()
  return response?.statusCode ?? 0
}

test.each([
  { change: 'the balance covers no search', balanceMicros: 20_000n, isOutdated: false },
  { change: 'the configuration is outdated', balanceMicros: credit, isOutdated: true },
])('if $change, requests are parsed again, and held at the account of the batch', async (the) => {
  await newUser(the.balanceMicros)
  const tools = [{ type: 'web_search_20250305', name: 'web_search' }]
  const changed = { sources: [{ provider: 'openai', model: 'gpt-5.4' }] }
  const status = await createAfter(
    async () => the.isOutdated && app.api('PUT', '/v1/models/acme%2Fnew', changed),
    [
      item('fixed', { content: 'Hi', model: 'acme/search', tools }),
      item('routed', { content: 'Hi', model: 'acme/either', tools }),
    ],
  )
  expect(status).toBe(200)
  const sent = vendor.calls.findLast(({ path }) => path === '/v1/messages/batches')
  expect(sent?.body['requests']).toMatchObject([
    { params: { model: 'claude-sonnet-4-5' } },
    { params: { model: 'claude-sonnet-4-5' } },
  ])
  const records = await settled()
  expect(records.map(({ provider }) => provider)).toEqual(['search', 'search'])
})

test('if the provider rejects a batch, the holds of its requests are released', async () => {
  await newUser()
  const response = await fetch(`${app.gateway}/v1/messages/batches`, {
    method: 'POST',
    headers: { 'x-api-key': user.key, 'anthropic-version': '1999-01-01', 'content-type': 'application/json' },
    body: JSON.stringify({ requests: [item('one', { content: 'Hi' }), item('two', { content: 'Hi' })] }),
  })
  expect(response.status).toBe(400)
  expect(await spent()).toBe(0n)
  const records = await settled()
  expect(records.map(({ status }) => status)).toEqual(['released', 'released'])
})

test('the number of requests in unfinished batches is limited, even if batches are created concurrently', async () => {
  await newUser()
  const sent = (name: string, length: number): Promise<Answer> => {
    const hanging = { content: '[[hang]]', max_tokens: 1 }
    return ask('POST', '', { requests: Array.from({ length }, (_, at) => item(`${name}${at}`, hanging)) })
  }
  const answers = await Promise.all(['a', 'b', 'c'].map((name) => sent(name, 201)))
  const [created, ...rejected] = answers.toSorted((one, other) => one.status - other.status)
  for (const { body, text } of [...rejected, await sent('d', 200)])
    expect(body.error?.details, text).toMatchObject({ error_code: 'batch_limit_reached', requests: 400 })
  // Rejected batches do not count toward the limit.
  const last = await sent('e', 199)
  const accepted = [created ?? last, last].map(async ({ body, text }) => {
    expect(body.type, text).toBe('message_batch')
    await ask('POST', `/${body.id}/cancel`)
    await resultsOf(body.id)
  })
  await Promise.all(accepted)
  expect(await spent()).toBe(0n)
})

test('batches can be listed in pages, newest first, and deleted', async () => {
  await newUser()
  const ids: string[] = []
  for (let at = 0; at < 3; at++) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    ids.unshift(await create([item('one', { content: '[[tokens=1]]' })]))
  }
  const page = async (query: string): Promise<unknown[]> => {
    const { body, text } = await ask('GET', query)
    expect(body.data, text).toBeInstanceOf(Array)
    return [body.has_more, ...body.data.map(({ id }: { id: string }) => id)]
  }
  expect(await page('')).toEqual([false, ...ids])
  expect(await page('?limit=2')).toEqual([true, ids[0], ids[1]])
  expect(await page(`?limit=2&after_id=${ids[1]}`)).toEqual([false, ids[2]])
  expect(await page(`?limit=1&before_id=${ids[2]}`)).toEqual([true, ids[1]])
  expect(await page(`?limit=1&before_id=${ids[1]}`)).toEqual([false, ids[0]])
  expect((await ask('GET', '?limit=0')).status).toBe(400)
  expect((await ask('GET', '?order=asc')).status).toBe(400)
  const [first = ''] = ids
  await ended(first)
  expect((await ask('DELETE', `/${first}`)).body).toEqual({ id: first, type: 'message_batch_deleted' })
  expect((await ask('GET', `/${first}`)).status).toBe(404)
  expect(await page('')).toEqual([false, ...ids.slice(1)])
  // The deleted batch was settled before its deletion.
  const records = await settled()
  expect(records.every(({ status }) => status === 'settled')).toBe(true)
})

test('requests of another end user or application, and requests with a forged ID, get the error of an unknown ID', async () => {
  await newUser()
  const id = await create([item('one', { content: '[[tokens=1]]' })])
  await ended(id)
  const other = await app.newUser({ balanceMicros: credit })
  const unknown = await ask('GET', '/msgbatch_unknown')
  expect(unknown.body.error).toMatchObject({ type: 'not_found_error' })
  const error = unknown.body.error
  const paths: readonly (readonly [method: string, path: string])[] = [
    ['GET', ''],
    ['GET', '/results'],
    ['POST', '/cancel'],
    ['DELETE', ''],
  ]
  for (const [method, path] of paths) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const answer = await ask(method, `/${id}${path}`, undefined, other.key)
    expect([answer.status, answer.body.error]).toEqual([404, error])
    // oxlint-disable-next-line no-await-in-loop -- as above
    const inTest = await ask(method, `/${id}${path}`, undefined, await testKeyOf(app))
    expect([inTest.status, inTest.body.error]).toEqual([404, error])
  }
  const asked = vendor.calls.length
  await fc.assert(
    fc.asyncProperty(fc.nat(id.length - 10), fc.constantFrom('A', 'b', '7', '_', '-'), async (at, letter) => {
      const forged = id.slice(0, at + 9) + letter + id.slice(at + 10)
      fc.pre(forged !== id)
      const answer = await ask('GET', `/${forged}/results`)
      expect([answer.status, answer.body.error]).toEqual([404, error])
    }),
    sampledRuns(60),
  )
  const about = vendor.calls.slice(asked).filter(({ path }) => path.includes('results'))
  expect(about).toEqual([])
  expect((await ask('GET', `?after_id=${id}`, undefined, other.key)).status).toBe(404)
})

test('the simulator runs batches in test mode', async () => {
  await newUser()
  const key = await testKeyOf(app)
  const { body, text } = await ask('POST', '', { requests: [item('one', { content: '[[tokens=4]]' })] }, key)
  expect(body.type, text).toBe('message_batch')
  await eventually(async () => {
    const { body: now } = await ask('GET', `/${body.id}`, undefined, key)
    expect(now.processing_status).toBe('ended')
  })
  const results = await ask('GET', `/${body.id}/results`, undefined, key)
  expect(results.body.lines).toContain('"model":"acme/claude"')
  expect(results.body.lines).toContain('"service_tier":"batch"')
  expect(vendor.calls.some(({ text: sent }) => sent.includes('[[tokens=4]]'))).toBe(false)
})

test('the batches of a deleted end user are deleted at the provider, after they are canceled', async () => {
  await newUser()
  const id = await create([item('one', { content: '[[hang]]' }), item('two', { content: '[[tokens=2]]' })])
  const before = vendor.calls.length
  expect(id).not.toBe('')
  await app.api('DELETE', `/v1/end-users/${user.externalId}`)
  const asked = (): unknown[] =>
    vendor.calls
      .slice(before)
      .filter(({ path, status }) => path.startsWith(`/v1/messages/batches/msgbatch_`) && status === 200)
      .map((call) => ('batch' in call ? Object(call.batch) : {}))
  await eventually(async () => expect(asked()).toContainEqual(expect.objectContaining({ method: 'DELETE' })))
  expect(asked()).toContainEqual(expect.objectContaining({ method: 'POST', part: '/cancel' }))
})
