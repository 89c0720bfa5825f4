/** Tests responses in forms that official APIs do not use, but some servers and proxies do. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { costMicros } from '../support/expected-costs.ts'
import type { Behaviour } from '../support/fake-provider.ts'
import {
  answerOf,
  makeApplication,
  settledBalance,
  startServer,
  textsOf,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'

let server: LocalServer
let app: Application
let user: User
const credit = 100_000_000n

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})
beforeEach(async () => {
  app.provider.script({})
  user = await app.newUser({ balanceMicros: credit })
})

async function called(behaviour: Behaviour, stream: boolean) {
  app.provider.enqueue(behaviour)
  const before = await settledBalance(user)
  const answer = await app.call(user, { stream })
  const charge = before - (await settledBalance(user))
  const shown = await app.api('GET', `/v1/requests/${answer.headers.get('x-request-id')}`)
  const text =
    answer.status !== 200
      ? ''
      : stream
        ? textsOf(answer.text).join('')
        : answer.body.choices[0].message.content
  return { answer, charge, shown, text }
}

const usual = 3

describe.each([true, false])('stream: %s', (stream) => {
  test.each(['gzip', 'deflate', 'br', 'zstd'] as const)(
    'a response in %s is decoded and charged',
    async (encoding) => {
      const { answer, charge, text } = await called({ encoding }, stream)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-encoding')).toBeNull()
      expect(text).toBe(' word0 word1 word2')
      expect(charge).toBe(costMicros(app.rates, { input: 10, output: usual }))
    },
  )

  test('an error in an unsupported encoding reveals nothing about the provider', async () => {
    const { answer, charge } = await called({ headers: { 'content-encoding': 'compress' } }, stream)
    expect(answer.status).toBe(502)
    expect(charge).toBe(0n)
  })

  test('a byte order mark is removed, and the first frame has the model name that the client requested', async () => {
    const { answer, charge, text } = await called({ prefix: '\ufeff', model: 'provider-secret' }, stream)
    expect(answer.status).toBe(200)
    expect(answer.text).not.toContain('provider-secret')
    expect(answer.text.charCodeAt(0)).not.toBe(0xfeff)
    expect(text).toBe(' word0 word1 word2')
    expect(charge).toBe(costMicros(app.rates, { input: 10, output: usual }))
  })

  test('if another model answers, the cost is marked as disputed, and only the owner sees the name of this model', async () => {
    const { answer, charge, shown } = await called({ model: 'gpt-other' }, stream)
    expect(answer.text).not.toContain('gpt-other')
    expect(charge).toBe(costMicros(app.rates, { input: 10, output: usual }))
    expect(shown.settle.isDisputed).toBe(true)
    expect(shown.route.answeredBy).toBe('gpt-other')
    const { substitutedModels } = await app.api('GET', '/v1/health')
    expect(substitutedModels[0]).toMatchObject({
      model: shown.route.model,
      answeredBy: 'gpt-other',
      lastRequestId: answer.headers.get('x-request-id'),
    })
  })

  test('the cost of an answer by a snapshot of the requested model is not disputed', async () => {
    const plain = await called({}, stream)
    const { shown } = await called({ model: `${plain.shown.route.model}-2026-01-31` }, stream)
    for (const { route, settle } of [plain.shown, shown]) {
      expect(settle.isDisputed).toBeNull()
      expect(route).not.toHaveProperty('answeredBy')
    }
  })
})

test.each(['text/plain', 'text/plain; charset=utf-8', 'application/octet-stream', ''])(
  'a response with events is a stream, even if its media type is %j',
  async (contentType) => {
    for (const behaviour of [
      {},
      { splitBytes: 3 },
      { framePrefix: ': PROCESSING\n\n' },
      { prefix: '\ufeff' },
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const { charge, text } = await called({ ...behaviour, contentType }, true)
      expect(text).toBe(' word0 word1 word2')
      expect(charge).toBe(costMicros(app.rates, { input: 10, output: usual }))
    }
  },
)

test.each([
  '<html>busy</html>',
  'upstream connect error or disconnect/reset before headers',
  '{"a":1}',
  'da',
])('plain text without events is not a stream: %s', async (body) => {
  const { answer, charge } = await called({ contentType: 'text/plain', body }, true)
  expect(answer.status).toBe(502)
  expect(charge).toBe(0n)
})

test('the first frame after a byte order mark is also converted to the client’s wire', async () => {
  app.provider.enqueue({ prefix: '\ufeff', chunks: ['Hello'] })
  const response = await fetch(`${app.gateway}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': user.key, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({
      model: app.model,
      messages: [{ role: 'user', content: 'x' }],
      max_tokens: 20,
      stream: true,
    }),
  })
  const answer = await answerOf(response)
  expect(answer.text).toContain('"text":"Hello"')
})
