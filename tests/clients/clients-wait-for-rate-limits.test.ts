/**
 * If an end user's rate limit is exceeded, the official client waits as long as the gateway states, and then
 * succeeds. The test moves the clock of test mode to shortly before the end of a minute, so that the client really
 * waits, but only briefly.
 */
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  control,
  makeApplication,
  startServer,
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

// oxlint-disable-next-line typescript/no-explicit-any -- as `Answer.body`
async function inTest(method: string, path: string, body?: unknown): Promise<any> {
  const headers = { 'x-svc-app': app.slug, 'x-svc-mode': 'test' }
  const answer = await control(server, method, path, body, headers)
  expect(answer.status, answer.text).toBe(200)
  return answer.body
}

/** Returns the end user's key. */
async function limitedKey(endUserId: string, limits: readonly object[]): Promise<string> {
  const { key } = await inTest('POST', '/v1/keys', { endUserId, livemode: false })
  await inTest('POST', '/v1/grants', { endUsers: [endUserId], amountUnits: '100000000', reason: 'test' })
  await inTest('PUT', `/v1/end-users/${endUserId}/limit`, { limits })
  return key
}

const minuteMs = 60_000
/** Time from a client's first request to the next minute. */
const beforeMs = 3_000

async function moveToEndOfMinute(): Promise<number> {
  const { now } = await app.api('GET', '/v1/test-clock')
  const nextMs = (Math.floor((Date.parse(now) + beforeMs) / minuteMs) + 1) * minuteMs
  await app.api('POST', '/v1/test-clock/advance', { to: new Date(nextMs - beforeMs).toISOString() })
  return nextMs
}

const limits = [
  { measure: 'requests', window: 'minute', most: '1' },
  { measure: 'requests', window: 'day', most: '500' },
  { measure: 'tokens', window: 'minute', most: '900000' },
  { measure: 'outputTokens', window: 'hour', most: '800000' },
]

interface Seen {
  readonly atMs: number
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

function recorder(): { readonly seen: Seen[]; readonly fetch: typeof fetch } {
  const seen: Seen[] = []
  return {
    seen,
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      const body = await response.clone().text()
      seen.push({ atMs: performance.now(), status: response.status, headers: response.headers, body })
      return response
    },
  }
}

const prompt = 'Hello'
const officialClients = {
  'openai, chat': (apiKey: string, own: typeof fetch, maxRetries: number) => {
    const openai = new OpenAI({ apiKey, baseURL: `${app.gateway}/v1`, fetch: own, maxRetries })
    return () =>
      openai.chat.completions.create({ model: app.model, messages: [{ role: 'user', content: prompt }] })
  },
  'openai, responses': (apiKey: string, own: typeof fetch, maxRetries: number) => {
    const openai = new OpenAI({ apiKey, baseURL: `${app.gateway}/v1`, fetch: own, maxRetries })
    return () => openai.responses.create({ model: app.model, input: prompt })
  },
  anthropic: (apiKey: string, own: typeof fetch, maxRetries: number) => {
    const anthropic = new Anthropic({ apiKey, baseURL: app.gateway, fetch: own, maxRetries })
    return () =>
      anthropic.messages.create({
        model: app.model,
        max_tokens: 50,
        messages: [{ role: 'user', content: prompt }],
      })
  },
  'google genai': (apiKey: string, own: typeof fetch, maxRetries: number) => {
    const google = new GoogleGenAI({
      apiKey,
      httpOptions: {
        baseUrl: app.gateway,
        fetch: own,
        ...(maxRetries > 0 && { retryOptions: { attempts: maxRetries + 1 } }),
      },
    })
    return () => google.models.generateContent({ model: app.model, contents: prompt })
  },
} as const

/**
 * Google's client ignores the wait time that the gateway states. Google's client waits about 1, 2 and 4 s, so it
 * needs more than one retry.
 */
const retriesOf = { 'openai, chat': 1, 'openai, responses': 1, anthropic: 1, 'google genai': 4 } as const
const names = ['openai, chat', 'openai, responses', 'anthropic', 'google genai'] as const

