import { randomInt } from 'node:crypto'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makeSecret } from '#domain/secrets/key-and-token-format.ts'
import { costMicros, countedInput, countedOutputTold, min, worstMicros } from '../support/expected-costs.ts'
import {
  expire,
  eventually,
  makeApplication,
  settledBalance,
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
})
beforeEach(() => app.provider.script({}))
afterAll(async () => {
  await app.provider.close()
  await server.close()
})

const credit = 1_000_000n
beforeEach(async () => {
  user = await app.newUser({ balanceMicros: credit })
})

function clientOf(key: string, options: { baseURL?: string; maxRetries?: number } = {}) {
  const bodies: string[] = []
  const openai = new OpenAI({
    apiKey: key,
    baseURL: `${app.gateway}/v1`,
    ...options,
    fetch: (input, init) => {
      bodies.push(typeof init?.body === 'string' ? init.body : '')
      return fetch(input, init)
    },
  })
  return { openai, bodies }
}

/** No one created this well-formed key of the same application. */
function neverMinted({ key }: User): string {
  const code = key.split('_')[1] ?? ''
  return makeSecret({ kind: 'ak', code, isTest: false }, () => randomInt(256)).secret
}

const messages = [{ role: 'user' as const, content: 'Hello' }]

async function failureOf(promise: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> {
  const error = await promise.then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof OpenAI.APIError)) throw error
  return error
}

describe('answers', () => {
  test('a call returns the answer, its usage and its request ID, and costs exactly its usage', async () => {
    const { openai } = clientOf(user.key)
    const { data, request_id } = await openai.chat.completions
      .create({ model: app.model, messages })
      .withResponse()
    expect(data.choices[0]?.message.content).toBe(' word0 word1 word2')
    expect(data.model).toBe(app.model)
    expect(data.usage).toEqual({ prompt_tokens: 10, completion_tokens: 3, total_tokens: 13 })
    expect(request_id).toMatch(/^req_/)
    const charge = costMicros(app.rates, { input: 10, output: 3 })
    expect(await settledBalance(user)).toBe(credit - charge)
    const explained = await app.api('GET', `/v1/requests/${request_id}`)
    expect(explained.settle).toMatchObject({ chargeMicros: String(charge), costMicros: String(charge) })
    expect(explained.ledger).toMatchObject([{ kind: 'usage_debit', amountUnits: String(-charge) }])
  })

  test('a stream returns its chunks under the requested model name, and no chunks that the client did not request', async () => {
    const { openai } = clientOf(user.key)
    const chunks = []
    for await (const chunk of await openai.chat.completions.create({
      model: app.model,
      messages,
      stream: true,
    }))
      chunks.push(chunk)
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe(' word0 word1 word2')
    expect(new Set(chunks.map(({ model }) => model))).toEqual(new Set([app.model]))
    expect(chunks.every((chunk) => chunk.choices.length === 1 && !('usage' in chunk))).toBe(true)
    expect(await settledBalance(user)).toBe(credit - costMicros(app.rates, { input: 10, output: 3 }))
    // The gateway requested the usage from the provider, although the client did not request it.
    const sent = app.provider.calls.at(-1)?.body
    expect(sent).toMatchObject({ model: upstreamModel, stream_options: { include_usage: true } })
  })

  test('a stream with requested usage ends with the usage', async () => {
    const { openai } = clientOf(user.key)
    const chunks = []
    for await (const chunk of await openai.chat.completions.create({
      model: app.model,
      messages,
      stream: true,
      stream_options: { include_usage: true },
    }))
      chunks.push(chunk)
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 3 } })
    expect(await settledBalance(user)).toBe(credit - costMicros(app.rates, { input: 10, output: 3 }))
  })

  test('the stream helper collects the complete answer', async () => {
    const { openai } = clientOf(user.key)
    const stream = openai.chat.completions.stream({ model: app.model, messages })
    const final = await stream.finalChatCompletion()
    expect(final.choices[0]?.message.content).toBe(' word0 word1 word2')
    expect(final.model).toBe(app.model)
    expect(await settledBalance(user)).toBe(credit - costMicros(app.rates, { input: 10, output: 3 }))
  })

  test('with n = 2, the hold covers both choices, and the usage of both choices is charged', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 400, total_tokens: 410 }
    app.provider.script({
      body: {
        id: 'chatcmpl-2',
        object: 'chat.completion',
        created: 1,
        model: upstreamModel,
        choices: [0, 1].map((index) => ({
          index,
          message: { role: 'assistant', content: `answer ${index}`, refusal: null },
          finish_reason: 'stop',
          logprobs: null,
        })),
        usage,
      },
      status: 200,
    })
    const { bodies, openai } = clientOf(user.key)
    const { data, request_id } = await openai.chat.completions
      .create({ model: app.model, messages, n: 2, max_tokens: 200 })
      .withResponse()
    expect(data.choices.map(({ message }) => message.content)).toEqual(['answer 0', 'answer 1'])
    const explained = await app.api('GET', `/v1/requests/${request_id}`)
    expect(explained.reserve.worstMicros).toBe(String(worstMicros(app.rates, bodies[0] ?? '', 2 * 200)))
    expect(await settledBalance(user)).toBe(credit - costMicros(app.rates, { input: 10, output: 400 }))
  })

  test('tools are forwarded unchanged in both directions, streamed and non-streaming', async () => {
    const tools = [
      {
        type: 'function' as const,
        function: {
          name: 'weather',
          description: 'Looks it up',
          parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        },
      },
    ]
    const call = {
      id: 'call_1',
      type: 'function',
      function: { name: 'weather', arguments: '{"city":"Ulm"}' },
    }
    const choice = {
      index: 0,
      message: { role: 'assistant', content: null, refusal: null, tool_calls: [call] },
      finish_reason: 'tool_calls',
    }
    const usage = { prompt_tokens: 60, completion_tokens: 12, total_tokens: 72 }
    app.provider.script({
      status: 200,
      body: {
        id: 'c',
        object: 'chat.completion',
        created: 1,
        model: upstreamModel,
        choices: [choice],
        usage,
      },
    })
    const { openai } = clientOf(user.key)
    const whole = await openai.chat.completions.create({ model: app.model, messages, tools })
    expect(whole.choices[0]?.message.tool_calls).toEqual([call])
    expect(app.provider.calls.at(-1)?.body).toMatchObject({ tools })
    const charge = costMicros(app.rates, { input: 60, output: 12 })
    expect(await settledBalance(user)).toBe(credit - charge)

    const base = { id: 'c', object: 'chat.completion.chunk', created: 1, model: upstreamModel }
    const delta = (tool_calls: object[]) => ({
      ...base,
      choices: [{ index: 0, delta: { tool_calls }, finish_reason: null }],
    })
    const frames = [
      { ...base, choices: [{ index: 0, delta: { role: 'assistant', content: null }, finish_reason: null }] },
      delta([{ index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: '' } }]),
      delta([{ index: 0, function: { arguments: '{"city":' } }]),
      delta([{ index: 0, function: { arguments: '"Ulm"}' } }]),
      { ...base, choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
      { ...base, choices: [], usage },
    ]
    app.provider.script({
      status: 200,
      contentType: 'text/event-stream',
      body: `${frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join('')}data: [DONE]\n\n`,
    })
    const stream = openai.chat.completions.stream({ model: app.model, messages, tools })
    const final = await stream.finalChatCompletion()
    expect(final.choices[0]?.message.tool_calls).toMatchObject([call])
    expect(await settledBalance(user)).toBe(credit - 2n * charge)
  })

  test('the list of models contains exactly the models that the key can call', async () => {
    const { openai } = clientOf(user.key)
    const models = []
    for await (const model of openai.models.list()) models.push(model)
    expect(models).toMatchObject([{ id: app.model, object: 'model', owned_by: app.slug }])
  })
})

