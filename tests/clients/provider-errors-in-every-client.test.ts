/** No error may name the provider or the account (docs/reference/threats.md "Provider data in errors and headers"). */
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  connectAccount,
  makeApplication,
  settledBalance,
  startServer,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'
import { sampleOfCases } from '../support/reduced-suite.ts'

type Wire = 'chat' | 'messages' | 'generate' | 'responses'

/** The provider returns the same bytes to every call, on any wire. */
let vendor: Server
let answer: { status: number; contentType: string; body: string }
let calls = 0
let host: string

let server: LocalServer
let app: Application
let user: User
const credit = 1_000_000_000n

/** An API key in the format of Azure, which has no recognizable prefix. */
const credential = '7d3f0a9be1c24586a0b7e9d1f3c5a842'
const upstreamId = 'deploy-42/llama-prod-7'

const accounts: Readonly<Record<Wire, string>> = {
  chat: 'openai_compatible',
  responses: 'openai',
  messages: 'anthropic',
  generate: 'google',
}
const wires: readonly Wire[] = ['chat', 'messages', 'generate', 'responses']
/** An account of kind `openai` serves chat clients on the chat wire, and all other clients on the responses wire. */
const spoken = (provider: Wire, client: Wire): Wire =>
  provider === 'responses' && client === 'chat' ? 'chat' : provider

beforeAll(async () => {
  vendor = createServer((request, response) => {
    calls++
    request.resume()
    request.on('end', () => {
      response.writeHead(answer.status, { 'content-type': answer.contentType })
      response.end(answer.body)
    })
  })
  vendor.listen(0, '127.0.0.1')
  await once(vendor, 'listening')
  // A server that listens on a TCP port always has an `AddressInfo`.
  const { port } = vendor.address() as AddressInfo
  host = `127.0.0.1:${port}`
  server = await startServer()
  app = await makeApplication(server)
  const text = { input: '1000000', output: '2000000', cacheWrite: '1', cacheWriteLong: '1' }
  for (const wire of wires) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await connectAccount(app, wire, {
      kind: accounts[wire],
      baseUrl: `http://${host}/v1`,
      apiKey: credential,
      model: upstreamId,
      price: { ...text, audioInput: '1', audioOutput: '1', imageInput: '1' },
    })
  }
})
afterAll(async () => {
  vendor.close()
  await app.provider.close()
  await server.close()
})
beforeEach(async () => {
  user = await app.newUser({ balanceMicros: credit })
  calls = 0
})

/** The official client throws this error after its own retries. */
interface Thrown {
  readonly status: number | undefined
  readonly code: unknown
  readonly param: unknown
  readonly type: unknown
  readonly message: string
  /** All text of the error that a program can read. */
  readonly text: string
  readonly error: Readonly<Record<string, unknown>>
  readonly shouldRetry?: string | null
}

async function thrownBy(client: Wire, provider: Wire, isStream: boolean, maxRetries = 2): Promise<Thrown> {
  const error = await asked(client, `acme/${provider}`, isStream, maxRetries).then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  )
  if (error instanceof OpenAI.APIError) {
    const { code, message, param, status, type } = error
    const body = error.error as Readonly<Record<string, unknown>>
    const shouldRetry = error.headers?.get('x-should-retry') ?? null
    return {
      status,
      code,
      param,
      type,
      message,
      error: body,
      shouldRetry,
      text: `${message} ${JSON.stringify(body)}`,
    }
  }
  if (error instanceof Anthropic.APIError) {
    const body = error.error as { error: { type: string; details?: Record<string, unknown> } }
    const { details, type } = body.error
    const { message, status } = error
    const text = `${message} ${JSON.stringify(body)}`
    return {
      status,
      code: details?.error_code,
      param: details?.param,
      type,
      message,
      error: body.error,
      text,
    }
  }
  if (!(error instanceof Error) || !('status' in error)) throw error
  const told = JSON.parse(error.message.slice(error.message.indexOf('{')))
  const details: readonly Record<string, unknown>[] = told.error.details ?? []
  const violations = details.find(({ fieldViolations }) => fieldViolations)?.fieldViolations
  return {
    status: Number(error.status),
    code: details.find(({ reason }) => reason)?.reason,
    param: Array.isArray(violations) ? violations[0].field : undefined,
    type: told.error.status,
    message: told.error.message,
    error: told.error,
    text: error.message,
  }
}

