/** The providers of these tests break off in the middle, think beyond their maximum, and send unknown frames. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WireName } from '#wire/names-of-wires-and-tasks.ts'
import {
  framesOfAnswer,
  startFramedProvider,
  type FramedProvider,
  type Saying,
} from '../support/provider-with-given-frames.ts'
import {
  connectAccount,
  eventually,
  makeApplication,
  settledBalance,
  startServer,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'
import { sampleOfCases } from '../support/reduced-suite.ts'

/**
 * These tests read the errors of these wires only. Other files test the other wires:
 * tests/clients/bedrock-runtime.test.ts (Converse) and tests/clients/cohere-chat.test.ts (Cohere's chat).
 */
type ClientWire = Exclude<WireName, 'converse' | 'cohere'>
const clients: readonly ClientWire[] = ['chat', 'messages', 'generate', 'responses']
/** Each kind of account, with a model whose capabilities the conversion knows. */
const accounts = {
  compatible: { kind: 'openai_compatible', baseUrl: 'openai', model: 'deepseek-chat' },
  openai: { kind: 'openai', baseUrl: 'openai', model: 'gpt-5.4' },
  anthropic: { kind: 'anthropic', baseUrl: 'anthropic', model: 'claude-opus-4-8' },
  google: { kind: 'google', baseUrl: 'google', model: 'gemini-3.1-pro-preview' },
} as const
type AccountName = keyof typeof accounts
const names: readonly AccountName[] = ['compatible', 'openai', 'anthropic', 'google']

const combinations = sampleOfCases(
  clients.flatMap((client) =>
    names.flatMap((account) => [true, false].map((isAsked) => ({ client, account, isAsked }))),
  ),
  5,
)

let server: LocalServer
let app: Application
let provider: FramedProvider

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  provider = await startFramedProvider()
  for (const name of names) {
    const { kind, baseUrl, model } = accounts[name]
    const account = { kind, baseUrl: provider.baseUrls[baseUrl], apiKey: 'key-of-the-provider', model, price }
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await connectAccount(app, name, account)
  }
})
afterAll(async () => {
  await app.provider.close()
  await provider.close()
  await server.close()
})

/** Each token costs one micro. */
const price = Object.fromEntries(
  ['input', 'output', 'cacheRead', 'cacheWrite', 'cacheWriteLong', 'audioInput'].map((name) => [
    name,
    '1000000',
  ]),
)

interface Asked {
  readonly client: ClientWire
  readonly account: AccountName
  /** Whether the client asks to see thoughts. */
  readonly isAsked: boolean
  readonly isStream?: boolean
  readonly outputTokens?: number
}

async function call(user: User, asked: Asked): Promise<Response> {
  const { client } = asked
  const isStream = asked.isStream ?? true
  const path =
    client === 'generate'
      ? `/v1beta/models/${encodeURIComponent(`acme/${asked.account}`)}:${isStream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`
      : { chat: '/v1/chat/completions', messages: '/v1/messages', responses: '/v1/responses' }[client]
  return fetch(app.gateway + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(bodyOf({ ...asked, isStream })),
  })
}

function bodyOf({ client, account, isAsked, isStream, outputTokens = 2_000 }: Asked): object {
  const model = `acme/${account}`
  switch (client) {
    case 'chat':
      return {
        model,
        stream: isStream,
        max_tokens: outputTokens,
        messages: [{ role: 'user', content: 'Hi' }],
        ...(isAsked && { reasoning_effort: 'high' }),
      }
    case 'messages':
      return {
        model,
        stream: isStream,
        max_tokens: outputTokens,
        messages: [{ role: 'user', content: 'Hi' }],
        ...(isAsked && { thinking: { type: 'adaptive', display: 'summarized' } }),
      }
    case 'generate':
      return {
        contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
        generationConfig: {
          maxOutputTokens: outputTokens,
          ...(isAsked && { thinkingConfig: { includeThoughts: true } }),
        },
      }
    default:
      return {
        model,
        stream: isStream,
        max_output_tokens: outputTokens,
        input: 'Hi',
        ...(isAsked && { reasoning: { effort: 'high', summary: 'auto' } }),
      }
  }
}

/** Each word occurs only here, so an answer with one of the words contains a part of this text. */
const said: readonly Saying[] = [
  { kind: 'thought', text: 'pondering' },
  { kind: 'thought', text: ' pondering' },
  { kind: 'text', text: 'speaking' },
  { kind: 'text', text: ' speaking' },
  { kind: 'call', name: 'calling', arguments: '{"a":"arguing"}' },
]
const marks = /pondering|speaking|calling|arguing/
const told = { input: 40, output: 30 }

