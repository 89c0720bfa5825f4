/**
 * Tests requests for a service tier that costs more, if the response of the provider does not state which tier served
 * the request.
 */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Behaviour } from '../support/fake-provider.ts'
import {
  connectAccount,
  eventually,
  makeApplication,
  settledBalance,
  startServer,
  upstreamKey,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  await connectAccount(app, 'fast', {
    kind: 'openai_compatible',
    baseUrl: app.provider.baseUrl,
    apiKey: upstreamKey,
    model: 'fast-1',
    price: { input: '1000000', output: '10000000', serviceTiers: { priority: '2000' } },
  })
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }

async function called(user: User, behaviour: Behaviour, body: object) {
  app.provider.enqueue(behaviour)
  const before = await settledBalance(user)
  const answer = await app.call(user, { model: 'acme/fast', service_tier: 'priority', ...body })
  expect(answer.status).toBe(200)
  const id = answer.headers.get('x-request-id')
  const { settle, usage: counted } = await eventually(() => app.api('GET', `/v1/requests/${id}`))
  expect(before - (await settledBalance(user))).toBe(BigInt(settle.chargeMicros))
  return { charge: Number(settle.chargeMicros), counted }
}

test.each([true, false])(
  'stream %s: without a tier in the response, the requested tier is charged',
  async (stream) => {
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    const { charge } = await called(user, { usage, isUsageForced: true }, { stream, max_tokens: 100 })
    expect(charge).toBe(2 * (10 * 1 + 5 * 10))
  },
)

test('the tier in the response is charged instead of the requested tier', async () => {
  const user = await app.newUser({ balanceMicros: 1_000_000n })
  const body = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    model: 'fast-1',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
    service_tier: 'default',
    usage,
  }
  const { charge } = await called(user, { body }, { max_tokens: 100 })
  expect(charge).toBe(10 * 1 + 5 * 10)
})

test.each([true, false])('stream %s: an estimated usage costs the requested tier', async (stream) => {
  const user = await app.newUser({ balanceMicros: 1_000_000n })
  const { charge, counted } = await called(user, { usage: null }, { stream, max_tokens: 100 })
  expect(counted.tokenSource).toBe('estimated')
  expect(charge).toBe(2 * (counted.input * 1 + counted.output * 10))
})

test('a stream is cut when its output at the requested tier has used up the balance', async () => {
  const balanceMicros = 40_000n
  const user = await app.newUser({ balanceMicros })
  const { counted } = await called(user, { isEndless: true }, { stream: true })
  expect(2 * counted.output * 10).toBeLessThan(Number(balanceMicros) * 1.05)
})
