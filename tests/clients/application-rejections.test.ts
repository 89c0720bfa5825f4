import Anthropic from '@anthropic-ai/sdk'
import { ApiError, GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeApplication, startServer, type Application, type LocalServer } from '../support/start-product.ts'

let server: LocalServer
let app: Application
let key: string

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  ;({ key } = await app.newUser({ balanceMicros: 1_000_000n }))
})
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

/** Also returns the number of requests that the client sent. */
async function errors() {
  let sent = 0
  const counting: typeof fetch = (input, init) => {
    sent++
    return fetch(input, init)
  }
  const { model } = app
  const messages = [{ role: 'user' as const, content: 'Hello' }]
  const openai = new OpenAI({ apiKey: key, baseURL: `${app.gateway}/v1`, fetch: counting })
  const anthropic = new Anthropic({ apiKey: key, baseURL: app.gateway, fetch: counting })
  const google = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: app.gateway } })
  const found = {
    chat: await errorOf(openai.chat.completions.create({ model, messages })),
    chatStream: await errorOf(openai.chat.completions.create({ model, messages, stream: true })),
    responses: await errorOf(openai.responses.create({ model, input: 'Hello' })),
    messages: await errorOf(anthropic.messages.create({ model, max_tokens: 10, messages })),
  }
  expect(sent, 'no client repeats it').toBe(4)
  return { ...found, generate: await errorOf(google.models.generateContent({ model, contents: 'Hello' })) }
}

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  )
}

/** The day of the week three days from now, so that it is never today, even if the test runs past midnight. */
const otherDay = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][(new Date().getUTCDay() + 3) % 7]
const cases = [
  { code: 'address_not_allowed', status: 403, type: 'permission_error', set: { addresses: ['192.0.2.1'] } },
  {
    code: 'outside_hours',
    status: 403,
    type: 'permission_error',
    set: { hours: [{ days: [otherDay], from: '00:00', until: '00:01' }] },
  },
] as const

describe.each(cases)('$code', ({ code, set, status, type }) => {
  test('every client throws its typed error for a rejection', async () => {
    await app.api('PATCH', '/v1/gateway', { addresses: null, hours: null, ...set })
    const { chat, chatStream, generate, messages, responses } = await errors()
    for (const error of [chat, chatStream, responses]) {
      expect(error).toBeInstanceOf(OpenAI.PermissionDeniedError)
      expect(error).toMatchObject({ status, code, type })
    }
    expect(messages).toBeInstanceOf(Anthropic.PermissionDeniedError)
    expect(messages).toMatchObject({ status, error: { error: { type, details: { error_code: code } } } })
    expect(generate).toBeInstanceOf(ApiError)
    expect(generate).toMatchObject({ status, message: expect.stringContaining(code) })
    await app.api('PATCH', '/v1/gateway', { addresses: null, hours: null })
  })
})

test('if a daily limit of the organization is reached, every client throws its typed error, without the value of the limit', async () => {
  await setLimits({ callsPerDay: 0 })
  const { chat, chatStream, generate, messages, responses } = await errors()
  for (const error of [chat, chatStream, responses]) {
    expect(error).toBeInstanceOf(OpenAI.PermissionDeniedError)
    expect(error).toMatchObject({
      code: 'organization_limit_reached',
      error: { limitSource: 'calls_per_day' },
    })
  }
  expect(messages).toBeInstanceOf(Anthropic.PermissionDeniedError)
  expect(generate).toBeInstanceOf(ApiError)
  for (const error of [chat, messages, generate]) expect(JSON.stringify(error)).not.toContain('"used"')
  await setLimits({ callsPerDay: null })
})

function setLimits(body: object): Promise<unknown> {
  return app.api('PATCH', '/v1/limits', body)
}
