/**
 * Tests providers that lose batches, never end them, or return results that are incomplete or wrong. Every delivered
 * result has been charged, and no money remains held.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { gatewayLimits } from '#gateway/call/dependencies-of-gateway.ts'
import {
  answerOf,
  connectAccount,
  eventually,
  makeApplication,
  startServer,
  type Answer,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'
import { listenLocally } from '../support/listen-on-loopback.ts'

const rates = { input: '1000000', cacheWrite: '1000000', cacheWriteLong: '1000000', output: '1000000' }
const credit = 1_000_000n
const dayMs = 86_400_000

/** Null if the provider has no batch. */
let batch: { hasEnded: boolean; lines: readonly string[]; isCut?: boolean } | null
let onCreate: (response: ServerResponse) => void
/** Called with every request for the batch, before the response. */
let onAsk: (pathname: string) => void
/** Whether requests about batches fail. */
let isAway = false
let canceled = 0
let batches = 0

const provider = createServer((request: IncomingMessage, response: ServerResponse) => {
  request.resume().on('end', () => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost')
    if (pathname === '/v1/messages/batches') return onCreate(response)
    onAsk(pathname)
    if (isAway) return void response.writeHead(503, json).end('{"type":"error"}')
    if (pathname.endsWith('/cancel')) canceled++
    if (batch === null) return void response.writeHead(404, json).end('{"type":"error"}')
    if (!pathname.endsWith('/results')) return described(response)
    response.writeHead(200, { 'content-type': 'application/binary' })
    response.write(batch.lines.map((line) => `${line}\n`).join(''))
    if (batch.isCut === true) setImmediate(() => response.destroy())
    else response.end()
  })
})
const json = { 'content-type': 'application/json' }

function described(response: ServerResponse): void {
  const status = batch?.hasEnded === true ? 'ended' : 'in_progress'
  const url = status === 'ended' ? 'https://vendor.example/results' : null
  response.writeHead(200, json)
  response.end(
    JSON.stringify({
      id: `msgbatch_${batches}`,
      type: 'message_batch',
      processing_status: status,
      results_url: url,
    }),
  )
}

let server: LocalServer
let app: Application
let close: () => Promise<void>
let user: User

async function serverWith(deadlineMs: number, readableMs = dayMs): Promise<LocalServer> {
  return startServer({
    limits: {
      background: {
        ...gatewayLimits.background,
        firstMs: 20,
        maxMs: 50,
        lostMs: 100,
        deadlineMs: readableMs,
      },
      batches: { ...gatewayLimits.batches, deadlineMs },
    },
  })
}

