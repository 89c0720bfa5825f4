import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { awsSignature } from '#providers/aws-signature.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import {
  connectAccount,
  control,
  makeApplication,
  settledBalance,
  startServer,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'
import { chunkMessage, eventMessage } from '../support/encode-aws-event-stream.ts'

const claude = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'
const path = '/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke'
const secret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
const keys = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: secret, sessionToken: null }
const credit = 1_000_000_000n
const price = { input: '1000000', cacheWrite: '1000000', cacheWriteLong: '2000000', output: '3000000' }

let server: LocalServer
let app: Application
let vendor: Server
let address: string
let ending: 'usual' | 'exception' | 'cut' | 'refused' = 'usual'
const received: { path: string; headers: IncomingHttpHeaders; text: string }[] = []

const usage = { input_tokens: 12, output_tokens: 1 }
const message = { id: 'msg_bdrk_1', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5-20250929' }
const start = { ...message, content: [], stop_reason: null, stop_sequence: null, usage }
const events = [
  { type: 'message_start', message: start },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi ☃' } },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 5 },
  },
  { type: 'message_stop', 'amazon-bedrock-invocationMetrics': { inputTokenCount: 12 } },
]

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  vendor = createServer((request, response) => {
    void (async () => {
      let text = ''
      for await (const piece of request) text += String(piece)
      received.push({ path: request.url ?? '', headers: request.headers, text })
      const json = (status: number, body: object): void => {
        response.writeHead(status, { 'content-type': 'application/json' })
        response.end(JSON.stringify(body))
      }
      if (ending === 'refused') {
        const who = 'arn:aws:iam::123456789012:user/acme'
        return json(403, { message: `User: ${who} is not authorized with AKIAIOSFODNN7EXAMPLE` })
      }
      if (request.url === '/openai/v1/chat/completions') {
        const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hi' } }]
        const counts = { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 }
        return json(200, {
          id: 'c',
          object: 'chat.completion',
          created: 1,
          model: 'm',
          choices,
          usage: counts,
        })
      }
      if (request.url === path) {
        const content = [{ type: 'text', text: 'Hi ☃' }]
        const whole = { ...start, content, stop_reason: 'end_turn' }
        return json(200, { ...whole, usage: { input_tokens: 12, output_tokens: 5 } })
      }
      response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' })
      const bytes = Buffer.concat(events.map(chunkMessage))
      if (ending === 'usual') return response.end(bytes)
      response.write(Buffer.concat(events.slice(0, 3).map(chunkMessage)))
      if (ending === 'cut') return response.end(chunkMessage({ type: 'ping' }).subarray(0, 20))
      const headers = { ':message-type': 'exception', ':exception-type': 'throttlingException' }
      response.end(eventMessage(headers, JSON.stringify({ message: 'Too many tokens' })))
    })()
  })
  vendor.listen(0, '127.0.0.1')
  await once(vendor, 'listening')
  const { port } = vendor.address() as AddressInfo
  address = `http://127.0.0.1:${port}`
  const account = { kind: 'bedrock', baseUrl: address, model: claude, price }
  await connectAccount(app, 'signed', { ...account, apiKey: `${keys.accessKeyId}:${secret}` })
  await connectAccount(app, 'bearer', { ...account, apiKey: 'ABSKexample0123456789' })
  await connectAccount(app, 'oss', {
    ...account,
    model: 'openai.gpt-oss-20b-1:0',
    apiKey: 'ABSKexample0123456789',
  })
})
afterAll(async () => {
  vendor.close()
  vendor.closeAllConnections()
  await app.provider.close()
  await server.close()
})
beforeEach(() => {
  received.length = 0
  ending = 'usual'
})

async function send(user: User, body: object, at = '/v1/messages'): Promise<string> {
  const response = await fetch(`${app.gateway}${at}`, {
    method: 'POST',
    headers: {
      'x-api-key': user.key,
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'context-1m-2025-08-07,other-2025',
    },
    body: JSON.stringify(body),
  })
  return await response.text()
}

const request = {
  max_tokens: 300,
  messages: [{ role: 'user' as const, content: 'Hello' }],
}

