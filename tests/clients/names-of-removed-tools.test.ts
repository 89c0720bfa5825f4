import { Anthropic } from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type World } from './start-application-with-upstreams.ts'

let world: World
let apiKey: string
beforeAll(async () => {
  world = await startWorld()
  await world.app.api('PATCH', '/v1/gateway', { providerTools: 'drop' })
  apiKey = (await world.app.newUser({ balanceMicros: 1_000_000_000n })).key
})
afterAll(() => world.close())

type Told = { readonly svc?: { readonly lost?: readonly string[] } }
const toldIn = (answer: unknown): readonly string[] | undefined => (answer as Told).svc?.lost

/** The frames are exactly as received. */
async function framesOf(path: string, headers: Record<string, string>, body: object): Promise<Told[]> {
  const response = await fetch(`${world.app.gateway}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  expect([response.status, response.headers.get('x-svc-conversion-lost')]).toEqual([
    200,
    expect.stringContaining('tools.'),
  ])
  return text
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)) as Told)
    .filter((frame) => frame.svc !== undefined)
}

describe('responses', () => {
  const tools = [{ type: 'web_search_preview' as const }]

  test('a non-streaming response of the responses wire names the removed tool, and the official client returns the name', async () => {
    const openai = new OpenAI({ apiKey, baseURL: `${world.app.gateway}/v1` })
    const answer = await openai.responses.create({ model: 'acme/openai', input: 'Hello', tools })
    expect(answer.output_text).not.toBe('')
    expect(toldIn(answer)).toEqual(['tools.web_search_preview'])
  })

  test('the last event of a responses stream names the removed tool, and the official client reads the event', async () => {
    const body = { model: 'acme/openai', input: 'Hello', tools, stream: true as const }
    const frames = await framesOf('/v1/responses', { authorization: `Bearer ${apiKey}` }, body)
    expect(frames).toEqual([expect.objectContaining({ type: 'response.completed' })])
    expect(toldIn(frames[0])).toEqual(['tools.web_search_preview'])
    const openai = new OpenAI({ apiKey, baseURL: `${world.app.gateway}/v1` })
    const events = await Array.fromAsync(await openai.responses.create(body))
    expect(events.at(-1)?.type).toBe('response.completed')
  })
})

describe('messages', () => {
  const tools = [{ type: 'web_search_20250305' as const, name: 'web_search' as const }]
  const ask = {
    model: 'acme/messages',
    max_tokens: 50,
    messages: [{ role: 'user' as const, content: 'Hello' }],
    tools,
  }

  test('a non-streaming response of the messages wire names the removed tool, and the official client returns the name', async () => {
    const anthropic = new Anthropic({ apiKey, baseURL: world.app.gateway })
    const answer = await anthropic.messages.create(ask)
    expect(answer.content).toHaveLength(1)
    expect(toldIn(answer)).toEqual(['tools.web_search_20250305'])
  })

  test('the last usage of a messages stream names the removed tool, and the official client reads the usage', async () => {
    const headers = { 'x-api-key': apiKey, 'anthropic-version': '2023-06-01' }
    const frames = await framesOf('/v1/messages', headers, { ...ask, stream: true })
    expect(frames.map(toldIn)).toEqual([['tools.web_search_20250305']])
    const stream = new Anthropic({ apiKey, baseURL: world.app.gateway }).messages.stream(ask)
    expect((await stream.finalMessage()).content).toHaveLength(1)
  })
})

test('a response of generate content names the removed tool, and the official client reads the response', async () => {
  const google = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: world.app.gateway } })
  const config = { tools: [{ googleSearch: {} }] }
  const answer = await google.models.generateContent({ model: 'acme/generate', contents: 'Hello', config })
  expect(answer.text).not.toBe('')
  const body = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }], ...config }
  const path = '/v1beta/models/acme%2Fgenerate:streamGenerateContent?alt=sse'
  const frames = await framesOf(path, { 'x-goog-api-key': apiKey }, body)
  expect(frames.map(toldIn)).toEqual([['tools.googleSearch']])
})

describe('a chat', () => {
  const ask = {
    model: 'acme/chat',
    messages: [{ role: 'user' as const, content: 'Hello' }],
    tools: [{ type: 'web_search' }],
  }

  test('a non-streaming chat response names the removed tool', async () => {
    const openai = new OpenAI({ apiKey, baseURL: `${world.app.gateway}/v1` })
    const answer = await openai.chat.completions.create(ask as never)
    expect(toldIn(answer)).toEqual(['tools.web_search'])
  })

  test('the usage chunk of a chat stream names the removed tool, and a client without usage chunks gets no additional chunk', async () => {
    const headers = { authorization: `Bearer ${apiKey}` }
    const usage = { ...ask, stream: true, stream_options: { include_usage: true } }
    const frames = await framesOf('/v1/chat/completions', headers, usage)
    expect(frames.map(toldIn)).toEqual([['tools.web_search']])
    expect(await framesOf('/v1/chat/completions', headers, { ...ask, stream: true })).toEqual([])
  })
})

test('a response without a removed tool has no field of the gateway', async () => {
  const response = await fetch(`${world.app.gateway}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'acme/chat', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  expect(await response.text()).not.toContain('"svc"')
})