describe('the official client throws the typed error with code and status, after a single request', () => {
  test('a revoked, expired, unknown, foreign or malformed key raises the typed error', async () => {
    const revoked = await app.newUser()
    await app.api('DELETE', `/v1/keys/${revoked.keyId}`)
    const expired = await app.newUser()
    await expire(app.server, expired.keyId, Date.UTC(2020, 0))
    const other = await makeApplication(server, { provider: app.provider })
    const foreign = await other.newUser({ balanceMicros: credit })
    const unknown = neverMinted(user)
    const cases = [
      [unknown, 'invalid_key'],
      [revoked.key, 'key_revoked'],
      [expired.key, 'key_expired'],
      [foreign.key, 'invalid_key'],
      [`${user.key.slice(0, -1)}${user.key.endsWith('A') ? 'B' : 'A'}`, 'invalid_key'],
      [user.key.slice(0, 20), 'invalid_key'],
      ['ak_', 'invalid_key'],
      ['hello', 'invalid_key'],
      [server.token, 'wrong_credential_kind'],
    ] as const
    const calls = app.provider.calls.length
    for (const [key, code] of cases) {
      const { bodies, openai } = clientOf(key)
      // oxlint-disable-next-line no-await-in-loop -- one after the other, to count
      const error = await failureOf(openai.chat.completions.create({ model: app.model, messages }))
      expect(error, key).toBeInstanceOf(OpenAI.AuthenticationError)
      expect([error.status, error.code], key).toEqual([401, code])
      expect(error.requestID).toMatch(/^req_/)
      expect(bodies, 'no retry').toHaveLength(1)
    }
    expect(app.provider.calls).toHaveLength(calls)
  })

  test('the response to an invalid key does not reveal why the key is invalid', async () => {
    const other = await makeApplication(server, { provider: app.provider })
    const foreign = await other.newUser()
    const answers = await Promise.all(
      [neverMinted(user), foreign.key, `${user.key.slice(0, -1)}!`, 'ak_nope', 'x'].map((key) =>
        app.call({ key }),
      ),
    )
    const shown = answers.map(({ headers, status, text }) => ({
      status,
      text: text.replaceAll(/req_[0-9a-z]+/gi, 'req_'),
      // The connection stays open if the whole body has arrived, even if the key is invalid.
      names: [...headers.keys()].filter((name) => !/^(date|connection|keep-alive)$/.test(name)).toSorted(),
    }))
    for (const each of shown) expect(each).toEqual(shown[0])
  })

  test('without credit, a call returns 402 insufficient_credit with the amounts, and the client sends only one request', async () => {
    const poor = await app.newUser({ balanceMicros: 10n })
    const { bodies, openai } = clientOf(poor.key)
    const calls = app.provider.calls.length
    const error = await failureOf(openai.chat.completions.create({ model: app.model, messages }))
    expect([error.status, error.code]).toEqual([402, 'insufficient_credit'])
    expect(error.error).toMatchObject({
      limitSource: 'balance',
      limit: '10',
      held: '0',
      used: '0',
      available: '10',
      resetsAt: null,
      // The smallest clamped maximum is a single output token.
      requested: String(worstMicros(app.rates, bodies[0] ?? '', 1)),
    })
    expect(bodies, 'no retry').toHaveLength(1)
    expect(app.provider.calls).toHaveLength(calls)
    expect(await settledBalance(poor)).toBe(10n)
  })

  test('a model outside the bundle returns 403 model_not_allowed, and an unknown model returns 404', async () => {
    await app.api('PUT', '/v1/models/other%2Fmodel', {
      sources: [{ provider: app.slug, model: upstreamModel }],
    })
    const { bodies, openai } = clientOf(user.key)
    const refused = await failureOf(openai.chat.completions.create({ model: 'other/model', messages }))
    expect(refused).toBeInstanceOf(OpenAI.PermissionDeniedError)
    expect([refused.status, refused.code, refused.param]).toEqual([403, 'model_not_allowed', 'model'])
    const missing = await failureOf(openai.chat.completions.create({ model: 'acme/missing', messages }))
    expect(missing).toBeInstanceOf(OpenAI.NotFoundError)
    expect([missing.status, missing.code]).toEqual([404, 'model_not_found'])
    expect(bodies, 'no retry').toHaveLength(2)
    expect(await settledBalance(user)).toBe(credit)
  })

  test('a frozen end user returns 403 end_user_frozen', async () => {
    await app.api('POST', `/v1/end-users/${user.externalId}/freeze`)
    const { openai } = clientOf(user.key)
    const error = await failureOf(openai.chat.completions.create({ model: app.model, messages }))
    expect([error.status, error.code]).toEqual([403, 'end_user_frozen'])
  })

  test('a rate limit of the provider returns 429 with its retry-after and no charge, and a retry succeeds', async () => {
    app.provider.script({ status: 429, headers: { 'retry-after': '17' } })
    const { openai } = clientOf(user.key, { maxRetries: 0 })
    const error = await failureOf(openai.chat.completions.create({ model: app.model, messages }))
    expect(error).toBeInstanceOf(OpenAI.RateLimitError)
    expect([error.status, error.code]).toEqual([429, 'upstream_rate_limited'])
    expect(error.headers?.get('retry-after')).toBe('17')
    expect(await settledBalance(user)).toBe(credit)

    app.provider.script({})
    app.provider.enqueue({ status: 429, headers: { 'retry-after': '0' } })
    const { bodies, openai: patient } = clientOf(user.key, { maxRetries: 1 })
    const answer = await patient.chat.completions.create({ model: app.model, messages })
    expect(answer.choices[0]?.message.content).toBe(' word0 word1 word2')
    expect(bodies).toHaveLength(2)
    expect(await settledBalance(user)).toBe(credit - costMicros(app.rates, { input: 10, output: 3 }))
  })

  test('an unavailable provider returns 502, and the official client may retry', async () => {
    app.provider.script({ status: 500 })
    const { openai } = clientOf(user.key, { maxRetries: 0 })
    const error = await failureOf(openai.chat.completions.create({ model: app.model, messages }))
    expect(error).toBeInstanceOf(OpenAI.InternalServerError)
    expect([error.status, error.code, error.headers?.get('x-should-retry')]).toEqual([
      502,
      'upstream_error',
      'true',
    ])
    expect(await settledBalance(user)).toBe(credit)
  })
})