async function asked(client: Wire, model: string, isStream: boolean, maxRetries: number): Promise<void> {
  const content = 'Hello'
  if (client === 'messages') {
    const anthropic = new Anthropic({ apiKey: user.key, baseURL: app.gateway, maxRetries })
    const body = { model, max_tokens: 100, messages: [{ role: 'user' as const, content }] }
    if (!isStream) return void (await anthropic.messages.create(body))
    for await (const _ of await anthropic.messages.create({ ...body, stream: true }));
    return
  }
  if (client === 'generate') {
    const google = new GoogleGenAI({ apiKey: user.key, httpOptions: { baseUrl: app.gateway } })
    if (!isStream) return void (await google.models.generateContent({ model, contents: content }))
    for await (const _ of await google.models.generateContentStream({ model, contents: content }));
    return
  }
  const openai = new OpenAI({ apiKey: user.key, baseURL: `${app.gateway}/v1`, maxRetries })
  if (client === 'responses') {
    if (!isStream) return void (await openai.responses.create({ model, input: content }))
    for await (const _ of await openai.responses.create({ model, input: content, stream: true }));
    return
  }
  const messages = [{ role: 'user' as const, content }]
  if (!isStream) return void (await openai.chat.completions.create({ model, messages }))
  for await (const _ of await openai.chat.completions.create({ model, messages, stream: true }));
}

const json = (status: number, body: unknown): typeof answer => ({
  status,
  contentType: 'application/json',
  body: JSON.stringify(body),
})
const sse = (...frames: readonly (string | object)[]): typeof answer => ({
  status: 200,
  contentType: 'text/event-stream',
  body: frames
    .map((frame) =>
      typeof frame === 'string'
        ? `data: ${frame}\n\n`
        : `${'type' in frame ? `event: ${String(frame.type)}\n` : ''}data: ${JSON.stringify(frame)}\n\n`,
    )
    .join(''),
})

function expectClean({ text }: Pick<Thrown, 'text'>): void {
  expect(text).not.toMatch(secretPattern)
  expect(text).not.toMatch(/llama-prod|deploy-42|127\.0\.0\.1/)
}

const secretPattern = /7d3f0a|9be1c2|3c5a842/

const secretText = () =>
  `key ${credential} of http://${host}/v1 for ${upstreamId}, ${credential.slice(3, 11)}`

/** Each error is in the vendor's words, for a field that the caller must correct. */
const rejected: Readonly<Record<Wire, () => object>> = {
  chat: () => ({
    error: {
      message: `Failed to call a function. Please adjust your prompt. (${secretText()})`,
      type: 'invalid_request_error',
      param: 'tools[0]',
      code: 'tool_use_failed',
      failed_generation: `{"name": "f", ${secretText()}`,
    },
  }),
  responses: () => ({
    error: {
      message: `Unsupported value: 'temperature' (${secretText()}).`,
      type: 'invalid_request_error',
      param: 'temperature',
      code: 'unsupported_value',
    },
  }),
  messages: () => ({
    type: 'error',
    error: {
      type: 'invalid_request_error',
      message: `messages.0: text is empty (${secretText()})`,
      details: { error_code: 'empty_text', param: 'messages.0' },
    },
    request_id: 'req_011vendor',
  }),
  generate: () => ({
    error: {
      code: 400,
      status: 'INVALID_ARGUMENT',
      message: `Invalid value at contents[0] (${secretText()})`,
      details: [
        { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'BAD_CONTENT', domain: host },
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: [{ field: 'contents[0]', description: secretText() }],
        },
      ],
    },
  }),
}
const wordsOf: Readonly<Record<Wire, readonly [code: string, param: string, sentence: string]>> = {
  chat: ['tool_use_failed', 'tools[0]', 'Failed to call a function.'],
  responses: ['unsupported_value', 'temperature', 'Unsupported value'],
  messages: ['empty_text', 'messages.0', 'messages.0: text is empty'],
  generate: ['BAD_CONTENT', 'contents[0]', 'Invalid value at contents[0]'],
}

