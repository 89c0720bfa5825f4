import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  answerOf,
  makeApplication,
  startServer,
  upstreamModel,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application
let user: User
beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  user = await app.newUser({ balanceMicros: 1_000_000n })
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

const listed = async (): Promise<string[]> => {
  const headers = { authorization: `Bearer ${user.key}` }
  const { body } = await answerOf(await fetch(`${app.gateway}/v1/models`, { headers }))
  return body.data.map(({ id }: { id: string }) => id)
}
const route = (name: string, target: object) =>
  app.api('PUT', `/v1/routers/${encodeURIComponent(name)}`, { policy: 'priority', targets: [target] })

test('a router is in the list of models while one of its targets can be called and the bundle allows the router', async () => {
  await route('acme/routed', { alias: app.model })
  await route('acme/unpriced', { provider: app.slug, model: 'nobody-prices-this' })
  await route('beta/routed', { provider: app.slug, model: upstreamModel })
  expect(await listed()).toEqual(['acme/routed', app.model].toSorted())
  const headers = { authorization: `Bearer ${user.key}` }
  const one = await answerOf(await fetch(`${app.gateway}/v1/models/acme%2Frouted`, { headers }))
  expect([one.status, one.body.id]).toEqual([200, 'acme/routed'])
  await app.api('POST', `/v1/models/${encodeURIComponent(app.model)}/disable`)
  expect(await listed()).toEqual([])
  await app.api('POST', `/v1/models/${encodeURIComponent(app.model)}/enable`)
  await app.api('PATCH', '/v1/gateway', { models: [app.model] })
  expect(await listed()).toEqual([app.model])
})