test.each(names)(
  '%s waits until its rate limit resets, and then succeeds',
  async (name) => {
    const key = await limitedKey(`waits-${names.indexOf(name)}`, limits)
    const { fetch: own, seen } = recorder()
    const ask = officialClients[name](key, own, retriesOf[name])
    const nextMs = await moveToEndOfMinute()
    await ask()
    await ask()
    const [first, rejected, ...later] = seen
    expect([first?.status, rejected?.status, later.at(-1)?.status]).toEqual([200, 429, 200])
    if (retriesOf[name] === 1) expect(later).toHaveLength(1)
    expect(later.filter(({ status }) => status === 200)).toHaveLength(1)

    const { body, headers } = rejected ?? expect.unreachable()
    const waitMs = Number(headers.get('retry-after-ms'))
    expect(waitMs).toBeGreaterThan(0)
    expect(waitMs).toBeLessThanOrEqual(beforeMs)
    expect(headers.get('retry-after')).toBe(String(Math.ceil(waitMs / 1000)))
    expect(headers.get('x-should-retry')).toBe('true')
    expect((later.at(-1)?.atMs ?? 0) - (rejected?.atMs ?? 0)).toBeGreaterThanOrEqual(waitMs - 2)

    const { error, type } = JSON.parse(body)
    if (name === 'anthropic') {
      expect([type, error.type]).toEqual(['error', 'rate_limit_error'])
      const reset = new Date(nextMs).toISOString().replace('.000Z', 'Z')
      expectHeaders(headers, 'anthropic-ratelimit-', {
        'requests-limit': '1',
        'requests-remaining': '0',
        'requests-reset': reset,
        'tokens-limit': '900000',
        'output-tokens-limit': '800000',
      })
      expect(Number(headers.get('anthropic-ratelimit-tokens-remaining'))).toBeLessThan(900_000)
      expect(first?.headers.get('anthropic-ratelimit-requests-reset')).toBe(reset)
      expect(headers.get('x-ratelimit-limit-requests')).toBeNull()
    } else if (name === 'google genai') {
      expect([error.code, error.status]).toEqual([429, 'RESOURCE_EXHAUSTED'])
      const of = (kind: string): Record<string, unknown> =>
        error.details.find((detail: Record<string, string>) => detail['@type']?.endsWith(kind))
      expect(of('RetryInfo')['retryDelay']).toBe(`${waitMs / 1000}s`)
      expect(of('QuotaFailure')['violations']).toMatchObject([
        { quotaId: 'RequestsPerMinutePerEndUser', quotaMetric: 'tollgate/requests', quotaValue: '1' },
      ])
      expect([...headers.keys()].filter((header) => header.includes('ratelimit'))).toEqual([])
    } else {
      expect([error.type, error.code]).toEqual(['rate_limit_error', 'rate_limited'])
      for (const answer of [first, rejected, later[0]])
        expectHeaders(answer?.headers ?? new Headers(), 'x-ratelimit-', {
          'limit-requests': '1',
          'remaining-requests': '0',
          'limit-tokens': '900000',
        })
      const reset = headers.get('x-ratelimit-reset-requests') ?? ''
      expect(reset).toMatch(/^(?:[123]s|\d{1,3}ms)$/)
      expect(headers.get('anthropic-ratelimit-requests-limit')).toBeNull()
    }
  },
  30_000,
)

test('a client that exceeds a limit of concurrent requests succeeds when another request ends', async () => {
  const key = await limitedKey('concurrent', [{ measure: 'calls', most: '1' }])
  const { fetch: own, seen } = recorder()
  const openai = new OpenAI({ apiKey: key, baseURL: `${app.gateway}/v1`, fetch: own, maxRetries: 4 })
  const ask = (content: string) =>
    openai.chat.completions.create({ model: app.model, messages: [{ role: 'user', content }] })
  const answers = await Promise.all([ask('[[wait=700ms text=one]]'), ask('[[wait=700ms text=two]]')])
  expect(answers.map(({ choices }) => choices[0]?.message.content)).toEqual(['one', 'two'])
  const statuses = seen.map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(2)
  expect(statuses[0]).toBe(429)
  const waitMs = Number(seen[0]?.headers.get('retry-after-ms'))
  expect(waitMs).toBeGreaterThan(0)
  expect(waitMs).toBeLessThanOrEqual(1_000)
  expect([...(seen[0]?.headers.keys() ?? [])].filter((name) => name.includes('ratelimit'))).toEqual([])
})

test('responses to an end user without limits have no rate-limit headers', async () => {
  const key = await limitedKey('free', [])
  for (const name of names) {
    const { fetch: own, seen } = recorder()
    // oxlint-disable-next-line no-await-in-loop -- few clients
    await officialClients[name](key, own, 0)()
    expect([...(seen[0]?.headers.keys() ?? [])].filter((header) => header.includes('ratelimit'))).toEqual([])
  }
})

function expectHeaders(headers: Headers, prefix: string, expected: Readonly<Record<string, string>>): void {
  const found = Object.keys(expected).map((name) => [name, headers.get(prefix + name)])
  expect(Object.fromEntries(found)).toEqual(expected)
}