test.each(['signed', 'bearer'])('a stream of the account %s is forwarded with its usage', async (label) => {
  const user = await app.newUser({ balanceMicros: credit })
  const text = await send(user, { ...request, model: `acme/${label}`, stream: true })
  expect(text).toContain('Hi ☃')
  expect(text).toContain('message_stop')
  expect(text).not.toContain('amazon')
  expect(credit - (await settledBalance(user))).toBe(27n)
  const [call] = received
  expect(call?.path).toBe(`${path}-with-response-stream`)
  expect(JSON.parse(call?.text ?? '')).toEqual({
    ...request,
    anthropic_version: 'bedrock-2023-05-31',
    anthropic_beta: ['context-1m-2025-08-07', 'other-2025'],
  })
  expect(call?.headers['anthropic-beta']).toBeUndefined()
  if (label === 'bearer') return expect(call?.headers.authorization).toBe('Bearer ABSKexample0123456789')
  const at = String(call?.headers['x-amz-date']).replace(
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/,
    '$1-$2-$3T$4:$5:$6Z',
  )
  const signed = awsSignature(
    {
      path: call?.path ?? '',
      headers: { host: String(call?.headers.host) },
      body: byteTextOf(call?.text ?? ''),
    },
    keys,
    { nowMs: Date.parse(at), region: 'us-east-1', service: 'bedrock' },
  )
  expect(call?.headers.authorization).toBe(signed.at(-1))
})

test('a non-streaming response, and a response for a client of another wire, are charged', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const whole = await send(user, { ...request, model: 'acme/signed' })
  expect(JSON.parse(whole).content).toMatchObject([{ text: 'Hi ☃' }])
  const converted = await app.call(user, { model: 'acme/bearer', stream: true, max_tokens: 300 })
  expect([converted.status, converted.text]).toEqual([200, expect.stringContaining('Hi ☃')])
  const other = await app.call(user, { model: 'acme/oss', max_tokens: 300 })
  expect([other.status, received.map((call) => call.path)]).toEqual([
    200,
    [path, `${path}-with-response-stream`, '/openai/v1/chat/completions'],
  ])
  expect(credit - (await settledBalance(user))).toBe(81n)
})

test.each(['exception', 'cut'] as const)('a stream that ends with %s fails', async (end) => {
  ending = end
  const user = await app.newUser({ balanceMicros: credit })
  const text = await send(user, { ...request, model: 'acme/signed', stream: true })
  expect(text).toContain('event: error')
  expect(text).not.toContain('message_stop')
})

test('an account is probed, and its errors do not identify the account', async () => {
  const probe = async (label: string, model: string) =>
    await control(server, 'POST', `/v1/providers/${label}/probe`, { model }, { 'x-svc-app': app.slug })
  expect((await probe('signed', claude)).body).toMatchObject({ ok: true, inputTokens: 12 })
  expect((await probe('oss', 'openai.gpt-oss-20b-1:0')).body).toMatchObject({ ok: true })
  ending = 'refused'
  const { body } = await probe('signed', claude)
  expect(body).toMatchObject({ ok: false, status: 403 })
  expect(JSON.stringify(body)).not.toMatch(/123456789012|AKIA/)
})

test('the gateway itself counts tokens for a Bedrock account', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const { max_tokens: _, ...counted } = request
  const body = { ...counted, model: 'acme/signed' }
  const answer = JSON.parse(await send(user, body, '/v1/messages/count_tokens'))
  expect(answer.input_tokens).toBeGreaterThan(0)
  expect(received).toEqual([])
})

test.each([
  ['ASIAIOSFODNN7EXAMPLE:secret', 'session token'],
  ['not:keys', 'access key ID'],
])('the credential %s is rejected with its reason', async (apiKey, reason) => {
  const fields = { kind: 'bedrock', baseUrl: address, apiKey }
  const { body, status } = await control(server, 'PUT', '/v1/providers/new', fields)
  expect([status, body.error.param, body.error.message]).toEqual([
    400,
    'apiKey',
    expect.stringContaining(reason),
  ])
})

test('the API shows only the last characters of an access key’s ID', async () => {
  const { body } = await control(server, 'GET', '/v1/providers/signed')
  expect(body.lastFour).toBe('MPLE')
  expect(JSON.stringify(body)).not.toContain(secret.slice(-4))
})
