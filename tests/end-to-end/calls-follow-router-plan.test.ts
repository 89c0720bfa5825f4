import { afterAll, beforeAll, expect, test } from 'vitest'
import { startFakeProvider, type FakeProvider } from '../support/fake-provider.ts'
import {
  makeApplication,
  startServer,
  upstreamKey,
  upstreamModel,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application
let user: User
let failing: FakeProvider
beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  user = await app.newUser({ balanceMicros: 10_000_000n })
  failing = await startFakeProvider({ status: 503, body: { error: { message: 'no room here' } } })
  await app.api('PUT', '/v1/providers/failing', {
    kind: 'openai_compatible',
    baseUrl: failing.baseUrl,
    apiKey: upstreamKey,
  })
  const price = { input: '9000000', output: '9000000' }
  await app.api('POST', '/v1/providers/failing/price', { model: 'dear', price })
  await app.api('PUT', '/v1/routers/acme%2Fbest', {
    policy: 'priority',
    targets: [
      { provider: 'failing', model: 'unpriced' },
      { provider: 'failing', model: 'dear', timeouts: { firstByteMs: 9_000 } },
      { alias: app.model },
    ],
    attempts: { retriesPerTarget: 0 },
  })
})
afterAll(async () => {
  await Promise.all([failing.close(), app.provider.close()])
  await server.close()
})

const plan = (body: object) => app.api('POST', '/v1/routers/acme%2Fbest/plan', body)
const namesOf = (targets: readonly { provider: string; model: string }[]): string[] =>
  targets.map(({ model, provider }) => `${provider}/${model}`)

test('a plan lists the order, the skipped targets and the costs without sending a request, and a call follows the plan', async () => {
  const request = { messages: [{ role: 'user', content: 'Hello' }], max_tokens: 100 }
  const planned = await plan({ request })
  expect(planned).toMatchObject({ name: 'acme/best', router: 'acme/best', policy: 'priority', refusal: null })
  expect(namesOf(planned.targets)).toEqual([
    'failing/unpriced',
    'failing/dear',
    `${app.slug}/${upstreamModel}`,
  ])
  const [unpriced, dear, last] = planned.targets
  expect([unpriced.skip.code, unpriced.worstMicros]).toEqual(['unpriced', null])
  expect([dear.skip, dear.circuit, dear.deadlines.firstByteMs]).toEqual([
    null,
    { state: 'closed', until: null, why: null },
    9_000,
  ])
  expect(BigInt(dear.worstMicros)).toBeGreaterThan(BigInt(dear.expectedMicros) - 1n)
  expect(last.path).toEqual(['acme/best', app.model])
  expect([failing.calls.length, app.provider.calls.length]).toEqual([0, 0])

  const answered = await app.call(user, { model: 'acme/best', max_tokens: 100 })
  expect(answered.status, answered.text).toBe(200)
  expect([failing.calls.length, app.provider.calls.length]).toEqual([1, 1])

  const id = answered.headers.get('x-request-id') ?? ''
  const explained = await app.api('GET', `/v1/requests/${id}`)
  expect(explained.route).toMatchObject({ router: 'acme/best', policy: 'priority' })
  expect(
    explained.route.candidates.map(({ account, model, skipCode }: Record<string, unknown>) => [
      account,
      model,
      skipCode,
    ]),
  ).toEqual([
    ['failing', 'unpriced', 'unpriced'],
    ['failing', 'dear', null],
    [app.slug, upstreamModel, null],
  ])
  const [first, second] = explained.attempts
  expect(first).toMatchObject({
    n: 1,
    target: 'failing/dear',
    status: 503,
    code: 'upstream_overloaded',
    costMicros: '0',
    deadlines: { firstByteMs: 9_000 },
  })
  expect(second).toMatchObject({ n: 2, target: `${app.slug}/${upstreamModel}`, status: 200, code: null })
  expect(second.costMicros).toBe(explained.settle.costMicros)
  expect(explained.settle.failedAttemptsMicros).toBe('0')

  const past = await plan({ requestId: id })
  expect(namesOf(past.targets)).toEqual(namesOf(planned.targets))
  expect(past.inputTokens).toBe(explained.quote.inputTokensEstimated)

  const { windows } = await app.api('GET', '/v1/health?window=5m')
  expect(
    windows[0].targets.map(
      ({ calls, failed, model }: { calls: number; failed: { provider: number }; model: string }) => [
        model,
        calls,
        failed.provider,
      ],
    ),
  ).toEqual(
    expect.arrayContaining([
      ['dear', 1, 1],
      [upstreamModel, 1, 0],
    ]),
  )
})

test('a plan can be requested for a model, for an invalid request, and for a bundle that does not allow the model name', async () => {
  const encoded = encodeURIComponent(app.model)
  const ofModel = await app.api('POST', `/v1/routers/${encoded}/plan`, {
    wire: 'messages',
    request: { max_tokens: 5, messages: [{ role: 'user', content: 'Hello' }] },
  })
  expect([ofModel.router, namesOf(ofModel.targets)]).toEqual([null, [`${app.slug}/${upstreamModel}`]])
  const wrong = await plan({ request: { messages: 'none' } })
  expect([wrong.targets, wrong.refusal.code]).toEqual([[], 'invalid_request'])
  await app.api('PUT', '/v1/bundles/closed', { displayName: 'Closed' })
  const closed = await plan({ request: { messages: [] }, bundle: 'closed' })
  expect(closed.refusal.code).toMatch(/model_not_allowed|invalid_request/)
  await expect(plan({})).rejects.toThrow('Exactly one of request and requestId')
})