const pairs = sampleOfCases(
  wires.flatMap((client) =>
    wires.flatMap((provider) => [false, true].map((isStream) => [client, provider, isStream] as const)),
  ),
  5,
)

describe('a rejection keeps its status, code, field and sentence, and names no provider', () => {
  test.each(pairs)(
    'the %s client receives the rejection of a %s provider, streamed: %s',
    async (client, provider, isStream) => {
      const shape = spoken(provider, client)
      const [code, param, sentence] = wordsOf[shape]
      for (const status of [400, 404, 413, 422]) {
        /* oxlint-disable no-await-in-loop -- one call after the other */
        calls = 0
        answer = json(status, rejected[shape]())
        const thrown = await thrownBy(client, provider, isStream)
        expect([thrown.status, thrown.code, thrown.param]).toEqual([status, code, param])
        expect(thrown.message).toContain(sentence)
        expectClean(thrown)
        expect(thrown.text).not.toContain('req_011vendor')
        expect(calls).toBe(1)
        /* oxlint-enable no-await-in-loop */
      }
      expect(await settledBalance(user)).toBe(credit)
      const [request] = await user.requests()
      expect(request).toMatchObject({ httpStatus: 422, errorCode: 'upstream_rejected' })
      const { refusal } = await app.api('GET', `/v1/requests/${request.id}`)
      expect(refusal).toMatchObject({ upstreamStatus: 422, upstreamCode: code })
    },
  )

  test('on the same wire, the caller also receives additional fields of the provider’s error', async () => {
    answer = json(400, rejected.chat())
    const { error, message } = await thrownBy('chat', 'chat', false)
    expect(error).toMatchObject({ type: 'invalid_request_error', failed_generation: expect.any(String) })
    expect(message).toMatch(/Please adjust your prompt\. \(key \[removed\] of \[address\] for acme\/chat/)
    answer = json(400, {
      error: { message: 'Invalid: see "x"...', type: 'invalid_request_error', code: null },
    })
    expect(await thrownBy('chat', 'chat', false)).toMatchObject({
      code: 'upstream_rejected',
      error: { message: 'Invalid: see "x"...' },
    })
  })
})

const tooLong: Readonly<Record<Wire, object>> = {
  chat: { error: { code: 400, message: "This endpoint's maximum context length is 8192 tokens." } },
  responses: {
    error: {
      code: 'context_length_exceeded',
      message: 'Your input exceeds the context window of this model.',
    },
  },
  messages: {
    type: 'error',
    error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
  },
  generate: {
    error: {
      code: 400,
      status: 'INVALID_ARGUMENT',
      message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    },
  },
}

describe('the client of every wire recognizes that a request does not fit the context', () => {
  test.each(pairs)(
    'the %s client receives the rejection of a %s provider, streamed: %s',
    async (client, provider, isStream) => {
      answer = json(400, tooLong[spoken(provider, client)])
      const thrown = await thrownBy(client, provider, isStream)
      if (client === 'messages') expect(thrown.message).toContain('prompt is too long')
      else if (client === 'generate') expect(thrown.type).toBe('INVALID_ARGUMENT')
      if (client !== 'generate' || provider !== 'generate')
        expect(thrown.code).toBe('context_length_exceeded')
      expect(calls).toBe(1)
      expect(await settledBalance(user)).toBe(credit)
    },
  )

  test('Codex recognizes the error in the failed response, for every provider', async () => {
    for (const provider of wires) {
      /* oxlint-disable no-await-in-loop -- one call after the other */
      answer = json(400, tooLong[provider])
      const response = await fetch(`${app.gateway}/v1/responses`, {
        method: 'POST',
        headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: `acme/${provider}`, input: 'Hello', stream: true }),
      })
      const frames = (await response.text()).split('\n\n').map((frame) => frame.split('data: ')[1] ?? '{}')
      const failed = frames.map((frame) => JSON.parse(frame)).find(({ type }) => type === 'response.failed')
      expect(failed.response).toMatchObject({
        status: 'failed',
        model: `acme/${provider}`,
        error: { code: 'context_length_exceeded' },
      })
      expect(response.status).toBe(200)
      const [request] = await user.requests()
      expect(request).toMatchObject({ httpStatus: 200, errorCode: 'upstream_rejected', chargeMicros: '0' })
      /* oxlint-enable no-await-in-loop */
    }
  })
})