describe('an answer that is interrupted', () => {
  const broken = [
    ['a cut', ''],
    ['a frame that is no JSON', 'data: {"x":\n\n'],
    ['an error', 'data: {"type":"error","error":{"type":"api_error","code":500,"message":"broken"}}\n\n'],
  ] as const

  test.each(combinations)(
    'an answer that is interrupted is charged only if the client saw part of it ($client at $account, thoughts: $isAsked)',
    async (asked) => {
      const user = await app.newUser({ balanceMicros: 100_000_000n })
      let balance = 100_000_000n
      let unseen = 0
      let seen = 0
      for (let at = 0, frames = 1; at < frames; at++) {
        for (const [, last] of broken) {
          provider.answer = (wire) => {
            // The answer lacks its last frame.
            const all = framesOfAnswer(wire, said, told).slice(0, -1)
            frames = all.length + 1
            return { frames: [...all.slice(0, at), ...(last === '' ? [] : [last])], isCut: true }
          }
          /* oxlint-disable no-await-in-loop -- one call after the other */
          const answer = await call(user, asked)
          const text = await answer.text().catch(() => '')
          const after = await settledBalance(user)
          /* oxlint-enable no-await-in-loop */
          const charge = balance - after
          balance = after
          const isSeen = answer.status === 200 && marks.test(text)
          const where = `${last || 'cut'} after ${at} frames: ${answer.status} ${text}`
          expect(charge > 0n, where).toBe(isSeen)
          if (answer.headers.get('x-should-retry') === 'true') expect(charge, where).toBe(0n)
          if (isSeen) seen++
          else unseen++
        }
      }
      expect(seen).toBeGreaterThan(0)
      expect(unseen).toBeGreaterThan(0)
    },
  )

  test.each(combinations)(
    'a non-streaming answer that is interrupted costs nothing ($client at $account, thoughts: $isAsked)',
    async (asked) => {
      const user = await app.newUser({ balanceMicros: 1_000_000n })
      for (const body of ['{"id":"x","choices":[{"message":{"reasoning', '<html></html>', '']) {
        provider.answer = () => ({ frames: [body], isWhole: true, isCut: body !== '' })
        // oxlint-disable-next-line no-await-in-loop -- one call after the other
        const answer = await call(user, { ...asked, isStream: false })
        expect(answer.status).toBe(502)
        // oxlint-disable-next-line no-await-in-loop -- one call after the other
        expect(await settledBalance(user)).toBe(1_000_000n)
      }
    },
  )
})

describe('a provider that thinks beyond its maximum', () => {
  const thoughts = 6_000
  /**
   * The most tokens that a provider can write beyond its maximum before the gateway cuts the stream. 64 of these
   * tokens may summarize the thoughts, so the gateway does not count them. Up to 16 more pieces arrive before the
   * gateway's next check. The remaining tokens are the difference between the held maximum and the actual token count
   * of the input.
   */
  const slackTokens = 256

  test.each(combinations)(
    'if a provider thinks beyond its maximum, its stream is cut ($client at $account, thoughts: $isAsked)',
    async (asked) => {
      // The balance clamps the maximum, so that no further money can be held.
      const balance = 1_500n
      const user = await app.newUser({ balanceMicros: balance })
      let toldMax = 0
      provider.answer = (wire, body) => {
        const [, maximum] =
          /"(?:max_tokens|max_completion_tokens|max_output_tokens|maxOutputTokens)":(\d+)/.exec(body) ?? []
        toldMax = Number(maximum)
        const frames = framesOfAnswer(
          wire,
          [
            ...Array.from({ length: thoughts }, (): Saying => ({ kind: 'thought', text: ' thinking' })),
            { kind: 'text', text: 'done' },
          ],
          { input: 40, output: thoughts + 1 },
        )
        return { frames, waitsAfter: toldMax + slackTokens }
      }
      const answer = await call(user, { ...asked, outputTokens: 5_000 })
      const text = await answer.text()
      expect(toldMax).toBeGreaterThan(500)
      expect(text).toContain('spend_limit_exceeded')
      expect(provider.framesSent).toBe(toldMax + slackTokens)
      const id = answer.headers.get('x-request-id')
      const { settle, usage } = await eventually(async () => {
        const shown = await app.api('GET', `/v1/requests/${id}`)
        expect(shown.settle).not.toBeNull()
        return shown
      })
      expect(usage.tokenSource).toBe('estimated')
      expect(usage.output).toBeGreaterThan(toldMax)
      expect(Number(settle.overHoldMicros)).toBeLessThanOrEqual(slackTokens)
      expect(BigInt(settle.chargeMicros)).toBeLessThanOrEqual(balance)
    },
  )
})