describe('exhausted money', () => {
  test('a stream that exhausts its hold raises spend_limit_exceeded after the affordable text', async () => {
    const text = ' plenty of words'
    app.provider.script({ isEndless: true, chunks: [text] })
    const poor = await app.newUser({ balanceMicros: 20_000n })
    const { bodies, openai } = clientOf(poor.key)
    const pieces: string[] = []
    const finishes: string[] = []
    let usage: unknown = null
    const error = await failureOf(
      (async () => {
        for await (const chunk of await openai.chat.completions.create({
          model: app.model,
          messages,
          stream: true,
        })) {
          const choice = chunk.choices[0]
          if (choice?.delta.content) pieces.push(choice.delta.content)
          if (choice?.finish_reason) finishes.push(choice.finish_reason)
          if (chunk.usage) usage = chunk.usage
        }
      })(),
    )
    expect(error.code).toBe('spend_limit_exceeded')
    expect(error.error).toMatchObject({
      reason: 'reservation exhausted mid-stream',
      type: 'insufficient_quota',
    })
    expect(finishes).toEqual(['spend_limit_exceeded'])
    expect(pieces.length).toBeGreaterThan(16)
    expect(new Set(pieces)).toEqual(new Set([text]))

    // The balance covers fewer than 8,192 tokens, so the provider's maximum is the affordable number.
    const body = bodies[0] ?? ''
    const told = app.provider.calls.at(-1)?.body?.max_tokens ?? 0
    const held = worstMicros(app.rates, body, told)
    expect(held).toBeLessThanOrEqual(20_000n)
    expect(worstMicros(app.rates, body, told + 1)).toBeGreaterThan(20_000n)
    const counted = { input: countedInput(body), output: countedOutputTold(pieces, told) }
    const charge = min(held, costMicros(app.rates, counted))
    expect(charge * 100n).toBeGreaterThanOrEqual(held * 98n)
    expect(usage).toMatchObject({ prompt_tokens: counted.input, completion_tokens: counted.output })
    expect(await settledBalance(poor)).toBe(20_000n - charge)
    await eventually(async () => expect(app.provider.openConnections).toBe(0))
  })

  test('the stream helper also raises spend_limit_exceeded', async () => {
    app.provider.script({ isEndless: true, chunks: [' plenty of words'] })
    const poor = await app.newUser({ balanceMicros: 20_000n })
    const { openai } = clientOf(poor.key)
    const error = await failureOf(
      openai.chat.completions.stream({ model: app.model, messages }).finalChatCompletion(),
    )
    expect(error.code).toBe('spend_limit_exceeded')
    expect(await settledBalance(poor)).toBeGreaterThanOrEqual(0n)
  })

  test('a clamped call succeeds: a header reports the clamp, and the finish reason is `length`', async () => {
    const poor = await app.newUser({ balanceMicros: 2_000n })
    for (const stream of [false, true]) {
      const before = await settledBalance(poor)
      app.provider.script((call) => ({
        chunks: call.body?.max_tokens ?? 0,
        finishReason: 'length',
      }))
      const { bodies, openai } = clientOf(poor.key)
      const request = { model: app.model, messages, max_tokens: 500 }
      let finish: string | null | undefined
      let response: Response
      if (stream) {
        const answer = await openai.chat.completions.create({ ...request, stream: true }).withResponse()
        response = answer.response
        for await (const chunk of answer.data) finish = chunk.choices[0]?.finish_reason ?? finish
      } else {
        const answer = await openai.chat.completions.create(request).withResponse()
        response = answer.response
        finish = answer.data.choices[0]?.finish_reason
      }
      expect(response.headers.get('x-svc-abort-reason')).toBe('max_tokens_clamped')
      expect(finish).toBe('length')
      // The provider received the largest maximum whose worst case the balance covers.
      const body = bodies[0] ?? ''
      const told = app.provider.calls.at(-1)?.body?.max_tokens ?? 0
      expect(worstMicros(app.rates, body, told)).toBeLessThanOrEqual(before)
      expect(worstMicros(app.rates, body, told + 1)).toBeGreaterThan(before)
      expect(await settledBalance(poor)).toBe(before - costMicros(app.rates, { input: 10, output: told }))
      await poor.grant(2_000n - (await settledBalance(poor)))
    }
  })

  test('an answer that the balance covers is not marked as clamped', async () => {
    const { openai } = clientOf(user.key)
    const { response } = await openai.chat.completions
      .create({ model: app.model, messages, max_tokens: 500 })
      .withResponse()
    expect(response.headers.get('x-svc-abort-reason')).toBeNull()
    expect(app.provider.calls.at(-1)?.body?.max_tokens).toBe(500)
  })
})
