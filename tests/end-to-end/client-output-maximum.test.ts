/**
 * On every wire, the hold never exceeds the client's maximum, and a stream costs the same as a non-streaming
 * response. Without a maximum, a stream first holds a small amount, which the gateway extends.
 */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { worstMicros } from '../support/expected-costs.ts'
import {
  connectAccount,
  makeApplication,
  settledBalance,
  startServer,
  type Answer,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'
import { sampleOfCases } from '../support/reduced-suite.ts'
import { startVendor, type Vendor } from '../support/simulated-vendor.ts'

const kinds = {
  chat: { kind: 'openai_compatible', vendor: 'openai', model: 'deepseek-chat' },
  responses: { kind: 'openai', vendor: 'openai', model: 'gpt-5.4' },
  messages: { kind: 'anthropic', vendor: 'anthropic', model: 'claude-opus-4-8' },
  generate: { kind: 'google', vendor: 'google', model: 'gemini-3.1-pro-preview' },
} as const
type Wire = keyof typeof kinds
const wires: readonly Wire[] = ['chat', 'messages', 'generate', 'responses']
const pairs = sampleOfCases(
  wires.flatMap((client) => Object.keys(kinds).map((provider) => [client, provider] as const)),
  3,
)

/** Each token costs one micro. */
const price = {
  input: '1000000',
  output: '1000000',
  cacheRead: '1000000',
  cacheWrite: '1000000',
  cacheWriteLong: '1000000',
}
const credit = 1_000_000n

let server: LocalServer
let app: Application
let vendor: Vendor
beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server, { rates: { input: 1_000_000n, output: 1_000_000n } })
  vendor = await startVendor()
  for (const [name, { kind, model, vendor: at }] of Object.entries(kinds)) {
    const account = { kind, baseUrl: vendor.baseUrls[at], apiKey: vendor.apiKey, model, price }
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await connectAccount(app, name, account)
  }
})
afterAll(async () => {
  await app.provider.close()
  await vendor.close()
  await server.close()
})

interface Asked {
  readonly wire: Wire
  readonly model: string
  readonly text: string
  readonly isStream: boolean
  /** Null means no maximum, which the messages wire does not allow. */
  readonly outputMax: number | null
}

