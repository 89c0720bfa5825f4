/** A request in test mode asks the simulator for a fault. The error of the fault must not name a model provider. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  makeApplication,
  startServer,
  testKeyOf,
  type Application,
  type LocalServer,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application
let key: string

beforeAll(async () => {
  server = await startServer({
    limits: { deadlines: { connectMs: 1_000, firstByteMs: 200, idleMs: 200, totalMs: 1_000 } },
  })
  app = await makeApplication(server)
  key = await testKeyOf(app)
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

const statuses = [400, 401, 402, 403, 404, 413, 418, 429, 500, 502, 503, 529]
const orders = [
  ...statuses.map((status) => `fail=${status}`),
  'error=first',
  'hang=headers',
  'cut=0',
  'broken',
]

test.each(orders)(
  'the simulator returns the result that [[%s]] requests, non-streaming and streamed, on every wire',
  async (order) => {
    const text = `[[${order}]]`
    const messages = [{ role: 'user', content: text }]
    const generate = `/v1beta/models/${encodeURIComponent(app.model)}`
    for (const stream of [false, true]) {
      const asked: readonly (readonly [string, object])[] = [
        ['/v1/chat/completions', { model: app.model, stream, messages }],
        ['/v1/messages', { model: app.model, stream, messages, max_tokens: 50 }],
        ['/v1/responses', { model: app.model, stream, input: text }],
        [
          `${generate}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
          { contents: [{ role: 'user', parts: [{ text }] }] },
        ],
      ]
      for (const [path, body] of asked) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        const answer = await fetch(app.gateway + path, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
        // oxlint-disable-next-line no-await-in-loop
        const said = await answer.text()
        expect([path, stream, said]).toEqual([path, stream, expect.stringMatching(/simulat/i)])
        expect(said).not.toMatch(/model provider/i)
      }
    }
    expect(app.provider.calls).toEqual([])
  },
)
