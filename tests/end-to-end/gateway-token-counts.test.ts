import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { costMicros, countedInput, countedInputByBytes } from '../support/expected-costs.ts'
import {
  makeApplication,
  settledBalance,
  startServer,
  textsOf,
  type Answer,
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

async function explained(answer: Answer): Promise<Answer['body']> {
  await settledBalance(user)
  return app.api('GET', `/v1/requests/${answer.headers.get('x-request-id')}`)
}

async function inputOf(body: object): Promise<number> {
  app.provider.enqueue({ chunks: ['ok'], usage: null })
  const answer = await app.call(user, body)
  expect(answer.status).toBe(200)
  const { usage } = await explained(answer)
  expect(usage.tokenSource).toBe('estimated')
  return usage.input
}

describe('the gateway’s count of an input without reported usage', () => {
  const messages = [{ role: 'user', content: 'Say ok.' }]
  const settings = {
    temperature: 0.5,
    frequency_penalty: 0.1,
    presence_penalty: 0.2,
    user: 'a-user-with-a-rather-long-name',
    metadata: { session: 'a-session-with-a-rather-long-name' },
    stop: ['a sequence that stops the answer'],
  }

  test.each([false, true])(
    'the settings of a request do not change the gateway’s count of the input (stream: %s)',
    async (stream) => {
      const plain = await inputOf({ messages, stream })
      expect(await inputOf({ messages, stream, ...settings })).toBe(plain)
      if (stream)
        expect(await inputOf({ messages, stream, stream_options: { include_usage: true } })).toBe(plain)
      expect(plain).toBe(countedInput(app.bodyOf({ messages })))
      // The o200k tokenizer counts 9 tokens, including the template that surrounds a message.
      expect(plain).toBeGreaterThanOrEqual(9)
      expect(plain).toBeLessThanOrEqual(12)
    },
  )

  test.each([
    ['prose', 'The quick brown fox jumps over the lazy dog near the river bank. '.repeat(40)],
    ['a line', 'Summarize the following paragraph in two sentences, please.'],
    ['code', 'for (const item of items) { if (item.isReady) total += item.amount }\n'.repeat(20)],
    ['hex', '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\n'.repeat(20)],
    ['Chinese', '请把下面这段话翻译成英文，并且说明其中的难点。'.repeat(20)],
  ])(
    'the gateway’s count of the input is not below the exact count, and at most a third above it (%s)',
    async (_name, content) => {
      const truth = countTokens(content) + 7
      const input = await inputOf({ messages: [{ role: 'user', content }] })
      expect(input).toBeGreaterThanOrEqual(truth)
      expect(input).toBeLessThanOrEqual(truth * 1.34)
    },
  )

  test('if the input is too long for the tokenizer, the gateway estimates its tokens by its bytes', async () => {
    const just = 'word '.repeat((256 * 1024 - 200) / 5)
    const long = 'word '.repeat((256 * 1024 + 200) / 5)
    const body = (content: string) => ({ messages: [{ role: 'user', content }] })
    expect(await inputOf(body(just))).toBe(countedInput(app.bodyOf(body(just))))
    const bytes = app.bodyOf(body(long))
    const digitRuns = bytes.match(/\d+/g)?.length ?? 0
    expect(await inputOf(body(long))).toBe(countedInputByBytes(bytes) + 2 * digitRuns)
  })
})

test('the gateway does not undercount hexadecimal input that is too long for the tokenizer', async () => {
  const content = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'.repeat(4_200)
  const truth = (countTokens(content.slice(0, 6_400)) * content.length) / 6_400
  const input = await inputOf({ messages: [{ role: 'user', content }] })
  expect(input / truth).toBeGreaterThanOrEqual(1)
  expect(input / truth).toBeLessThan(2)
})

describe('a provider that exceeds its maximum', () => {
  const chunk = 'x'.repeat(76)
  const frames = 208

  async function passing(balanceMicros: bigint, count: number) {
    const by = await app.newUser({ balanceMicros })
    app.provider.enqueue({ chunks: Array.from({ length: count }, () => chunk), usage: null })
    const answer = await app.call(by, { stream: true })
    const left = await settledBalance(by)
    const shown = await app.api('GET', `/v1/requests/${answer.headers.get('x-request-id')}`)
    return { answer, charge: balanceMicros - left, shown }
  }

  test('if output exceeds the maximum, the account’s cost is an estimate that tends to be too high, and the end user pays at most the hold', async () => {
    const { answer, charge, shown } = await passing(10_000n, frames)
    const { settle, usage } = shown
    const passed = textsOf(answer.text).length
    const output = Math.ceil((passed * chunk.length) / 3)
    expect(usage.outputBeyond).toBeGreaterThan(0)
    expect(usage.output + usage.outputBeyond).toBe(output)
    expect(charge).toBeLessThanOrEqual(BigInt(shown.reserve.worstMicros))
    expect(settle.costMicros).toBe(String(costMicros(app.rates, { input: usage.input, output })))
    expect(BigInt(settle.costMicros)).toBeGreaterThan(charge)
    const lines = shown.priceLines.find(({ price }: { price: string }) => price === 'cost')
    expect(lines.amount).toBe(settle.costMicros)
  })

  test('if only the gateway’s estimate exceeds the maximum, the record reports no output beyond the maximum', async () => {
    const { charge, shown } = await passing(10_000n, 3)
    expect(shown.usage.outputBeyond ?? null).toBeNull()
    expect(shown.settle.costMicros).toBe(String(charge))
  })
})

test('a cost is marked as disputed only after ten calls with a different cost', async () => {
  const priced = await makeApplication(server, { provider: app.provider })
  user = await priced.newUser({ balanceMicros: credit })
  const isDisputed: (boolean | null)[] = []
  const call = async (cost: number | undefined): Promise<void> => {
    const usage = { prompt_tokens: 1_000, completion_tokens: 500, total_tokens: 1_500, cost }
    app.provider.enqueue({ chunks: ['ok'], usage })
    const answer = await priced.call(user, {})
    await settledBalance(user)
    const { settle } = await priced.api('GET', `/v1/requests/${answer.headers.get('x-request-id')}`)
    isDisputed.push(settle.isDisputed)
  }
  const ours = costMicros(app.rates, { input: 1_000, output: 500 })
  // oxlint-disable-next-line no-await-in-loop -- one after the other
  for (let i = 0; i < 10; i++) await call((Number(ours) * 2) / 1e6)
  await call(undefined)
  expect(isDisputed).toEqual([...Array.from({ length: 9 }, () => false), true, null])
  const { disputedCosts } = await priced.api('GET', '/v1/health')
  expect(disputedCosts).toMatchObject([{ calls: 10, statedMicros: String(ours * 20n) }])
})