describe('frames of an unknown form', () => {
  const words: readonly Saying[] = Array.from({ length: 600 }, () => ({ kind: 'text', text: ' word' }))
  const own = { chat: 'compatible', messages: 'anthropic', generate: 'google', responses: 'openai' } as const
  const nameless = words.map(
    (_, i) => `data: ${JSON.stringify({ id: 'c1', created: 1, model: 'up', part: `word ${i}` })}\n\n`,
  )

  async function charged(
    client: ClientWire,
    frames: readonly string[],
  ): Promise<{ usage: { output: number } }> {
    const user = await app.newUser({ balanceMicros: 1_000_000n })
    provider.answer = () => ({ frames })
    const answer = await call(user, { client, account: own[client], isAsked: false })
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('word')
    expect(await settledBalance(user)).toBeLessThan(1_000_000n - 600n)
    const id = answer.headers.get('x-request-id')
    const shown = await app.api('GET', `/v1/requests/${id}`)
    expect(shown.usage.tokenSource).toBe('estimated')
    return shown
  }

  test.each(clients)('frames of an unknown form are always charged by their bytes (%s)', async (client) => {
    const { usage } = await charged(client, nameless)
    // A text of up to 8 bytes counts as three tokens, and a number begins another token.
    expect(usage.output).toBeGreaterThanOrEqual(600 * 2)
    expect(usage.output).toBeLessThanOrEqual(600 * 4)
  })

  test.each(
    sampleOfCases(
      clients
        .flatMap((client) => clients.map((other) => ({ client, other })))
        .filter(({ client, other }) => client !== other),
      5,
    ),
  )('frames of another wire are charged ($client gets $other)', async ({ client, other }) => {
    const frames = framesOfAnswer(other, words, told).filter((frame) => frame.includes(' word'))
    const { usage } = await charged(client, frames)
    expect(usage.output).toBeGreaterThanOrEqual(600)
  })
})

describe('a response that fails in the middle', () => {
  const words: readonly Saying[] = Array.from({ length: 20 }, () => ({ kind: 'text', text: ' word' }))
  const begun = framesOfAnswer('responses', words, told).filter((frame) => !frame.includes('.completed'))
  const event = (type: string, fields: object): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
  const error = event('error', { code: 'server_error', message: 'it broke', param: null })
  const usage = { input_tokens: told.input, output_tokens: 77, total_tokens: 117 }
  const failed = event('response.failed', { response: { id: 'r', status: 'failed', output: [], usage } })

  // Chat clients are excluded, because accounts of the kind `openai` serve chat clients on the chat wire.
  test.each(clients.filter((client) => client !== 'chat'))(
    'a response that fails in the middle is charged by the usage after the error, or by the gateway’s count (%s)',
    async (client) => {
      const answers = [
        { frames: [...begun, error, failed], output: 77 },
        // The provider sends nothing after the error, and does not close the connection. After an error, the gateway
        // waits only briefly for the end of the stream.
        { frames: [...begun, error, failed], waitsAfter: begun.length + 1, output: null },
        { frames: [...begun, error], isCut: true, output: null },
      ]
      for (const { output, ...answer } of answers) {
        /* oxlint-disable no-await-in-loop -- the provider says one thing at a time */
        const user = await app.newUser({ balanceMicros: 1_000_000n })
        provider.answer = () => answer
        const given = await call(user, { client, account: 'openai', isAsked: false })
        expect(await given.text()).toContain('it broke')
        const id = given.headers.get('x-request-id')
        const shown = await eventually(() => app.api('GET', `/v1/requests/${id}`))
        /* oxlint-enable no-await-in-loop */
        expect(shown.usage.tokenSource).toBe(output === null ? 'estimated' : 'provider_reported')
        if (output !== null) expect(shown.usage).toMatchObject({ input: told.input, output })
        expect(Number(shown.settle.chargeMicros)).toBeGreaterThan(0)
      }
    },
  )
})
