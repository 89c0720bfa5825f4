/** If a request chooses the host of a model, the gateway sends the model's price as the maximum price. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  connectAccount,
  makeApplication,
  settledBalance,
  startServer,
  testKeyOf,
  upstreamKey,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  const account = { baseUrl: app.provider.baseUrl, apiKey: upstreamKey, kind: 'openrouter' }
  const price = { input: '250000', output: '1500001', cacheWrite: '300000' }
  await connectAccount(app, 'openrouter', { ...account, model: 'x-ai/own', price })
  const perRequest = { ...price, request: '20000' }
  await connectAccount(app, 'paid', { ...account, model: 'x-ai/paid', price: perRequest })
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

test.each([
  ['acme/openrouter', { order: ['xai'], allow_fallbacks: false }, '0.000000'],
  ['acme/openrouter', {}, '0.000000'],
  ['acme/paid', { only: ['xai'] }, '0.020000'],
])(
  'a request to %s with %j gets the price of the model as its maximum price',
  async (model, provider, request) => {
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    for (const stream of [false, true]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other, because they share the provider
      const answer = await app.call(user, { model, provider, stream, max_tokens: 20 })
      expect(answer.status).toBe(200)
      const maximum = `"max_price":{"prompt":0.250000,"completion":1.500001,"request":${request}}`
      expect(app.provider.calls.at(-1)?.text).toContain(`"provider":{${maximum}`)
      expect(app.provider.calls.at(-1)?.body?.['provider']).toMatchObject(provider)
    }
    expect(await settledBalance(user)).toBeLessThan(1_000_000n)
  },
)

test('a request that chooses a host is rejected if the provider is not OpenRouter, or if it sets a maximum price', async () => {
  const user = await app.newUser({ balanceMicros: 1_000_000n })
  const calls = app.provider.calls.length
  const elsewhere = await app.call(user, { provider: { order: ['xai'] } })
  expect([elsewhere.status, elsewhere.body.error]).toMatchObject([
    400,
    { code: 'unsupported_for_route', param: 'provider' },
  ])
  const dear = { model: 'acme/openrouter', provider: { max_price: { prompt: 900 } } }
  const rejected = await app.call(user, dear)
  expect([rejected.status, rejected.body.error]).toMatchObject([
    400,
    { code: 'unsupported_for_route', param: 'provider.max_price' },
  ])
  expect(app.provider.calls).toHaveLength(calls)
})

test('in test mode, the simulator answers a request that chooses a host', async () => {
  const key = await testKeyOf(app)
  const answer = await app.call({ key }, { model: 'acme/openrouter', provider: { order: ['xai'] } })
  expect([answer.status, answer.body.error]).toEqual([200, undefined])
})