async function applicationOf(of: LocalServer, port: number): Promise<Application> {
  const made = await makeApplication(of)
  const account = { kind: 'anthropic', baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key', price: rates }
  await connectAccount(made, 'claude', { ...account, model: 'claude-sonnet-4-5' })
  return made
}

let port = 0

beforeAll(async () => {
  server = await serverWith(2 * dayMs)
  ;({ close, port } = await listenLocally(provider))
  app = await applicationOf(server, port)
})
afterAll(async () => {
  await app.provider.close()
  await close()
  await server.close()
})
beforeEach(async () => {
  batches++
  canceled = 0
  batch = { hasEnded: false, lines: [] }
  onCreate = described
  onAsk = () => {}
  isAway = false
  user = await app.newUser({ balanceMicros: credit })
})

const names = ['a', 'b', 'c']

async function ask(method: string, path: string, body?: object, at = app, key = user.key): Promise<Answer> {
  const response = await fetch(`${at.gateway}/v1/messages/batches${path}`, {
    method,
    headers: { 'x-api-key': key, 'anthropic-version': '2023-06-01', 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return answerOf(response)
}

function requestsOf(max_tokens = 100): object {
  const messages = [{ role: 'user', content: 'The capital of France?' }]
  const params = { model: 'acme/claude', max_tokens, messages }
  return { requests: names.map((custom_id) => ({ custom_id, params })) }
}

async function create(at = app, key = user.key): Promise<string> {
  const { body, text } = await ask('POST', '', requestsOf(), at, key)
  expect(body?.type, text).toBe('message_batch')
  return body.id
}

function succeeded(custom_id: string, usage?: object): string {
  const content = [{ type: 'text', text: 'Paris is the capital of France.' }]
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
    content,
    usage,
  }
  return JSON.stringify({ custom_id, result: { type: 'succeeded', message } })
}

async function spent(of = user): Promise<bigint> {
  const { balanceMicros, reservedMicros } = await of.balance()
  expect(reservedMicros).toBe(0n)
  return credit - balanceMicros
}

async function eventuallySpent(of = user): Promise<bigint> {
  return eventually(() => spent(of))
}

const usage = { input_tokens: 11, output_tokens: 7 }

test('the holds of expired requests are released, and a result without a usage is charged by the gateway’s own count', async () => {
  const id = await create()
  const expired = JSON.stringify({ custom_id: 'b', result: { type: 'expired' } })
  batch = { hasEnded: true, lines: [succeeded('c'), expired, '', succeeded('a', usage)] }
  const charge = await eventuallySpent()
  const records = await user.requests()
  const micros = records.map(({ chargeMicros, errorCode }) => `${errorCode} ${chargeMicros}`)
  expect(micros).toContain('null 18')
  expect(micros).toContain('upstream_timeout 0')
  // The text has at least one token per word.
  expect(charge - 18n).toBeGreaterThan(10n)
  const results = await ask('GET', `/${id}/results`)
  expect(results.text.trimEnd().split('\n')).toHaveLength(3)
  expect(await spent()).toBe(charge)
})

test('if the reported usage exceeds the hold, only the hold is charged', async () => {
  await create()
  const held = (await user.balance()).reservedMicros
  const much = { input_tokens: 1_000_000, output_tokens: 1_000_000 }
  batch = { hasEnded: true, lines: names.map((name) => succeeded(name, much)) }
  expect(await eventuallySpent()).toBe(held)
})

test('incomplete and repeated results, and lines without an ID, are delivered only after every result is charged', async () => {
  const id = await create()
  const all = names.map((name) => succeeded(name, usage))
  const broken: readonly { readonly lines: readonly string[]; readonly isCut?: boolean }[] = [
    { lines: [] },
    { lines: all.slice(0, 2) },
    { lines: [...all.slice(0, 2), all[1] ?? ''] },
    { lines: all, isCut: true },
    { lines: [...all, '{"custom_id":"a"'] },
    { lines: ['{"custom_id":"a"', ...all.slice(1)] },
  ]
  for (const one of broken) {
    batch = { hasEnded: true, ...one }
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const answer = await ask('GET', `/${id}/results`).catch(() => null)
    const isDelivered = answer?.status === 200
    // The connection may break after all results have been settled. If a client receives some of the results, their
    // charges are already on record.
    // oxlint-disable-next-line no-await-in-loop -- as above
    if (isDelivered) expect(await spent()).toBe(54n)
    else if (answer !== null) expect(answer.status, answer.text).toBe(502)
  }
  batch = { hasEnded: true, lines: all }
  expect(await eventuallySpent()).toBe(54n)
  expect((await ask('GET', `/${id}/results`)).text.trimEnd().split('\n')).toHaveLength(3)
})

test('a result that cannot be read is charged by an estimate, and the other results are charged by their usage', async () => {
  for (const result of ['{"type":"new"}', '{"type":"succeeded","message":"text"}', '{"type":"succeeded"}']) {
    /* oxlint-disable no-await-in-loop -- one batch after the other */
    user = await app.newUser({ balanceMicros: credit })
    batch = { hasEnded: false, lines: [] }
    const id = await create()
    const bad = `{"custom_id":"a","result":${result}}`
    batch = { hasEnded: true, lines: [bad, succeeded('b', usage), succeeded('c', usage)] }
    const charge = await eventuallySpent()
    expect(charge).toBeGreaterThan(36n)
    const records = await user.requests()
    expect(records.map(({ errorCode, status }) => `${status} ${errorCode}`).toSorted()).toEqual([
      'settled null',
      'settled null',
      'settled upstream_error',
    ])
    const { text } = await ask('GET', `/${id}/results`)
    const [first, ...others] = text.trimEnd().split('\n')
    expect(JSON.parse(first ?? '')).toMatchObject({ custom_id: 'a', result: { type: 'errored' } })
    expect(others).toHaveLength(2)
    expect(await spent()).toBe(charge)
    /* oxlint-enable no-await-in-loop */
  }
})

test('if results of a complete batch remain unreadable, the requests without a readable result are charged by an estimate', async () => {
  const strict = await serverWith(300, 200)
  const own = await applicationOf(strict, port)
  const owner = await own.newUser({ balanceMicros: credit })
  const id = await create(own, owner.key)
  batch = { hasEnded: true, lines: ['{', succeeded('b', usage)] }
  expect(await eventuallySpent(owner)).toBeGreaterThan(18n)
  const records = await owner.requests()
  expect(records.map(({ errorCode, status }) => `${status} ${errorCode}`).toSorted()).toEqual([
    'settled null',
    'settled upstream_error',
    'settled upstream_error',
  ])
  expect((await ask('GET', `/${id}/results`, undefined, own, owner.key)).status).toBe(404)
  await own.provider.close()
  await strict.close()
})

test('if the provider loses a batch, the holds of its requests are released, and its ID becomes unknown', async () => {
  const id = await create()
  batch = null
  expect(await eventuallySpent()).toBe(0n)
  // The batch reappears at the provider, after the gateway has released the holds of its requests.
  batch = { hasEnded: true, lines: names.map((name) => succeeded(name, usage)) }
  expect((await ask('GET', `/${id}/results`)).status).toBe(404)
  const records = await user.requests()
  expect(records.map(({ errorCode, status }) => `${status} ${errorCode}`)).toEqual(
    names.map(() => 'released batch_not_found'),
  )
})

test('if the provider breaks the connection or returns no ID, no batch is created and nothing is charged', async () => {
  onCreate = (response) => response.destroy()
  expect((await ask('POST', '', requestsOf())).status).toBe(502)
  onCreate = (response) => response.writeHead(200, json).end('{"type":"message_batch"}')
  expect((await ask('POST', '', requestsOf())).status).toBe(502)
  onCreate = (response) => response.writeHead(529, json).end('{"type":"error"}')
  expect((await ask('POST', '', requestsOf())).status).toBeGreaterThanOrEqual(500)
  expect(await spent()).toBe(0n)
  expect((await ask('GET', '')).body.data).toEqual([])
})

test('a batch that does not end after its deadline is canceled, and the holds of its requests are released', async () => {
  const strict = await serverWith(300, 200)
  const own = await applicationOf(strict, port)
  const owner = await own.newUser({ balanceMicros: credit })
  const id = await create(own, owner.key)
  expect(await eventuallySpent(owner)).toBe(0n)
  expect(canceled).toBeGreaterThan(0)
  batch = { hasEnded: true, lines: names.map((name) => succeeded(name, usage)) }
  expect((await ask('GET', `/${id}/results`, undefined, own, owner.key)).status).toBe(404)
  await own.provider.close()
  await strict.close()
})

/** Expired requests are not billed, and finished requests of an expired or canceled batch are. */
const finishedInPart = {
  hasEnded: true,
  lines: [
    succeeded('a', usage),
    ...['b', 'c'].map((custom_id) => JSON.stringify({ custom_id, result: { type: 'expired' } })),
  ],
}

test('if the provider is unavailable at the deadline of a batch, the finished requests are charged when it responds again', async () => {
  const deadlineMs = 300
  const strict = await serverWith(deadlineMs)
  const own = await applicationOf(strict, port)
  const owner = await own.newUser({ balanceMicros: credit })
  const id = await create(own, owner.key)
  const lateMs = Date.now() + deadlineMs
  const asked = Promise.withResolvers<void>()
  let late = 0
  onAsk = () => {
    if (Date.now() > lateMs && ++late === 10) asked.resolve()
  }
  isAway = true
  // Each look after the deadline sends at most three requests, so the watcher has looked several times.
  await asked.promise
  expect((await owner.balance()).reservedMicros).toBeGreaterThan(0n)
  batch = finishedInPart
  isAway = false
  expect(await eventuallySpent(owner)).toBe(18n)
  const results = await ask('GET', `/${id}/results`, undefined, own, owner.key)
  expect(results.text.trimEnd().split('\n')).toHaveLength(3)
  await own.provider.close()
  await strict.close()
})

test('if the provider needs time to cancel a batch after the deadline, the finished requests are charged', async () => {
  const strict = await serverWith(300)
  const own = await applicationOf(strict, port)
  const owner = await own.newUser({ balanceMicros: credit })
  await create(own, owner.key)
  let asked = 0
  onAsk = () => {
    if (canceled > 0 && ++asked === 6) batch = finishedInPart
  }
  expect(await eventuallySpent(owner)).toBe(18n)
  expect(asked).toBeGreaterThan(5)
  await own.provider.close()
  await strict.close()
})

test('if the account of a batch is deleted, the holds of its requests are released', async () => {
  const id = await create()
  expect((await user.balance()).reservedMicros).toBeGreaterThan(0n)
  await app.api('DELETE', `/v1/models/${encodeURIComponent('acme/claude')}`)
  await app.api('DELETE', '/v1/providers/claude')
  expect(await eventuallySpent()).toBe(0n)
  expect((await ask('GET', `/${id}`)).status).toBe(404)
})
