/** The client sends the gateway key as Google's access token. */
import { AnthropicVertex } from '@anthropic-ai/vertex-sdk'
import { OAuth2Client } from 'google-auth-library'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  connectAccount,
  makeApplication,
  settledBalance,
  startServer,
  testKeyOf,
  type Application,
  type LocalServer,
  type User,
} from '../support/start-product.ts'
import { startVendor, type Vendor } from '../support/simulated-vendor.ts'

const credit = 1_000_000_000n
/** Micros per million tokens, so that an input token costs 1 micro and an output token costs 5 micros. */
const price = { input: '1000000', cacheWrite: '1000000', cacheWriteLong: '1000000', output: '5000000' }

let server: LocalServer
let app: Application
let vendor: Vendor

beforeAll(async () => {
  server = await startServer()
  app = await makeApplication(server)
  vendor = await startVendor()
  const { apiKey, baseUrls } = vendor
  const accounts = {
    'claude-opus-5': { kind: 'anthropic', baseUrl: baseUrls.anthropic, model: 'claude-opus-5' },
    gpt: { kind: 'openai', baseUrl: baseUrls.openai, model: 'gpt-6' },
  }
  for (const [label, account] of Object.entries(accounts))
    // oxlint-disable-next-line no-await-in-loop -- each call needs the one before
    await connectAccount(app, label, { ...account, apiKey, price })
})
afterAll(async () => {
  await vendor.close()
  await app.provider.close()
  await server.close()
})

function clientOf(key: string): AnthropicVertex {
  const authClient = new OAuth2Client()
  authClient.setCredentials({ access_token: key })
  return new AnthropicVertex({
    authClient,
    baseURL: `${app.gateway}/v1`,
    projectId: 'any',
    region: 'any',
    maxRetries: 0,
  })
}

const charged = async (user: User): Promise<bigint> => credit - (await settledBalance(user))
const costOf = ({ input_tokens: input, output_tokens: output }: Record<string, unknown>): bigint =>
  BigInt(Number(input) + 5 * Number(output))

describe.each(['claude-opus-5', 'gpt'])('the model acme/%s', (label) => {
  const request = {
    model: `acme/${label}`,
    max_tokens: 100,
    messages: [{ role: 'user', content: 'Hello [[tokens=7]]' }],
  } as const

  test('a message has a text and the usage that is charged', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const message = await clientOf(user.key).messages.create({ ...request, messages: [...request.messages] })
    expect(message).toMatchObject({ model: request.model, stop_reason: 'end_turn', role: 'assistant' })
    expect(message.usage.output_tokens).toBe(7)
    expect(await charged(user)).toBe(costOf({ ...message.usage }))
    const [call] = await user.requests()
    expect(call).toMatchObject({ wire: 'messages', status: 'settled' })
  })

  test('a stream has the events of Anthropic and the usage that is charged', async () => {
    const user = await app.newUser({ balanceMicros: credit })
    const stream = clientOf(user.key).messages.stream({ ...request, messages: [...request.messages] })
    const message = await stream.finalMessage()
    expect(message.content).toMatchObject([{ type: 'text' }])
    expect(await charged(user)).toBe(costOf({ ...message.usage }))
  })

  test('tokens are counted', async () => {
    const { key } = await app.newUser({ balanceMicros: credit })
    const { model, messages } = request
    const counted = await clientOf(key).messages.countTokens({ model, messages: [...messages] })
    expect(counted.input_tokens).toBeGreaterThan(0)
  })
})

test('an account of Anthropic receives the body without `anthropic_version`, and all beta features in the header', async () => {
  const user = await app.newUser({ balanceMicros: credit })
  const betasInBody = { anthropic_beta: ['interleaved-thinking-2025-05-14'] }
  await clientOf(user.key).beta.messages.create({
    model: 'acme/claude-opus-5',
    max_tokens: 9,
    betas: ['context-1m-2025-08-07'],
    messages: [{ role: 'user', content: 'Hi' }],
    ...betasInBody,
  })
  const call = vendor.calls.at(-1)
  expect(call?.path).toBe('/v1/messages')
  expect(call?.headers['anthropic-beta']).toBe('context-1m-2025-08-07,interleaved-thinking-2025-05-14')
  expect(call?.body).toEqual({
    model: 'claude-opus-5',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'Hi' }],
  })
})

test('an error has the status and the type that Anthropic’s client recognizes', async () => {
  const { key } = await app.newUser()
  const call = clientOf(key).messages.create({
    model: 'acme/claude-opus-5',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'Hi' }],
  })
  await expect(call).rejects.toMatchObject({ status: 402, error: { error: { type: 'billing_error' } } })
})

test('a version after `@` is part of the model name, as Claude Code sends it', async () => {
  const name = 'acme/claude-haiku-4-5-20251001'
  await app.api('PUT', `/v1/models/${encodeURIComponent(name)}`, {
    sources: [{ provider: 'gpt', model: 'gpt-6' }],
  })
  const user = await app.newUser({ balanceMicros: credit })
  const client = clientOf(user.key)
  const model = 'acme/claude-haiku-4-5@20251001'
  const messages = [{ role: 'user' as const, content: 'Hello [[tokens=7]]' }]
  expect(await client.messages.create({ model, max_tokens: 9, messages })).toMatchObject({ model: name })
  expect((await client.messages.countTokens({ model, messages })).input_tokens).toBeGreaterThan(0)
})

test('the simulator responds in test mode', async () => {
  const message = await clientOf(await testKeyOf(app)).messages.create({
    model: app.model,
    max_tokens: 9,
    messages: [{ role: 'user', content: 'Hi' }],
  })
  expect(message.content).toMatchObject([{ type: 'text' }])
})
