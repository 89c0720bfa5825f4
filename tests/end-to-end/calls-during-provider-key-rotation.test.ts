import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  arrival,
  makeApplication,
  startServer,
  upstreamKey,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application
beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

const newKey = 'sk-upstream-rotated-9876'

test('calls in flight end with the old key, and every later call is sent only with the new key', async () => {
  const user = await app.newUser({ balanceMicros: 1_000_000_000n })
  app.provider.enqueue({ hang: 'headers' }, { hang: 'mid' })
  const first = arrival(app.provider)
  const whole = app.call(user)
  const sentWhole = await first
  const second = arrival(app.provider)
  const streamed = app.call(user, { stream: true })
  const sentStreamed = await second

  const rotated = await app.api('POST', `/v1/providers/${app.slug}/rotate`, { apiKey: newKey })
  expect(rotated.lastFour).toBe('9876')
  const after = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const sent = app.provider.nextCall()
      expect((await app.call(user)).status).toBe(200)
      return (await sent).headers.authorization
    }),
  )
  expect(new Set(after)).toEqual(new Set([`Bearer ${newKey}`]))

  app.provider.release()
  expect([(await whole).status, (await streamed).status]).toEqual([200, 200])
  for (const { headers } of [sentWhole, sentStreamed]) {
    expect(headers.authorization).toBe(`Bearer ${upstreamKey}`)
  }
})