/** A stream that fails with an error that cannot be retried, before or after a text. */
const failing: Readonly<Record<Wire, (hasText: boolean) => typeof answer>> = {
  chat: (hasText) =>
    sse(
      ...(hasText
        ? [{ id: 'c', object: 'chat.completion.chunk', model: upstreamId, choices: chatText }]
        : []),
      rejected.chat(),
    ),
  responses: (hasText) => {
    const response = {
      id: 'resp_1',
      object: 'response',
      model: upstreamId,
      output: [],
      status: 'in_progress',
    }
    const { error } = rejected.responses() as { error: { code: string; message: string } }
    return sse(
      { type: 'response.created', sequence_number: 0, response },
      ...(hasText ? responsesText : []),
      { type: 'error', sequence_number: 8, error },
      { type: 'response.failed', sequence_number: 9, response: { ...response, status: 'failed', error } },
    )
  },
  messages: (hasText) =>
    sse(
      {
        type: 'message_start',
        message: {
          id: 'm',
          type: 'message',
          role: 'assistant',
          content: [],
          model: upstreamId,
          usage: { input_tokens: 5, output_tokens: 1 },
        },
      },
      ...(hasText
        ? [
            { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
            { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Once' } },
          ]
        : []),
      rejected.messages(),
    ),
  generate: (hasText) =>
    sse(
      ...(hasText
        ? [{ candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'Once' }] } }] }]
        : []),
      rejected.generate(),
    ),
}
const chatText = [{ index: 0, delta: { role: 'assistant', content: 'Once' }, finish_reason: null }]
const responsesText = [
  {
    type: 'response.output_item.added',
    output_index: 0,
    item: { type: 'message', id: 'i', role: 'assistant', status: 'in_progress', content: [] },
  },
  {
    type: 'response.content_part.added',
    item_id: 'i',
    output_index: 0,
    content_index: 0,
    part: { type: 'output_text', text: '', annotations: [] },
  },
  { type: 'response.output_text.delta', item_id: 'i', output_index: 0, content_index: 0, delta: 'Once' },
]