/** The field `stream` is not part of the input that the model reads, so it does not change the hold. */
function requestOf({ isStream, model, outputMax, text, wire }: Asked): { path: string; body: object } {
  const stream = { stream: isStream }
  const messages = [{ role: 'user', content: text }]
  switch (wire) {
    case 'chat':
      return {
        path: '/v1/chat/completions',
        body: { model, messages, ...stream, ...(outputMax !== null && { max_completion_tokens: outputMax }) },
      }
    case 'messages':
      return { path: '/v1/messages', body: { model, messages, ...stream, max_tokens: outputMax ?? 9_999 } }
    case 'responses':
      return {
        path: '/v1/responses',
        body: {
          model,
          input: text,
          ...stream,
          ...(outputMax !== null && { max_output_tokens: outputMax }),
        },
      }
    case 'generate':
      return {
        path: `/v1beta/models/${encodeURIComponent(model)}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
        body: {
          contents: [{ role: 'user', parts: [{ text }] }],
          ...(outputMax !== null && { generationConfig: { maxOutputTokens: outputMax } }),
        },
      }
    default:
      return wire satisfies never
  }
}

interface Charged {
  readonly status: number
  readonly charge: bigint
  readonly held: bigint
  readonly firstHeld: bigint
  readonly end: string
  readonly output: number
  readonly tokenSource: string
  readonly overHold: bigint
}

async function charged(user: User, asked: Asked): Promise<Charged> {
  const { body, path } = requestOf(asked)
  const response = await fetch(app.gateway + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  expect(response.status, text).toBe(200)
  const { reserve, settle, stream, usage } = await app.api(
    'GET',
    `/v1/requests/${response.headers.get('x-request-id')}`,
  )
  return {
    status: response.status,
    charge: BigInt(settle.chargeMicros),
    held: BigInt(reserve.worstMicros),
    firstHeld: BigInt(reserve.firstWorstMicros),
    end: stream.end,
    output: usage.output,
    tokenSource: usage.tokenSource,
    overHold: BigInt(settle.overHoldMicros),
  }
}

describe('a provider that ignores the maximum of its call', () => {
  test.each(pairs)(
    'a stream from a client on %s at a provider on %s holds and costs at most as much as a non-streaming response',
    async (wire, provider) => {
      const user = await app.newUser({ balanceMicros: credit })
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 16, max: 60 }),
          fc.integer({ min: 1, max: 600 }),
          async (outputMax, tokens) => {
            const asked = {
              wire,
              model: `acme/${provider}`,
              text: `Go on [[tokens=${tokens} ignore-max]]`,
              outputMax,
            }
            const whole = await charged(user, { ...asked, isStream: false })
            const stream = await charged(user, { ...asked, isStream: true })
            expect(whole.held).toBe(whole.firstHeld)
            expect(stream.held, 'it is never extended').toBe(stream.firstHeld)
            expect(stream.held, 'both hold the same').toBe(whole.held)
            expect(whole.charge).toBeLessThanOrEqual(whole.held)
            if (stream.output === whole.output && stream.tokenSource === whole.tokenSource) {
              expect(stream.charge).toBe(whole.charge)
              expect(stream.overHold).toBe(whole.overHold)
              return
            }
            // The gateway cut the stream at the end of the hold, before the provider had reported all its usage.
            expect(stream.end).toBe('cut')
            expect(stream.charge).toBeLessThanOrEqual(whole.charge)
            expect(stream.charge * 100n).toBeGreaterThanOrEqual(whole.held * 98n)
          },
        ),
        { numRuns: 8, ...(process.env.FC_SEED && { seed: Number(process.env.FC_SEED) }) },
      )
      await settledBalance(user)
    },
  )

  test('if a stream requests 40 tokens and the provider writes 4,000, the hold is charged', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const text = 'Write [[tokens=4000 ignore-max]]'
    const asked = { wire: 'chat', model: 'acme/chat', text, outputMax: 40 } as const
    const { held } = await charged(user, { ...asked, isStream: false })
    const before = (await user.balance()).balanceMicros
    const stream = await charged(user, { ...asked, isStream: true })
    expect(stream).toMatchObject({ held, firstHeld: held, end: 'cut' })
    expect(stream.charge).toBeLessThanOrEqual(held)
    expect(await settledBalance(user)).toBe(before - stream.charge)
  })

  test('if a low balance has reduced the maximum of a call, its hold is not extended, even if money is credited in the meantime', async () => {
    const user = await app.newUser({ balanceMicros: 400n })
    const text = 'Write [[tokens=4000 ignore-max delay=1ms]]'
    const { body, path } = requestOf({
      wire: 'chat',
      model: 'acme/chat',
      text,
      isStream: true,
      outputMax: 3_000,
    })
    const response = await fetch(app.gateway + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(response.headers.get('x-svc-abort-reason')).toBe('max_tokens_clamped')
    await user.grant(100_000n)
    expect(await response.text()).toContain('spend_limit_exceeded')
    const { reserve, settle } = await app.api('GET', `/v1/requests/${response.headers.get('x-request-id')}`)
    expect(reserve.worstMicros).toBe(reserve.firstWorstMicros)
    expect(BigInt(settle.chargeMicros)).toBeLessThanOrEqual(400n)
  })
})

test.each(['messages', 'generate'] as const)(
  'a maximum of 1 token from a client on %s is sent as 16 tokens to a provider on responses, and the hold covers 16 tokens',
  async (wire) => {
    const user = await app.newUser({ balanceMicros: credit })
    const asked = { wire, model: 'acme/responses', text: 'Go on [[tokens=600]]', outputMax: 1 }
    for (const isStream of [false, true]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const small = await charged(user, { ...asked, isStream })
      expect(vendor.calls.at(-1)?.body).toMatchObject({ max_output_tokens: 16 })
      expect(small).toMatchObject({ output: 16, overHold: 0n })
      expect(small.held).toBeGreaterThanOrEqual(small.charge)
    }
  },
)

describe('without a maximum', () => {
  const unstated = wires.filter((wire) => wire !== 'messages')
  test.each(unstated.flatMap((wire) => Object.keys(kinds).map((provider) => [wire, provider] as const)))(
    'a stream on %s from a provider on %s first holds a small amount, extends the hold, and is charged in full',
    async (wire, provider) => {
      const user = await app.newUser({ balanceMicros: credit })
      const asked = { wire, model: `acme/${provider}`, outputMax: null, isStream: true }
      const short = await charged(user, { ...asked, text: 'Go on [[tokens=20]]' })
      expect(short.held).toBe(short.firstHeld)
      expect(short.held).toBeLessThan(2_048n + 400n)
      const long = await charged(user, { ...asked, text: 'Go on [[tokens=7000]]' })
      expect(long).toMatchObject({
        end: 'answered',
        output: 7_000,
        tokenSource: 'provider_reported',
        overHold: 0n,
      })
      expect(long.firstHeld).toBe(short.firstHeld + 2n)
      expect(long.held).toBeGreaterThanOrEqual(long.charge)
    },
  )

  test('a non-streaming request without a maximum holds more than the default maximum of 8,192 tokens', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const asked = { wire: 'chat', model: 'acme/chat', outputMax: null, isStream: false } as const
    const { held } = await charged(user, { ...asked, text: 'Go on [[tokens=20]]' })
    expect(held).toBeGreaterThan(8_192n)
  })

  test('a provider whose wire requires a maximum receives the default maximum, which also limits the hold', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const asked = { wire: 'chat', model: 'acme/messages', outputMax: null, isStream: true } as const
    const long = await charged(user, { ...asked, text: 'Go on [[tokens=20000 ignore-max]]' })
    expect(vendor.calls.at(-1)?.body).toMatchObject({ max_tokens: 8_192 })
    expect(long.held).toBe(long.firstHeld - 2_048n + 8_192n)
    expect(long.charge).toBeLessThanOrEqual(long.held)
  })

  test('the hold is extended for hidden thoughts when the provider reports them', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 6_000,
      total_tokens: 6_010,
      completion_tokens_details: { reasoning_tokens: 5_990 },
    }
    app.provider.enqueue({ chunks: ['Done'], usage })
    const answer: Answer = await app.call(user, { stream: true })
    expect(answer.status).toBe(200)
    const { reserve, settle } = await app.api('GET', `/v1/requests/${answer.headers.get('x-request-id')}`)
    expect(BigInt(reserve.firstWorstMicros)).toBe(worstMicros(app.rates, app.bodyOf({ stream: true }), 2_048))
    expect(settle).toMatchObject({ chargeMicros: '6010', overHoldMicros: '0' })
    expect(await settledBalance(user)).toBe(credit - 6_010n)
  })

  test('hidden thoughts are charged as far as the hold can grow, and the application pays the rest', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 6_000, total_tokens: 6_010 }
    const user = await app.newUser({ balanceMicros: 3_000n })
    app.provider.enqueue({ chunks: ['Done'], usage })
    const answer = await app.call(user, { stream: true })
    const { settle } = await app.api('GET', `/v1/requests/${answer.headers.get('x-request-id')}`)
    expect(settle).toMatchObject({ chargeMicros: '3000', billedMicros: '3000', overHoldMicros: '3010' })
    expect(await settledBalance(user)).toBe(0n)
  })
})
