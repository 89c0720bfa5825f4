import { afterEach, beforeEach, expect, test } from 'vitest'
import type {
  UpstreamFailure,
  UpstreamHeaders,
  UpstreamRequest,
} from '#domain/provider-upstream-interface.ts'
import { upstreams } from '#app/choose-upstream-by-account-kind.ts'
import { byteTextOf } from '#wire/text/byte-text.ts'
import { NameResolver } from '#providers/name-resolver.ts'
import { startVendor, type Vendor, type VendorKind } from './simulated-vendor.ts'

let vendor: Vendor
let key: string
let provider: ReturnType<typeof upstreams>

beforeEach(async () => {
  vendor = await startVendor()
  key = vendor.apiKey
  provider = upstreams({
    allowPrivate: true,
    names: new NameResolver(),
    loopName: 'tollgate-test',
    isOwnPeer: () => false,
    openCredential: () => key,
    nowMs: () => 0,
  })
})
afterEach(async () => {
  await vendor.close()
  await provider.close()
})

const user = (text: string) => [{ role: 'user', content: text }]
const turns = (text: string) => [{ role: 'user', parts: [{ text }] }]

const bodies = {
  chat: (text: string) => ({ model: 'm', messages: user(text), stream_options: { include_usage: true } }),
  messages: (text: string) => ({ model: 'm', max_tokens: 100, messages: user(text) }),
  generate: (text: string) => ({ contents: turns(text) }),
  responses: (text: string) => ({ model: 'm', input: text }),
}

test.each([
  ['openai', 'chat', '/v1/chat/completions', '"choices":['],
  ['openai', 'responses', '/v1/responses', '"object":"response"'],
  ['anthropic', 'messages', '/v1/messages', '"type":"message"'],
  ['google', 'generate', '/v1beta/models/m:generateContent', '"candidates":['],
] as const)(
  'an account of kind %s gets a response in the format of %s at %s',
  async (kind, wire, path, sign) => {
    const { status, headers, text } = await call(kind, { wire }, bodies[wire]('[[text=hello]]'))
    expect(status).toBe(200)
    expect(headers?.contentType).toBe('application/json')
    expect(headers?.requestId).toBe('req_vendor1')
    expect(text).toContain(sign)
    expect(text).toContain('hello')
    expect(vendor.calls.map((one) => [one.wire, one.purpose, one.path, one.status])).toEqual([
      [wire, 'answer', path, 200],
    ])
    expect(vendor.calls[0]?.body).toEqual(bodies[wire]('[[text=hello]]'))
  },
)

test.each([
  ['openai', 'chat', 'data: [DONE]\n\n'],
  ['openai', 'responses', '}}\n\n'],
  ['anthropic', 'messages', 'data: {"type":"message_stop"}\n\n'],
  ['google', 'generate', '}\r\n\r\n'],
] as const)('the vendor %s streams the wire %s to its end', async (kind, wire, end) => {
  const body = { ...bodies[wire]('[[tokens=40]]'), ...(wire === 'generate' ? {} : { stream: true }) }
  const { headers, text } = await call(kind, { wire, isStream: true }, body)
  expect(headers?.contentType).toBe('text/event-stream')
  expect(text.endsWith(end)).toBe(true)
  expect(text.split(/^data: /m).length).toBeGreaterThan(40)
})

test.each([
  ['openai', 'responses', /^\{"object":"response.input_tokens","input_tokens":\d+\}$/],
  ['anthropic', 'messages', /^\{"input_tokens":\d+\}$/],
  ['google', 'generate', /^\{"totalTokens":\d+,/],
] as const)('the vendor %s counts tokens', async (kind, wire, answer) => {
  const { status, text } = await call(kind, { wire, purpose: 'count' }, bodies[wire]('how long is this?'))
  expect(status).toBe(200)
  expect(text).toMatch(answer)
  expect(vendor.calls[0]?.purpose).toBe('count')
})

test.each(['openai', 'anthropic', 'google'] as const)('the vendor %s rejects a wrong key', async (kind) => {
  key = 'another'
  const wire = ({ openai: 'responses', anthropic: 'messages', google: 'generate' } as const)[kind]
  const { status, text } = await call(kind, { wire }, bodies[wire]('x'))
  expect(status).toBe(401)
  expect(JSON.parse(text)).toHaveProperty('error')
})

test('Anthropic serves the API version that the request names', async () => {
  const body = { ...bodies.messages('[[text=hi]]'), temperature: 1 }
  const send = (version: string) =>
    call('anthropic', { wire: 'messages', headers: ['anthropic-version', version] }, body)
  expect((await send('2023-06-01')).status).toBe(200)
  expect((await send('2026-10-21')).text).toContain('temperature: Extra inputs are not permitted')
  expect((await send('2020-01-01')).text).toContain('anthropic-version: header is required')
})

test('if a request asks for a broken connection, its connection breaks', async () => {
  const stream = { wire: 'messages', isStream: true } as const
  const send = (text: string) => call('anthropic', stream, { ...bodies.messages(text), stream: true })
  const cut = await send('[[tokens=9 cut=4]]')
  expect(cut.failure).toMatchObject({ phase: 'reset' })
  expect(cut.text.match(/text_delta/g)).toHaveLength(4)
  expect(await send('[[fail=429]]')).toMatchObject({ status: 429, headers: { retryAfterSeconds: 2 } })
  const hung = await send('[[tokens=9 hang]]')
  expect(hung.failure).toMatchObject({ phase: 'idle', isTimeout: true })
  await vendor.calls.at(-1)?.cut
})

test('Google states the wait time in the response body', async () => {
  const { status, headers, text } = await call(
    'google',
    { wire: 'generate' },
    bodies.generate('[[fail=429]]'),
  )
  expect([status, headers?.retryAfterSeconds]).toEqual([429, null])
  expect(text).toContain('"retryDelay":"1.4s"')
})

test('a request to an unknown path returns 404, and is recorded separately from calls', async () => {
  const answer = await fetch(`${vendor.baseUrls.openai}/engines`, { method: 'POST', body: '{}' })
  expect(answer.status).toBe(404)
  expect(vendor.strays).toEqual(['POST /v1/engines'])
  expect(vendor.calls).toEqual([])
})

async function call(kind: VendorKind, change: Partial<UpstreamRequest>, body: object) {
  const over = Promise.withResolvers<void>()
  const seen = {
    status: 0,
    headers: null as UpstreamHeaders | null,
    text: '',
    failure: null as UpstreamFailure | null,
  }
  const baseUrl = vendor.baseUrls[kind]
  provider.send(
    {
      account: { id: kind, organizationId: 'o', label: kind, kind, baseUrl, sealedCredential: 'sealed' },
      model: 'm',
      wire: 'chat',
      purpose: 'answer',
      headers: [],
      query: '',
      body: byteTextOf(JSON.stringify(body)),
      isStream: false,
      callId: '01',
      deadlines: { connectMs: 5000, firstByteMs: 5000, idleMs: 300, totalMs: 9000 },
      ...change,
    },
    {
      onHead: (status, headers) => void Object.assign(seen, { status, headers }),
      onData: (bytes) => ((seen.text += Buffer.from(bytes).toString()), true),
      onEnd: over.resolve,
      onFailure: (failure) => {
        seen.failure = failure
        over.resolve()
      },
    },
  )
  await over.promise
  return seen
}