describe('an error inside a stream under status 200', () => {
  const streamed = sampleOfCases(
    wires.flatMap((client) => wires.map((provider) => [client, provider] as const)),
    3,
  )

  test.each(streamed)(
    'an error before any text is returned as a 400 after one request: %s client, %s provider',
    async (client, provider) => {
      const shape = spoken(provider, client)
      answer = failing[shape](false)
      const thrown = await thrownBy(client, provider, true)
      const [code, param, sentence] = wordsOf[shape]
      expect([thrown.status, thrown.code, thrown.param]).toEqual([400, code, param])
      expect(thrown.message).toContain(sentence)
      expectClean(thrown)
      expect(calls).toBe(1)
      expect(await settledBalance(user)).toBe(credit)
    },
  )

  test.each(streamed)(
    'an error after a text is returned with its code and message: %s client, %s provider',
    async (client, provider) => {
      const shape = spoken(provider, client)
      answer = failing[shape](true)
      const thrown = await thrownBy(client, provider, true)
      const [code, , sentence] = wordsOf[shape]
      expect(thrown.code).toBe(code)
      expect(thrown.message).toContain(sentence)
      expectClean(thrown)
      expect(calls).toBe(1)
      expect(await settledBalance(user)).toBeLessThan(credit)
    },
  )

  test('clients of the same wire and of other wires are charged for the usage that a failed stream reports', async () => {
    for (const client of wires) {
      /* oxlint-disable no-await-in-loop -- one call after the other */
      const before = await settledBalance(user)
      answer = sse(
        { id: 'c', object: 'chat.completion.chunk', model: upstreamId, choices: chatText },
        {
          id: 'c',
          error: { code: 400, message: 'Token limit reached' },
          choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
          usage: { prompt_tokens: 43, completion_tokens: 10, total_tokens: 53 },
        },
      )
      const thrown = await thrownBy(client, 'chat', true)
      expect(thrown.message).toContain('Token limit reached')
      expect(before - (await settledBalance(user)), client).toBe(43n + 20n)
      const [request] = await user.requests()
      const { usage } = await app.api('GET', `/v1/requests/${request.id}`)
      expect(usage).toMatchObject({ input: 43, output: 10, tokenSource: 'provider_reported' })
      /* oxlint-enable no-await-in-loop */
    }
  })

  test('a temporary error in a stream is retried, and the client’s error has no words of the provider', async () => {
    const words: readonly (readonly [object, number, string])[] = [
      [{ type: 'server_error', message: secretText() }, 502, 'upstream_error'],
      [{ type: 'overloaded_error', message: secretText() }, 503, 'upstream_overloaded'],
      [{ code: 'rate_limit_exceeded', message: secretText() }, 429, 'rate_limit_exceeded'],
    ]
    for (const [error, status, code] of words) {
      answer = sse({ error })
      // oxlint-disable-next-line no-await-in-loop -- one call after the other
      const thrown = await thrownBy('chat', 'chat', true, 0)
      expect([thrown.status, thrown.code]).toEqual([status, code])
      expectClean(thrown)
      expect(thrown.shouldRetry).toBe('true')
    }
  })

  test('an error caused by the provider account is reported to the operator, and its target is not called again', async () => {
    const words: readonly (readonly [object, string])[] = [
      [{ type: 'authentication_error', message: secretText() }, 'upstream_unauthorized'],
      [{ code: credential, type: 'authentication_error', message: credential }, 'upstream_unauthorized'],
      [{ code: 'insufficient_quota', message: 'You exceeded your current quota' }, 'upstream_unpaid'],
    ]
    for (const [error, code] of words) {
      /* oxlint-disable no-await-in-loop -- one call after the other */
      calls = 0
      answer = sse({ error })
      const thrown = await thrownBy('chat', 'chat', true)
      expect([thrown.status, thrown.code]).toEqual([502, code])
      expect(thrown.text).not.toMatch(/quota exceeded|exceeded your/)
      expectClean(thrown)
      expect(calls).toBe(1)
      /* oxlint-enable no-await-in-loop */
    }
  })
})

test('an error body with status 200 is recognized as an error, for streamed and non-streaming requests', async () => {
  for (const isStream of [false, true]) {
    // oxlint-disable-next-line no-await-in-loop -- one call after the other
    answer = json(200, rejected.chat())
    // oxlint-disable-next-line no-await-in-loop -- one call after the other
    const thrown = await thrownBy('chat', 'chat', isStream)
    expect([thrown.status, thrown.code]).toEqual([400, 'tool_use_failed'])
    expectClean(thrown)
  }
})

test('the log contains no part of the key, even if a provider returns the key as its error code', () => {
  expect(server.log.length).toBeGreaterThan(0)
  expect(JSON.stringify(server.log)).not.toMatch(secretPattern)
})
